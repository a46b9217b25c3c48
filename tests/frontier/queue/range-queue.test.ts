import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { DiskFullError } from "../../../src/errors.ts";
import {
  BLOCK_BYTES,
  BLOCK_KEYS,
  type BlockFile,
} from "../../../src/frontier/queue/block-table.ts";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import { QUEUE_RANGES, RangeQueue } from "../../../src/frontier/queue/range-queue.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";
import { openScratchFile } from "../../../src/runtime/scratch-file.ts";
import { queueContract } from "../../lab/queues/priority-queue.contract.ts";

/** Blocks in memory; a block that was never written cannot be read. */
class MemoryBlocks implements BlockFile {
  readonly blocks = new Map<number, Uint8Array>();

  isFull = false;

  read(into: Uint8Array, offset: number): void {
    into.set(this.blocks.get(offset)!);
  }

  write(bytes: Uint8Array, offset: number): void {
    if (this.isFull) throw new DiskFullError("no space");
    assert.deepEqual([bytes.length, offset % BLOCK_BYTES], [BLOCK_BYTES, 0]);
    this.blocks.set(offset, bytes.slice());
  }
}

const rangeQueue = (frames?: number, file = new MemoryBlocks()) =>
  new RangeQueue(() => file, frames);

const rangeOf = (priority: number) => QUEUE_RANGES.of(priority);
queueContract("range queue", () => rangeQueue(), rangeOf);
queueContract("range queue of two blocks", () => rangeQueue(2), rangeOf);

function batchOf(priorities: readonly number[], firstId: number): Keys {
  const batch = new Keys();
  priorities.forEach((priority, i) => {
    batch.push(priority, firstId + i);
  });
  return batch;
}

test("one key at a time is as good as a batch", () => {
  const [single, batched] = [rangeQueue(3), rangeQueue(3)];
  const random = new Random(8);
  let ids = 0;
  for (let step = 0; step < 400; step++) {
    const priorities = Array.from({ length: random.below(40) }, () => random.below(6) ** 9);
    batched.insertMany(batchOf(priorities, ids));
    for (const priority of priorities) single.insert(priority, ids++, rangeOf(priority));
    const expected = batched.extractTop(random.below(40));
    for (let i = 0; i < expected.length; i++) {
      assert.equal(single.topRange(), rangeOf(expected.priorities[i]!));
      assert.equal(single.shift(), expected.ids[i]);
    }
    assert.equal(single.size, batched.size);
  }
  while (single.size > 0) assert.equal(single.shift(), batched.extractTop(1).ids[0]);
  assert.deepEqual([single.topRange(), batched.size], [-1, 0]);
});

