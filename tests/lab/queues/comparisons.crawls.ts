import assert from "node:assert/strict";
import { test } from "node:test";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import type { PriorityQueue } from "../../../src/frontier/queue/priority-queue.ts";
import { BucketQueue } from "../../../src/lab/queues/bucket-queue.ts";
import { GlobalQuickheap } from "../../../src/lab/queues/global-quickheap.ts";
import { Heap } from "../../../src/lab/queues/heap.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";
import { Quickheap } from "../../../src/lab/queues/quickheap.ts";
import { SlicedQueue } from "../../../src/lab/queues/sliced-queue.ts";
import { Tournament } from "../../../src/lab/queues/tournament.ts";

// Counted, not timed: the same on every machine and in every run.

const KEYS = 100_000;

/** How priorities go on: keys in the order they are inserted. */
const STREAMS: Readonly<Record<string, () => (index: number) => number>> = {
  uniform: () => {
    const random = new Random(5);
    return () => random.below(2 ** 32);
  },
  "cash of a skewed graph": () => {
    const random = new Random(6);
    return () => Math.floor(2 ** 40 / (1 + random.below(100_000)) ** 1.2);
  },
  "all equal": () => () => 7,
  "ten values": () => {
    const random = new Random(7);
    return () => random.below(10);
  },
  "better and better": () => (index) => index,
  "worse and worse": () => (index) => 2 ** 50 - index,
  "organ pipes": () => (index) => Math.min(index % 30_000, 30_000 - (index % 30_000)),
  "two by two": () => (index) => (index % 2 === 0 ? index : 2 ** 40 - index),
};

/** Comparisons per extracted and inserted key, in a queue that keeps its size. */
function perPair(
  queue: Pick<PriorityQueue, "insertMany" | "extractTop" | "comparisons">,
  next: (index: number) => number,
  batchKeys: number,
  keys = KEYS,
): number {
  const batch = new Keys(batchKeys);
  let index = 0;
  const insert = () => {
    batch.clear();
    for (let i = 0; i < batchKeys; i++) batch.push(next(index++), i);
    queue.insertMany(batch);
  };
  while (index < keys) insert();
  const before = queue.comparisons;
  const pairs = 2 * keys;
  for (let done = 0; done < pairs; done += batchKeys) {
    queue.extractTop(batchKeys);
    insert();
  }
  return (queue.comparisons - before) / pairs;
}

for (const [stream, start] of Object.entries(STREAMS)) {
  test(`${stream}: a Quickheap needs at most 16 comparisons per pair for R >= 1000`, () => {
    for (const batchKeys of [1000, 8000]) {
      const quick = perPair(new Quickheap(), start(), batchKeys);
      assert.ok(quick <= 16, `${quick} for R = ${batchKeys}`);
      const global = perPair(GlobalQuickheap.solo(8, KEYS + batchKeys), start(), batchKeys);
      assert.ok(global <= 18, `${global} with 8 slices for R = ${batchKeys}`);
      const buckets = perPair(new BucketQueue(), start(), batchKeys);
      assert.ok(buckets <= 18, `${buckets} with ranges for R = ${batchKeys}`);
    }
  });
}

for (const [stream, start] of Object.entries(STREAMS)) {
  // A heap that knows one value only never moves a key: 3 comparisons per pair.
  if (stream === "all equal") continue;
  test(`${stream}: that is at most 0.45 of a binary heap's`, () => {
    for (const batchKeys of [1000, 8000]) {
      const quick = perPair(new Quickheap(), start(), batchKeys);
      const heap = perPair(new Heap(2), start(), batchKeys);
      assert.ok(quick <= 0.45 * heap, `${quick} against ${heap}`);
    }
  });
}

test("no kind of keys is quadratic: four times as many cost two levels more", () => {
  for (const [stream, start] of Object.entries(STREAMS)) {
    const few = perPair(new Quickheap(), start(), 500, 20_000);
    const many = perPair(new Quickheap(), start(), 500, 80_000);
    assert.ok(many <= few + 5, `${stream}: ${few} with 20,000 keys, ${many} with 80,000`);
  }
});

test("a tournament costs what its paths cost, whatever the keys", () => {
  for (const start of Object.values(STREAMS)) {
    const levels = Math.log2(KEYS / 1000);
    const most = 2 * levels * 7; // two paths, about 3 comparisons for each of 2n keys, and some for luck
    assert.ok(perPair(new Tournament(1000), start(), 1000) <= most);
  }
});

test("input that keeps improving does not pile up chunks", () => {
  const queue = new Quickheap();
  const batch = new Keys();
  let next = 0;
  for (let round = 0; round < 4000; round++) {
    batch.clear();
    for (let i = 0; i < 25; i++) batch.push(next++, i);
    queue.insertMany(batch);
    queue.extractTop(1);
    assert.ok(queue.chunks <= 2 * Math.ceil(Math.log2(queue.size + 3)) + 8, `${queue.chunks}`);
  }
  // 24 of 25 keys stay: about log2(chunks) to find the chunk and a constant number of splits until the next prune.
  assert.ok(queue.comparisons / next < 40, `${queue.comparisons / next} per key`);
});

test("eight slices share the work: global pivots evenly, independent Quickheaps not", () => {
  const batchKeys = 8000;
  const global = GlobalQuickheap.solo(8, KEYS + batchKeys);
  const alone = new SlicedQueue(8, () => new Quickheap());
  perPair(global, STREAMS.uniform!(), batchKeys);
  perPair(alone, STREAMS.uniform!(), batchKeys);
  const efficiency = ({ insertWork, extractWork }: GlobalQuickheap | SlicedQueue) =>
    (insertWork.total + extractWork.total) / (8 * (insertWork.longest + extractWork.longest));
  assert.ok(efficiency(global) >= 0.95, `${efficiency(global)}`);
  assert.ok(efficiency(alone) < 0.6, `${efficiency(alone)}`);
});
