import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compactShard } from "../../../src/frontier/fold/compact-shard.ts";
import { readDone } from "../../../src/frontier/fold/done-list.ts";
import { salvageShard } from "../../../src/frontier/fold/salvage-shard.ts";
import { openSnapshot } from "../../../src/frontier/fold/snapshot.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { decodeEvents } from "../../../src/frontier/journal/event-cursor.ts";
import { segmentName } from "../../../src/frontier/journal/journal-files.ts";
import { readJournal } from "../../../src/frontier/journal/journal-reader.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../../src/hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { tempFolder } from "../../support/orbweaver.ts";
import { recovered, SEEDS } from "../journal/plans.ts";

const { seedLow, seedHigh } = SEEDS;

class Events extends EventBatch {
  found(url: string): this {
    urlFingerprint(url as CrawlUrl, seedLow, seedHigh);
    const how = { parent: undefined, depth: 1, via: "link", seed: false, chain: [] } as const;
    this.admit({ ...how, url: url as CrawlUrl }, lastFingerprint.low, lastFingerprint.high);
    return this;
  }

  ended(url: string): this {
    urlFingerprint(url as CrawlUrl, seedLow, seedHigh);
    this.done(lastFingerprint.low, lastFingerprint.high, 1, {
      file: "a.warc.gz",
      offset: 5,
      length: 7,
    });
    return this;
  }

  block(target: number, number: number, text: string): this {
    this.outbox({ target, epoch: 1, number, links: 1, bytes: Buffer.from(text) });
    return this;
  }
}

function write(folder: string, shard: number, batches: readonly EventBatch[]): void {
  const journal = new JournalWriter({ folder, shard, epoch: 1, seedLow, seedHigh });
  for (const batch of batches) journal.append(batch);
  journal.sync();
  journal.close();
}

function salvage(folder: string, shard: number, reached: (target: number) => number = () => 0) {
  return salvageShard({ folder, shard, seedLow, seedHigh, epoch: 9, reached });
}

/** Flips a byte in the middle of one batch. */
function damage(folder: string, shard: number, number: number): void {
  const batches = [...readJournal({ folder, shard })];
  const { offset } = batches[number]!;
  const path = join(folder, segmentName(shard, 1));
  const bytes = readFileSync(path);
  bytes[offset + 50]! ^= 1;
  writeFileSync(path, bytes);
}

test("a shard with a damaged batch goes on with all others, and blocks are numbered anew", (t) => {
  const folder = tempFolder(t);
  write(folder, 0, [
    new Events().found("http://h/a").found("http://h/b"),
    new Events().ended("http://h/a").block(1, 1, "one"),
    new Events().found("http://h/c").block(1, 2, "two"),
    new Events().ended("http://h/b").block(1, 3, "three"),
  ]);
  const received = new Events().found("http://g/x").ended("http://g/x");
  received.received(0, 1, 1);
  write(folder, 1, [received]);
  damage(folder, 0, 1);
  assert.throws(() => recovered(folder, 0), /shard-00\.000001\.journal:\d+: /);
  for (const shard of [1, 0]) salvage(folder, shard, (target) => (target === 1 ? 1 : 0));

  const { state, queued, end } = recovered(folder, 0);
  // Nobody knows any more that /a was done: it is fetched again. /b is known to be.
  assert.deepEqual([queued, state.waiting, state.known], [["http://h/a", "http://h/c"], 2, 3]);
  assert.deepEqual(
    state
      .unconfirmed()
      .map((block) => [block.target, block.number, Buffer.from(block.bytes).toString()]),
    [
      [1, 1, "two"],
      [1, 2, "three"],
    ],
  );
  assert.equal([...readDone(folder, 0)].length, 1, "where the record of /b lies is not forgotten");
  const target = recovered(folder, 1);
  for (const { epoch, number } of state.unconfirmed()) {
    assert.equal(target.state.arrival(0, epoch, number).kind, "next");
    target.state.receive(0, epoch, number);
  }
  assert.deepEqual([target.queued, target.state.known], [[], 1]);
  // The next run writes on behind it.
  const next = new JournalWriter({ folder, shard: 0, epoch: 10, seedLow, seedHigh, after: end });
  next.append(new Events().ended("http://h/a"));
  next.sync();
  next.close();
  assert.deepEqual(recovered(folder, 0).queued, ["http://h/c"]);
});

test("extensions in whole batches survive a salvage, in their order", (t) => {
  const folder = tempFolder(t);
  const noted = (kind: number, url: string) => {
    const events = new Events();
    events.extension(kind, Buffer.from(url));
    return events.found(url);
  };
  write(
    folder,
    0,
    ["a", "b", "c", "d"].map((name, i) => noted(i, `http://h/${name}`)),
  );
  damage(folder, 0, 2);
  salvage(folder, 0);
  const kept = [...openSnapshot(folder, 0)!.queued()].flatMap(decodeEvents).map((event) => {
    if (event.kind === "extension") return `${event.extension} ${Buffer.from(event.bytes)}`;
    return event.kind === "admit" ? event.found.map(({ url }) => url).join() : event.kind;
  });
  const [a, b, d] = ["http://h/a", "http://h/b", "http://h/d"];
  assert.deepEqual(kept, [`0 ${a}`, a, `1 ${b}`, b, `3 ${d}`, d]);
});

test("what is done stays done when its admission is lost", (t) => {
  const folder = tempFolder(t);
  write(folder, 0, [
    new Events().found("http://h/a").found("http://h/b"),
    new Events().ended("http://h/a"),
  ]);
  damage(folder, 0, 0);
  salvage(folder, 0);
  const { state, queued } = recovered(folder, 0);
  assert.deepEqual([queued, state.known, state.outcomes[1]], [[], 1, 1]);
  urlFingerprint("http://h/a" as CrawlUrl, seedLow, seedHigh);
  assert.equal(state.admit(lastFingerprint.low, lastFingerprint.high), false);
});

test("what a target lacks is sent to it again although it was confirmed, and what is nowhere any more is told", (t) => {
  const folder = tempFolder(t);
  const confirming = new Events().block(1, 3, "three");
  confirming.confirmed(1, 1, 3);
  write(folder, 0, [
    new Events().found("http://h/a").block(1, 1, "one"),
    new Events().block(1, 2, "two"),
    confirming,
  ]);
  assert.deepEqual(
    salvage(folder, 0, () => 1),
    [],
  );
  const texts = () =>
    recovered(folder, 0)
      .state.unconfirmed()
      .map(({ epoch, number, bytes }) => [epoch, number, Buffer.from(bytes).toString()]);
  assert.deepEqual(texts(), [
    [9, 1, "two"],
    [9, 2, "three"],
  ]);
  // The snapshot that replaced the journal does not hold what was confirmed in it.
  const more = new Events();
  more.confirmed(1, 9, 2);
  const { end } = recovered(folder, 0);
  const next = new JournalWriter({ folder, shard: 0, epoch: 10, seedLow, seedHigh, after: end });
  next.append(more);
  next.close();
  compactShard({ folder, shard: 0, upTo: end.segment + 1, seedLow, seedHigh });
  assert.deepEqual(
    salvage(folder, 0, () => 0),
    [{ target: 1, epoch: 9, blocks: 2 }],
  );
  assert.deepEqual(texts(), []);
});
