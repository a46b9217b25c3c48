import assert from "node:assert/strict";
import { test } from "node:test";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import type { PriorityQueue } from "../../../src/frontier/queue/priority-queue.ts";
import { BlockCache } from "../../../src/lab/queues/block-cache.ts";
import { externalQuickheap, externalTournament } from "../../../src/lab/queues/external-queues.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";
import { queueContract } from "./priority-queue.contract.ts";

queueContract(
  "Quickheap behind the paper's cache",
  () => externalQuickheap(4200, 8, 20, "paper").queue,
);
queueContract("Quickheap behind an LRU cache", () => externalQuickheap(4200, 8, 20, "lru").queue);
queueContract("tournament behind an LRU cache", () => externalTournament(16, 8, 20).queue);

test("a cache counts what really has to be moved", () => {
  const cache = new BlockCache(100, 10, 2);
  cache.touch(0, 20, "write"); // blocks 0 and 1: new, nothing to read
  assert.deepEqual([cache.reads, cache.writes], [0, 0]);
  cache.touch(20, 21, "read"); // block 2 pushes block 0 out, which is dirty
  assert.deepEqual([cache.reads, cache.writes], [0, 1]);
  cache.touch(5, 6, "read"); // block 0 comes back, block 1 goes
  assert.deepEqual([cache.reads, cache.writes], [1, 2]);
  cache.touch(25, 26, "read"); // still there
  cache.touch(30, 31, "read"); // block 0 goes, clean: no write
  assert.deepEqual([cache.reads, cache.writes], [1, 2]);
  cache.touch(10, 20, "fresh"); // block 1 is on disk but is overwritten: no read
  assert.deepEqual([cache.reads, cache.writes], [1, 2]);
});

test("forgotten keys are neither written nor read again", () => {
  const cache = new BlockCache(100, 10, 2);
  cache.touch(0, 20, "write");
  cache.forget(0, 15); // block 0 is gone, block 1 still has keys
  cache.touch(20, 40, "write"); // room for one, then block 1 is written
  assert.deepEqual([cache.reads, cache.writes], [0, 1]);
  cache.touch(0, 5, "read"); // nothing of block 0 is on disk
  assert.equal(cache.reads, 0);
  cache.touch(110, 120, "read"); // position 110 is block 1 again
  assert.equal(cache.reads, 1);
  cache.forget(10, 20);
  cache.touch(10, 20, "read"); // its copy on disk is worth nothing any more
  assert.equal(cache.reads, 1);
});

/** Block transfers per 1000 pairs in a queue that keeps its size. */
function transfersPerThousand({ queue, cache }: { queue: PriorityQueue; cache: BlockCache }) {
  const random = new Random(9);
  const batch = new Keys();
  const insert = (count: number) => {
    batch.clear();
    for (let i = 0; i < count; i++) batch.push(random.below(2 ** 31), i);
    queue.insertMany(batch);
  };
  for (let i = 0; i < 40; i++) insert(1000);
  const before = cache.transfers;
  for (let i = 0; i < 80; i++) {
    queue.extractTop(1000);
    insert(1000);
  }
  return (cache.transfers - before) / 80;
}

test("less memory costs more transfers, all of it none; the paper's pinning beats LRU, the tournament loses", () => {
  const blocks = 41_000 / 100;
  const paper = (share: number) =>
    transfersPerThousand(externalQuickheap(42_000, 100, Math.ceil(blocks * share), "paper"));
  const lru = (share: number) =>
    transfersPerThousand(externalQuickheap(42_000, 100, Math.ceil(blocks * share), "lru"));
  const tournament = (share: number) =>
    transfersPerThousand(externalTournament(1000, 100, Math.ceil(blocks * share)));
  assert.equal(paper(1.1), 0);
  assert.equal(tournament(1.3), 0);
  assert.ok(paper(0.1) > paper(0.3));
  assert.ok(paper(0.1) < lru(0.1), `${paper(0.1)} against ${lru(0.1)}`);
  assert.ok(lru(0.1) < tournament(0.1), `${lru(0.1)} against ${tournament(0.1)}`);
});
