import assert from "node:assert/strict";
import { test } from "node:test";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import { BucketQueue } from "../../../src/lab/queues/bucket-queue.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";

const LIMIT = 1 << 16; // beyond this many better keys the front is dealt back to the ranges

function batchOf(length: number, priority: (i: number) => number): Keys {
  const batch = new Keys(length);
  for (let i = 0; i < length; i++) batch.push(priority(i), i);
  return batch;
}

function takeAll(queue: BucketQueue, count: number): number[] {
  const taken: number[] = [];
  while (queue.size > 0) {
    const some = queue.extractTop(count);
    taken.push(...some.priorities.subarray(0, some.length).sort().reverse());
  }
  return taken;
}

test("a flood of better keys does not turn the front into one big heap", () => {
  const random = new Random(11);
  const queue = new BucketQueue();
  const low = batchOf(1000, () => 1 + random.below(5));
  queue.insertMany(low);
  queue.extractTop(10); // the front now holds a low range: everything that comes lies above
  const high = batchOf(3 * LIMIT, () => 1e6 + random.below(1e9));
  queue.insertMany(high);
  const before = queue.comparisons;
  queue.extractTop(8000);
  // One big Quickheap would compare every key at least once to split them.
  assert.ok(queue.comparisons - before < LIMIT, `${queue.comparisons - before}`);
  const taken = takeAll(queue, 5000);
  assert.deepEqual(
    taken,
    taken.toSorted((a, b) => b - a),
  );
  assert.equal(taken.length, 1000 - 10 + 3 * LIMIT - 8000);
});

test("one huge range and a trickle above it do not deal the range back again and again", () => {
  const queue = new BucketQueue();
  queue.insertMany(batchOf(4 * LIMIT, () => 1000));
  queue.extractTop(1);
  const before = queue.comparisons;
  for (let round = 0; round < 200; round++) {
    queue.insertMany(batchOf(50, () => 5000));
    const some = queue.extractTop(60);
    assert.equal(
      some.priorities.subarray(0, 60).filter((priority) => priority === 5000).length,
      50,
    );
  }
  const perPair = (queue.comparisons - before) / (200 * 60);
  assert.ok(perPair < 60, `${perPair}`);
  assert.equal(queue.size, 4 * LIMIT - 1 - 200 * 10);
});

test("a huge range stays in the front when floods above it come and go", () => {
  const queue = new BucketQueue();
  queue.insertMany(batchOf(16 * LIMIT, () => 1000));
  queue.extractTop(1);
  const flood = batchOf(LIMIT + 1000, (i) => 5000 + i);
  const before = queue.comparisons;
  for (let round = 0; round < 4; round++) {
    queue.insertMany(flood);
    assert.equal(queue.extractTop(flood.length).priorities.indexOf(1000), -1);
    assert.equal(queue.extractTop(10).priorities[0], 1000);
  }
  // Dealing the range back and loading it again would compare its keys anew in every round: 32 per pair and more.
  const perPair = (queue.comparisons - before) / (4 * flood.length);
  assert.ok(perPair < 24, `${perPair}`);
});
