import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "../../src/frontier/host.ts";
import type { ThreadOrder } from "../../src/frontier/opic/thread-order.ts";
import type { Shard } from "../../src/frontier/shard/shard.ts";
import { Taking } from "../../src/frontier/taking.ts";

/** A thread with own URLs, and with borrowed ones if `borrowed` says so; `better` is what the board answers. */
function taking(borrowed: string[], heldUntilMs: () => number) {
  const state = { better: -1, asked: [] as number[][], own: ["own 1", "own 2", "own 3"] };
  const lease = (url: string) => ({ url }) as unknown as Lease;
  const shard = {
    take: () => (state.own.length > 0 ? lease(state.own.shift()!) : undefined),
    nextReadyMs: () => 7,
  } as unknown as Shard;
  const order = {
    compare: () => state.better,
    refill() {},
    rouse: () => false,
  } as unknown as ThreadOrder;
  const lending = {
    take: () => (borrowed.length > 0 ? lease(borrowed.shift()!) : undefined),
    askFirst: (owner: number, places: number, nowMs: number) => {
      state.asked.push([owner, places, nowMs]);
      return heldUntilMs();
    },
  };
  const lender = { spare: (limit: number) => limit, returned() {} };
  return { state, taking: new Taking({ shards: [shard], order, lending, lender }) };
}

const urls = (leases: readonly Lease[]) => leases.map(({ url }) => url);

test("what was borrowed goes first: own URLs may be waiting for the page permits it holds", () => {
  const { taking: take } = taking(["lent 1", "lent 2"], () => 0);
  assert.deepEqual(urls(take.takeMany(1, 0)), ["lent 1"]);
  assert.deepEqual(urls(take.takeMany(4, 0)), ["lent 2"]);
  assert.deepEqual(urls(take.takeMany(2, 0)), ["own 1", "own 2"]);
});

test("own URLs wait while a thread with better pages is asked, and a timer is set for the end of that", () => {
  let untilMs = 120;
  const { taking: take, state } = taking([], () => untilMs);
  state.better = 3;
  assert.deepEqual(take.takeMany(2, 100), []);
  assert.deepEqual(state.asked, [[3, 16, 100]]);
  assert.equal(
    take.nextReadyMs(),
    120,
    "not the hosts' time: that has come, and the loop would spin",
  );
  untilMs = 0;
  assert.deepEqual(urls(take.takeMany(2, 110)), ["own 1", "own 2"]);
  assert.equal(take.nextReadyMs(), 7);
  state.better = -1;
  untilMs = 999;
  assert.deepEqual(urls(take.takeMany(2, 111)), ["own 3"]);
});

test("what is taken for another thread is the best of the own URLs, whatever others have", () => {
  const { taking: take, state } = taking(["lent"], () => 999);
  state.better = 1;
  assert.deepEqual(urls(take.takeSpare(2, { toAsker: 0, toAll: 0 })), ["own 1", "own 2"]);
});
