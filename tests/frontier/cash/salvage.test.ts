import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CashBlock, readCashBlock } from "../../../src/frontier/cash/cash-block.ts";
import { UNIT } from "../../../src/frontier/cash/cash-book.ts";
import { CreditList } from "../../../src/frontier/cash/credit-list.ts";
import { CASH_COUNTERS, ShardCash } from "../../../src/frontier/cash/shard-cash.ts";
import { recoverShard } from "../../../src/frontier/fold/recover-shard.ts";
import { salvageShard } from "../../../src/frontier/fold/salvage-shard.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { segmentName } from "../../../src/frontier/journal/journal-files.ts";
import { listJournals } from "../../../src/frontier/journal/journal-listing.ts";
import { readJournal } from "../../../src/frontier/journal/journal-reader.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { fingerprintOf, link, SEEDS, UNSYNCED_FILES, withFolder } from "../journal/plans.ts";

const PAGES = 12;
const SHARE = 1000;
const url = (shard: number, page: number) => `http://h${shard}.example/${page}`;

/** Two shards that pay each other: in each batch a page is found, one is paid, one is done, and cash leaves or comes. */
function write(folder: string, shard: number): void {
  const options = { folder, shard, ...SEEDS, files: UNSYNCED_FILES, segmentBytes: 900 };
  const journal = new JournalWriter({ ...options, epoch: 1 });
  const credits = new CreditList();
  for (let i = 0; i < PAGES; i++) {
    const batch = new EventBatch();
    const { low, high } = fingerprintOf(url(shard, i));
    batch.minted(i, shard, UNIT);
    batch.admit(link(url(shard, i)), low, high);
    credits.clear();
    credits.add(low, high, UNIT);
    batch.credited(0, credits.bytes);
    if (i % 3 === 2) {
      const done = fingerprintOf(url(shard, i - 1));
      batch.done(done.low, done.high, 1);
      const block = new CashBlock(4096);
      block.tryAdd(link(url(1 - shard, 100 + i)), SHARE);
      block.tryCredit(1, 2, SHARE);
      batch.outbox({
        target: 1 - shard,
        epoch: 1,
        number: (i + 1) / 3,
        links: block.links,
        bytes: block.close(),
      });
      batch.counted(CASH_COUNTERS.sent, block.total);
    }
    if (i % 4 === 3) {
      batch.received(1 - shard, 1, (i + 1) / 4);
      batch.counted(CASH_COUNTERS.received, 2 * SHARE);
    }
    journal.append(batch);
  }
  journal.close();
}

/** A shard as the next run reads it, which fails when its book does not add up; and the cash in its blocks. */
function opened(folder: string, shard: number) {
  const cash = new ShardCash();
  const { state } = recoverShard({ folder, shard, ...SEEDS, cash }, () => {});
  const blocks = state.unconfirmed().map(({ bytes }) => readCashBlock(Buffer.from(bytes)).total);
  const { book } = cash;
  return { state, book, inBlocks: blocks.reduce((a, b) => a + b, 0) };
}

function damage(folder: string, shard: number, number: number): void {
  const { file, offset } = [...readJournal({ folder, shard })][number]!;
  const bytes = readFileSync(file);
  bytes[offset + 50]! ^= 1;
  writeFileSync(file, bytes);
}

test("a crawl ordered by cash goes on after any batch was damaged, or any segment lost, and every coin is found", () => {
  const harms: ((folder: string) => void)[] = [];
  for (let batch = 0; batch < PAGES; batch++) harms.push((folder) => damage(folder, 0, batch));
  for (const segment of [1, 2, 3])
    harms.push((folder) => rmSync(join(folder, segmentName(0, segment))));
  for (const [index, harm] of harms.entries()) {
    withFolder((folder) => {
      for (const shard of [0, 1]) write(folder, shard);
      assert.ok(listJournals(folder)(0).segments.length > 3);
      const before = opened(folder, 0);
      harm(folder);
      assert.throws(() => opened(folder, 0), /shard-00\.\d+\.journal:\d+: /, `harm ${index}`);
      for (const shard of [1, 0])
        salvageShard({ folder, shard, ...SEEDS, epoch: 9, reached: () => 0 });
      const shards = [0, 1].map((shard) => opened(folder, shard));
      let minted = 0;
      let found = 0;
      for (const { book, inBlocks } of shards) {
        minted += book.minted;
        found += book.held + book.virtual + inBlocks;
        assert.deepEqual([book.sent, book.received], [inBlocks, 0]);
        assert.ok(book.virtual >= 0);
      }
      assert.equal(found, minted, `harm ${index}`);
      const [hurt, whole] = shards;
      assert.ok(hurt!.book.held <= before.book.held && hurt!.book.held > 0);
      assert.ok(hurt!.state.known >= PAGES / 2 && whole!.state.known === PAGES);
      // A block of the one is new to the other, which books what it brings.
      const [block] = hurt!.state.unconfirmed();
      assert.equal(whole!.state.arrival(0, block!.epoch, block!.number).kind, "next");
    });
  }
});
