import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { CapacityError } from "../../src/errors.ts";
import { LockTable } from "../../src/sync/lock-table.ts";
import type { LockTableOrders } from "./lock-table-worker.ts";

const words = (count: number): Int32Array => new Int32Array(new SharedArrayBuffer(count * 4));

test("readers share, a writer is alone, and an entry nobody uses is empty", () => {
  const shared = words(LockTable.words(4));
  const [a, b, c] = [1, 2, 31].map((owner) => new LockTable(shared, 0, 4, owner)) as [
    LockTable,
    LockTable,
    LockTable,
  ];
  assert.ok(a.tryRead(5) && b.tryRead(5));
  assert.equal(c.tryWrite(5), false);
  assert.deepEqual([a.holders(5), a.used()], [2, 1]);
  a.release(5);
  assert.equal(c.tryWrite(5), false);
  b.release(5);
  assert.ok(c.tryWrite(5));
  assert.deepEqual([a.tryRead(5), a.tryWrite(5), a.holders(5)], [false, false, 1]);
  // Another path, another lock; 9 and 5 are the same entry of four.
  assert.deepEqual([a.tryWrite(6), b.tryWrite(9)], [true, false]);
  a.release(6);
  c.release(5);
  assert.equal(a.used(), 0);
  assert.ok(shared.every((word) => word === 0));
});

test("a dead thread's locks come back, those of others stay", () => {
  const shared = words(LockTable.words(8));
  const dead = new LockTable(shared, 0, 8, 3);
  const alive = new LockTable(shared, 0, 8, 4);
  assert.ok(dead.tryWrite(1) && dead.tryRead(2) && alive.tryRead(2) && alive.tryWrite(3));
  assert.equal(LockTable.reclaim(shared, 0, 8, 3), 2);
  assert.ok(alive.tryWrite(1));
  assert.deepEqual([alive.holders(2), alive.holders(3), alive.used()], [1, 1, 3]);
});

test("a table refuses what it cannot hold", () => {
  const shared = words(16);
  for (const [entries, owner] of [
    [3, 1],
    [0, 1],
    [4, 0],
    [4, 32],
  ] as const)
    assert.throws(() => new LockTable(shared, 0, entries, owner), CapacityError);
});

test("real threads: no update is lost, no reader sees half of one, and the table ends empty", async () => {
  const [threads, rounds, entries] = [4, 3000, 2];
  const shared = words(LockTable.words(entries));
  const plain = words(2 * entries + threads + 1);
  const ended = Array.from({ length: threads }, (_, i) => {
    const workerData: LockTableOrders = { owner: i + 1, rounds, entries, words: shared, plain };
    const worker = new Worker(new URL("./lock-table-worker.js", import.meta.url), { workerData });
    return new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", () => resolve());
    });
  });
  await Promise.all(ended);
  assert.equal(plain[0]! + plain[2]!, threads * (rounds / 3));
  assert.deepEqual([plain[1]! + plain[3]!, plain[4]], [threads * (rounds / 3), 0]);
  assert.ok(plain.slice(2 * entries).every((torn) => torn === 0));
  assert.ok(shared.every((word) => word === 0));
});
