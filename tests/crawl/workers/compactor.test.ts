import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Compactor, isWorthFolding } from "../../../src/crawl/workers/compactor.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { listJournals } from "../../../src/frontier/journal/journal-listing.ts";
import { type JournalEnd, readJournal } from "../../../src/frontier/journal/journal-reader.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { crawlPaths } from "../../../src/store/folder/crawl-folder.ts";
import { sampleCrawl } from "../../store/journaled-crawl.ts";
import { tempFolder } from "../../support/orbweaver.ts";

test("closing breaks off a compaction, which leaves the journal as it was; the next one is made", async (t) => {
  const out = join(tempFolder(t), "out");
  sampleCrawl(out).close();
  const folder = crawlPaths(out).journals;
  const options = { folder, seedLow: 11, seedHigh: 22, minBytes: 1 };
  const before = readdirSync(folder);
  const batches = [...readJournal({ folder, shard: 0 })].length;
  const closed = new Compactor(options);
  closed.onClosed([[0, 1]]);
  await closed.close();
  assert.deepEqual(readdirSync(folder), before);
  assert.equal([...readJournal({ folder, shard: 0 })].length, batches);
  const left = new Compactor(options);
  left.onClosed([[0, 1]]);
  while (!readdirSync(folder).some((name) => name.endsWith(".snapshot"))) await sleep(5);
  await left.close();
  assert.deepEqual(listJournals(folder)(0).snapshots, [1]);
});

/** The end of a journal that holds nothing damaged. */
function endOf(folder: string): JournalEnd {
  const reader = readJournal({ folder, shard: 0 });
  for (;;) {
    const step = reader.next();
    if (step.done === true) return step.value;
  }
}

test("many small segments are folded as well: every death begins one", async (t) => {
  const folder = tempFolder(t);
  const seeds = { seedLow: 11, seedHigh: 22 };
  const batch = new EventBatch();
  batch.counted(6, 1);
  for (let epoch = 1; epoch <= 16; epoch++) {
    const after = epoch === 1 ? {} : { after: endOf(folder) };
    const writer = new JournalWriter({ folder, shard: 0, ...seeds, epoch, ...after });
    writer.append(batch);
    writer.close();
  }
  const many = new Compactor({ folder, ...seeds });
  many.onClosed([[0, 16]]);
  while (listJournals(folder)(0).snapshots.length === 0) await sleep(5);
  await many.close();
  assert.deepEqual(listJournals(folder)(0).snapshots, [16]);
});

test("all folds of a shard together cost the same per byte written, however long its journal is", () => {
  const segmentBytes = 64 * 1024 * 1024;
  let [written, behind, snapshot, folded] = [0, 0, 0, 0];
  for (let segments = 1; segments <= 4096; segments++) {
    written += segmentBytes;
    behind += segmentBytes;
    if (!isWorthFolding(behind, snapshot)) continue;
    folded += snapshot + behind;
    // Nothing falls out of this journal: snapshots grow as fast as they can.
    snapshot += behind;
    behind = 0;
    assert.ok(folded <= 3 * written, `${folded / written} times what ${segments} segments hold`);
  }
  assert.ok(behind <= snapshot / 2, "what a resume has to read is bounded by what is known");
});
