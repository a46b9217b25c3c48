import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CapacityError, OrbweaverError } from "../../../src/errors.ts";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import { PriorityRanges } from "../../../src/frontier/queue/priority-ranges.ts";
import { BucketQueue } from "../../../src/lab/queues/bucket-queue.ts";
import { deal, waterLevel } from "../../../src/lab/queues/deal-keys.ts";
import { GlobalQuickheap } from "../../../src/lab/queues/global-quickheap.ts";
import { Heap } from "../../../src/lab/queues/heap.ts";
import { partition } from "../../../src/lab/queues/partition.ts";
import { makeSliceMemory, slicesOf } from "../../../src/lab/queues/pivot-slice.ts";
import { boundariesToKeep } from "../../../src/lab/queues/pivot-stack.ts";
import { Quickheap } from "../../../src/lab/queues/quickheap.ts";
import { RangeChains } from "../../../src/lab/queues/range-chains.ts";
import { SlicedQueue } from "../../../src/lab/queues/sliced-queue.ts";
import { Tournament } from "../../../src/lab/queues/tournament.ts";
import { WorkBalance } from "../../../src/lab/queues/work-balance.ts";

const few = fc.integer({ min: 0, max: 6 });

test("a partition puts no key on the wrong side, loses none and makes progress", () => {
  const cases = fc.record({
    keys: fc.oneof(
      fc.array(few, { minLength: 1, maxLength: 30 }),
      // long enough to be split blockwise
      fc
        .tuple(fc.integer({ min: 1000, max: 1400 }), fc.integer({ min: 1, max: 2000 }))
        .chain(([length, values]) =>
          fc.array(fc.integer({ min: 0, max: values }), { minLength: length, maxLength: length }),
        ),
    ),
    slack: fc.nat({ max: 20 }),
    start: fc.nat(),
    pick: fc.nat(),
    foreign: fc.boolean(),
  });
  fc.assert(
    fc.property(cases, ({ keys, slack, start, pick, foreign }) => {
      const capacity = keys.length + slack;
      const priorities = new Float64Array(capacity).fill(Number.NaN);
      const ids = new Uint32Array(capacity);
      const lo = start % capacity;
      keys.forEach((key, i) => {
        priorities[(lo + i) % capacity] = key;
        ids[(lo + i) % capacity] = i;
      });
      const hi = lo + keys.length - 1;
      const pivot = keys[pick % keys.length]! + (foreign ? 0.5 : 0);
      const split = partition(priorities, ids, lo, hi, pivot);
      const seen = new Set<number>();
      for (let i = lo; i <= hi; i++) {
        const key = priorities[i % capacity]!;
        assert.ok(i < split ? key >= pivot : key <= pivot);
        assert.equal(key, keys[ids[i % capacity]!]);
        seen.add(ids[i % capacity]!);
      }
      assert.equal(seen.size, keys.length);
      if (foreign) return;
      assert.ok(split <= hi, "the right side is never empty");
      if (split === lo) assert.equal(priorities[lo % capacity], Math.max(...keys));
    }),
  );
});

test("ranges rise with priorities, and every double has one", () => {
  for (const bits of [0, 2, 10]) {
    const ranges = new PriorityRanges(bits);
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        const [low, high] = a <= b ? [a, b] : [b, a];
        assert.ok(ranges.of(low) <= ranges.of(high));
        assert.ok(ranges.of(low) >= 0 && ranges.of(high) < ranges.count);
      }),
    );
    assert.equal(ranges.of(1), 1);
    assert.equal(ranges.of(2 ** 53 - 1), ranges.count - 2);
    assert.equal(ranges.of(2 ** 53), ranges.count - 1);
  }
  const ranges = new PriorityRanges(2);
  assert.deepEqual(
    [1, 1.25, 1.5, 1.75, 2].map((p) => ranges.of(p)),
    [1, 2, 3, 4, 5],
  );
});

test("chains give back what was put in and know the highest range", () => {
  const inputs = fc.array(fc.tuple(fc.nat({ max: 2000 }), fc.boolean()), { maxLength: 300 });
  fc.assert(
    fc.property(inputs, (steps) => {
      const chains = new RangeChains(2001);
      const model = new Map<number, number[]>();
      steps.forEach(([range, drain], id) => {
        if (drain && model.size > 0) {
          const highest = Math.max(...model.keys());
          assert.equal(chains.highest(), highest);
          const got = new Keys();
          chains.drain(highest, got);
          assert.deepEqual([...got.ids.subarray(0, got.length)].sort(), model.get(highest)!.sort());
          model.delete(highest);
        } else {
          const copies = range % 7 === 0 ? 70 : 1; // more than two blocks
          for (let i = 0; i < copies; i++) chains.append(range, range, id);
          model.set(range, [...(model.get(range) ?? []), ...new Array(copies).fill(id)]);
        }
      });
      assert.equal(chains.highest(), model.size === 0 ? -1 : Math.max(...model.keys()));
    }),
  );
});

test("water finds its level", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 8 }),
      fc.nat({ max: 300 }),
      (sizes, amount) => {
        const level = waterLevel(sizes, amount);
        const poured = (to: number) => sizes.reduce((sum, size) => sum + Math.max(0, to - size), 0);
        assert.ok(poured(level) >= amount);
        if (amount > 0) assert.ok(poured(level - 1) < amount);
      },
    ),
  );
});