test("keys leave best range first and within a range in the order they came, whatever was on disk", () => {
  // Few values and long batches: chains of many blocks, of which hardly any fit into memory.
  const steps = fc.array(
    fc.record({
      values: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 }),
      copies: fc.integer({ min: 1, max: 3 * BLOCK_KEYS }),
      take: fc.integer({ min: 0, max: 3 * BLOCK_KEYS }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(steps, fc.integer({ min: 2, max: 9 }), (list, frames) => {
      const queue = rangeQueue(frames);
      const chains: number[][] = Array.from({ length: 6 }, () => []);
      const expected = (count: number) => {
        const ids: number[] = [];
        for (const chain of chains.toReversed()) ids.push(...chain.splice(0, count - ids.length));
        return ids;
      };
      let next = 0;
      for (const { values, copies, take } of list) {
        const priorities = Array.from(
          { length: copies },
          (_, i) => 10 ** values[i % values.length]!,
        );
        queue.insertMany(batchOf(priorities, next));
        for (const priority of priorities) chains[Math.round(Math.log10(priority))]!.push(next++);
        const got = queue.extractTop(take);
        assert.deepEqual([...got.ids.subarray(0, got.length)], expected(take));
      }
      const rest = queue.extractTop(1e9);
      assert.deepEqual([...rest.ids.subarray(0, rest.length)], expected(1e9));
      assert.equal(queue.residentBlocks, 0);
    }),
    { numRuns: 60 },
  );
});

test("chains keep their order when heads come back from disk while newer blocks are in memory", () => {
  const random = new Random(8);
  const queue = rangeQueue(6);
  const chains: number[][] = [[], [], []];
  let next = 0;
  for (let step = 0; step < 600; step++) {
    const range = random.below(3);
    const count = random.below(2 * BLOCK_KEYS);
    queue.insertMany(batchOf(new Array(count).fill(10 ** range), next));
    for (let i = 0; i < count; i++) chains[range]!.push(next++);
    const expected: number[] = [];
    const take = random.below(2 * BLOCK_KEYS);
    for (const chain of chains.toReversed()) {
      expected.push(...chain.splice(0, take - expected.length));
    }
    const got = queue.extractTop(take);
    assert.deepEqual([...got.ids.subarray(0, got.length)], expected);
    assert.ok(queue.residentBlocks <= 6, `${queue.residentBlocks} blocks in memory`);
  }
});

test("with a tenth of the keys in memory 1000 pairs cost at most 10 block transfers", () => {
  const keys = 600_000;
  const batch = 8000;
  const frames = Math.floor(keys / BLOCK_KEYS / 10);
  const random = new Random(5);
  const queue = rangeQueue(frames);
  // Cash has a heavy tail: about 20 octaves are in use, so tails of ranges take most of the memory.
  const cash = () => Math.floor(1000 * ((random.below(2 ** 30) + 1) / 2 ** 30) ** -1.3);
  const fill = (count: number) => {
    queue.insertMany(batchOf(Array.from({ length: count }, cash), 0));
  };
  fill(keys);
  const before = queue.transfers;
  let most = 0;
  const rounds = 100;
  for (let round = 0; round < rounds; round++) {
    const start = queue.transfers;
    queue.extractTop(batch);
    most = Math.max(most, queue.transfers - start);
    fill(batch);
    assert.ok(queue.residentBlocks <= frames, `${queue.residentBlocks} blocks`);
  }
  const perThousand = (queue.transfers - before) / ((rounds * batch) / 1000);
  assert.ok(perThousand <= 10, `${perThousand}`);
  assert.ok(perThousand > 0.1, "nothing went to disk: the test measures nothing");
  // No call moves more than the blocks its keys fill, each read and each perhaps pushing another one out.
  assert.ok(most <= 2 * (Math.ceil(batch / BLOCK_KEYS) + 20), `${most}`);
});

test("the best ranges are not written while lower ones can leave memory", () => {
  const file = new MemoryBlocks();
  const queue = rangeQueue(20, file);
  queue.insertMany(batchOf(new Array(40 * BLOCK_KEYS).fill(10), 0));
  const written = file.blocks.size;
  for (let round = 0; round < 50; round++) {
    queue.insertMany(batchOf(new Array(10 * BLOCK_KEYS).fill(1e6), 0));
    queue.extractTop(10 * BLOCK_KEYS);
  }
  // The first flood pushed low blocks out; from then on there was room.
  assert.ok(file.blocks.size - written <= 12, `${file.blocks.size - written}`);
});

test("the file of a crawl is opened when it is needed and gives back what was written", () => {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-range-queue-"));
  let opened = 0;
  const queue = new RangeQueue(() => {
    opened++;
    return openScratchFile(join(folder, "queue.scratch"));
  }, 2);
  queue.insertMany(batchOf([1, 2, 3], 0));
  assert.equal(opened, 0);
  queue.insertMany(batchOf(new Array(9 * BLOCK_KEYS).fill(7), 100));
  assert.equal(opened, 1);
  const got = queue.extractTop(9 * BLOCK_KEYS);
  assert.deepEqual(
    [...got.ids.subarray(0, got.length)],
    Array.from({ length: 9 * BLOCK_KEYS }, (_, i) => 100 + i),
  );
  rmSync(folder, { recursive: true });
});

test("a full disk costs memory and no key", () => {
  const file = new MemoryBlocks();
  const queue = rangeQueue(4, file);
  const keys = 20 * BLOCK_KEYS;
  queue.insertMany(batchOf(new Array(keys).fill(7), 0));
  file.isFull = true;
  queue.insertMany(batchOf(new Array(keys).fill(7), keys));
  assert.ok(queue.residentBlocks > 20);
  file.isFull = false;
  queue.insertMany(batchOf(new Array(keys).fill(7), 2 * keys));
  const got = queue.extractTop(4 * keys);
  assert.deepEqual(
    [...got.ids.subarray(0, got.length)],
    Array.from({ length: 3 * keys }, (_, i) => i),
  );
});
