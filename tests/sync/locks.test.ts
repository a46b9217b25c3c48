import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { CapacityError } from "../../src/errors.ts";
import { EventCount } from "../../src/sync/event-count.ts";
import { Monitor } from "../../src/sync/monitor.ts";
import { Mutex } from "../../src/sync/mutex.ts";
import { OwnedPermits } from "../../src/sync/owned-permits.ts";
import { Semaphore } from "../../src/sync/semaphore.ts";
import { StripedLocks } from "../../src/sync/striped.ts";
import type { LockOrders } from "./lock-worker.ts";

const words = (count: number): Int32Array => new Int32Array(new SharedArrayBuffer(count * 4));

test("real threads lose no update, no permit and no item, and none is left behind", async () => {
  const threads = 4;
  const rounds = 2000;
  const shared = words(64);
  const plain = words(8);
  Semaphore.initialise(shared, 1, 1);
  const ended = Array.from({ length: threads }, (_, thread) => {
    const orders: LockOrders = { thread, threads, rounds, words: shared, plain };
    const worker = new Worker(new URL("./lock-worker.js", import.meta.url), { workerData: orders });
    return new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", () => resolve());
    });
  });
  await Promise.all(ended);
  assert.deepEqual(
    [...plain.slice(0, 4)],
    [threads * rounds, threads * rounds, 0, (threads / 2) * rounds],
  );
  assert.equal(new Mutex(shared, 0, 9).holder(), 0);
  assert.equal(new Semaphore(shared, 1).available(), 1);
});

test("a mutex names its owner, times out, and comes back from the dead", () => {
  const shared = words(1);
  const dead = new Mutex(shared, 0, 7);
  const alive = new Mutex(shared, 0, 8);
  assert.ok(dead.lock());
  assert.equal(alive.holder(), 7);
  assert.equal(alive.tryLock(), false);
  assert.equal(alive.lock(1), false);
  assert.equal(Mutex.reclaim(shared, 0, 8), false);
  assert.equal(Mutex.reclaim(shared, 0, 7), true);
  assert.ok(alive.tryLock());
});

test("a semaphore takes all or nothing, and closing ends the wait", () => {
  const shared = words(Semaphore.WORDS);
  const semaphore = new Semaphore(shared, 0);
  Semaphore.initialise(shared, 0, 2);
  assert.equal(semaphore.tryAcquire(3), false);
  assert.equal(semaphore.acquire(3, 1), "timed-out");
  assert.equal(semaphore.available(), 2);
  assert.equal(semaphore.acquire(2), "acquired");
  semaphore.release(1);
  semaphore.close();
  assert.equal(semaphore.acquire(1), "acquired");
  assert.equal(semaphore.acquire(1), "closed");
  assert.deepEqual([...shared], [0x80000000 | 0, 0, 0]);
});

test("a semaphore's permits name their holder, over many changes, and return when it dies", () => {
  const shared = words(Semaphore.words(2));
  const dead = new Semaphore(shared, 0, 1);
  const alive = new Semaphore(shared, 0, 2);
  Semaphore.initialise(shared, 0, 5);
  // More changes than there are numbers.
  for (let round = 0; round < 700; round++) {
    assert.ok(dead.tryAcquire(2));
    if (round % 3 === 0) {
      assert.ok(alive.tryAcquire(3));
      assert.deepEqual([dead.held(), alive.held(), alive.available()], [2, 3, 0]);
      alive.release(3);
    }
    dead.release(2);
  }
  assert.ok(dead.tryAcquire(2));
  assert.ok(alive.tryAcquire(1));
  assert.equal(Semaphore.reclaim(shared, 0, 1), 2);
  assert.equal(Semaphore.reclaim(shared, 0, 1), 0);
  assert.deepEqual([dead.held(), alive.held(), alive.available()], [0, 1, 4]);
  assert.throws(() => Semaphore.initialise(shared, 0, 20_000), CapacityError);
  assert.throws(() => alive.release(16_383), CapacityError);
});

test("a monitor's wait comes back with the lock, also after the time-out", () => {
  const shared = words(Monitor.words(1));
  const monitor = new Monitor(shared, 0, 3);
  monitor.enter();
  assert.equal(monitor.wait(0, 1), false);
  assert.equal(monitor.tryEnter(), false);
  monitor.leave();
  assert.ok(monitor.tryEnter());
  assert.equal(Monitor.reclaim(shared, 0, 1, 3), true);
});

test("an event that happened after the reading does not let the reader sleep", () => {
  const events = new EventCount(words(EventCount.WORDS), 0);
  const seen = events.read();
  events.advance();
  assert.ok(events.hasAdvanced(seen));
  assert.equal(events.wait(seen), true);
  assert.equal(events.wait(events.read(), 1), false);
});

test("permits name their holders and return when a holder dies", () => {
  const shared = words(OwnedPermits.words(2));
  const mine = new OwnedPermits(shared, 0, 2, 1);
  const other = new OwnedPermits(shared, 0, 2, 2);
  assert.deepEqual([mine.tryAcquire(), other.acquire(), mine.acquire(1)], [0, 1, -1]);
  assert.equal(mine.holder(1), 2);
  assert.equal(OwnedPermits.reclaim(shared, 0, 2, 2), 1);
  assert.equal(mine.acquire(), 1);
});

test("stripes are a power of two, and a dead thread's come back", () => {
  assert.throws(() => new StripedLocks(words(3), 0, 3, 1), CapacityError);
  const shared = words(StripedLocks.words(4));
  const locks = new StripedLocks(shared, 0, 4, 5);
  locks.lock(6);
  locks.lock(1);
  assert.equal(locks.tryLock(2), false);
  assert.equal(StripedLocks.reclaim(shared, 0, 4, 5), 2);
  locks.lockAll();
  locks.unlockAll();
  assert.deepEqual([...shared], [0, 0, 0, 0]);
});