test("uneven slices are levelled before one overflows", () => {
  const memory = makeSliceMemory(2, 20, false);
  const slices = slicesOf(memory);
  for (let i = 0; i < 8; i++) slices[0]!.give(i, i);
  slices[0]!.insertInbox(1);
  const batch = new Keys();
  for (let i = 0; i < 12; i++) batch.push(i, i);
  assert.equal(deal(batch, 0, slices, memory.keysPerSlice), 12);
  for (const slice of slices) slice.insertInbox(1);
  assert.deepEqual(
    slices.map((slice) => slice.size),
    [10, 10],
  );
});

test("slices that are even enough are levelled all the same when one is nearly full", () => {
  const memory = makeSliceMemory(2, 2000, false);
  const slices = slicesOf(memory);
  [995, 985].forEach((size, slice) => {
    for (let i = 0; i < size; i++) slices[slice]!.give(i, i);
    slices[slice]!.insertInbox(1);
  });
  const batch = new Keys();
  for (let i = 0; i < 20; i++) batch.push(i, i);
  assert.equal(deal(batch, 0, slices, memory.keysPerSlice), 20);
  for (const slice of slices) slice.insertInbox(1);
  assert.deepEqual(
    slices.map((slice) => slice.size),
    [1000, 1000],
  );
});

test("a full queue of fixed capacity throws and keeps what it has", () => {
  const queue = GlobalQuickheap.solo(2, 10);
  const batch = new Keys();
  for (let i = 0; i < 10; i++) batch.push(i, i);
  queue.insertMany(batch);
  batch.length = 1;
  assert.throws(() => queue.insertMany(batch), CapacityError);
  assert.equal(queue.size, 10);
  assert.equal(queue.peek()!.priority, 9);
  assert.throws(() => makeSliceMemory(0, 10, false), CapacityError);
});

test("a priority that has no order is refused where it enters", () => {
  assert.throws(
    () => new Keys().push(Number.NaN, 1),
    (error) => error instanceof OrbweaverError && error.code === "OW_BAD_KEY",
  );
});

test("an id that a column of 32-bit integers would change is refused where it enters", () => {
  for (const id of [-1, 2 ** 32, 1.5, Number.NaN]) {
    assert.throws(() => new Keys().push(1, id), { code: "OW_BAD_KEY" });
    assert.throws(() => Keys.of([1], [id]), { code: "OW_BAD_KEY" });
  }
  assert.throws(() => Keys.of([1, 2], [7]), { code: "OW_BAD_KEY" });
  assert.throws(() => Keys.of(["7" as unknown as number]), { code: "OW_BAD_KEY" });
  const limits = Keys.of([2 ** 53 - 1, -Number.MAX_VALUE], [2 ** 32 - 1, 0]);
  assert.deepEqual(
    [...limits],
    [
      { priority: 2 ** 53 - 1, id: 2 ** 32 - 1 },
      { priority: -Number.MAX_VALUE, id: 0 },
    ],
  );
});

test("impossible sizes of a queue are refused with an error, not by an endless loop", () => {
  const bad = { code: "OW_BAD_COUNT" };
  for (const number of [0, -1, 1.5, Number.NaN]) {
    assert.throws(() => new Tournament(number), bad);
    assert.throws(() => new SlicedQueue(number, () => new Heap(2)), bad);
    assert.throws(() => GlobalQuickheap.solo(number, 10), CapacityError);
  }
  for (const number of [-1, 1.5, Number.NaN]) {
    assert.throws(() => new Quickheap(number), bad);
    assert.throws(() => new Heap(2, number), bad);
    assert.throws(() => GlobalQuickheap.solo(1, number), bad);
    assert.throws(() => new BucketQueue(1, number), bad);
  }
  assert.throws(() => new Heap(3 as 2), bad);
  assert.throws(() => new BucketQueue(1, 40), CapacityError);
});

test("kept boundaries double", () => {
  // From the top of the stack, index 7, down to index 1.
  const prefixes = [9, 7, 4, 3, 2, 1, 1];
  assert.deepEqual(
    boundariesToKeep(8, (index) => prefixes[index - 1]!),
    [1, 3, 5, 7],
  );
});

test("independent slices give a T-th each: all the keys, but not exactly the best", () => {
  const queue = new SlicedQueue(2, () => new Heap(2));
  assert.equal(queue.peek(), undefined);
  const batch = new Keys();
  for (const priority of [10, 1, 9, 2, 8, 3]) batch.push(priority, priority);
  queue.insertMany(batch); // slice 0 has 10, 9, 8
  assert.deepEqual(queue.peek(), { priority: 10, id: 10 });
  const first = queue.extractTop(4);
  assert.deepEqual([...first.ids.subarray(0, 4)].sort(), [10, 2, 3, 9].sort());
  assert.deepEqual([...queue.extractTop(9).ids.subarray(0, 2)].sort(), [1, 8]);
  assert.equal(queue.size, 0);
});

test("independent slices never give more than was asked for", () => {
  const queue = new SlicedQueue(4, () => new Heap(4));
  const batch = new Keys();
  for (let i = 0; i < 40; i++) batch.push(i, i);
  queue.insertMany(batch);
  for (const count of [1, 3, 5, 0, 7]) assert.equal(queue.extractTop(count).length, count);
  assert.equal(queue.size, 24);
  assert.equal(queue.extractTop(1000).length, 24);
});

test("efficiency is the average over the longest, phase by phase", () => {
  const balance = new WorkBalance();
  assert.equal(balance.efficiency, 1);
  balance.add([4, 2]);
  balance.add([0, 2]);
  assert.equal(balance.longest, 6);
  assert.equal(balance.efficiency, 8 / 12);
});
