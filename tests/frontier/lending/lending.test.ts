import assert from "node:assert/strict";
import { test } from "node:test";
import { spareLeases } from "../../../src/crawl/crawler/crawler-rules.ts";
import {
  lendingMessages,
  type ShardMessage,
} from "../../../src/frontier/exchange/shard-message.ts";
import { Host, type Lease } from "../../../src/frontier/host.ts";
import {
  done,
  ended,
  MAX_LENT_BYTES,
  writeLent,
} from "../../../src/frontier/lending/lease-message.ts";
import type { LentSoFar } from "../../../src/frontier/lending/lender.ts";
import { Lending } from "../../../src/frontier/lending/lending.ts";
import type { Shard } from "../../../src/frontier/shard/shard.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const BORROWER = 1;
const RUN = 5;

/** A thread with `free` leases to lend; what it is asked for and what it posts are kept. */
function owner() {
  const state = {
    free: 0,
    lent: [] as LentSoFar[],
    posted: [] as ShardMessage[],
    ended: 0,
    back: 0,
  };
  let number = 0;
  const lease = (): Lease => ({
    ...{ url: `http://h/${number}` as CrawlUrl, low: ++number, high: 0, shard: 0, attempt: 0 },
    ...{ depth: 0, via: "link", seed: false, chain: [], parent: undefined, cash: undefined },
    host: new Host("h", 1, 0),
  });
  const shard = {
    requestEnded: () => state.ended++,
    giveBack: () => state.back++,
    rest: () => state.back++,
  };
  const lending = new Lending({
    ...{ thread: 0, threads: 2, epoch: RUN, seedLow: 1, seedHigh: 2, delayMs: 0, maxBytes: 65536 },
    port: { write() {}, place() {}, mark() {} },
    post: (mail) => state.posted.push(mail),
    shardOf: () => shard as unknown as Shard,
    takeSpare(limit, lent) {
      state.lent.push(lent);
      const taken = Math.min(limit, state.free);
      state.free -= taken;
      return Array.from({ length: taken }, lease);
    },
    finish() {},
    returned() {},
    commitsOf: () => 0,
    busiest: () => -1,
  });
  const ask = (places: number, run = RUN) =>
    lending.handle(lendingMessages("ask", BORROWER, 0, run, places));
  return { state, lending, ask, leaseOf: (low: number) => ({ ...lease(), low }) };
}

test("what is not there when it is asked for comes as soon as it is, and no more than that", () => {
  const { state, lending, ask } = owner();
  state.free = 1;
  ask(4);
  assert.deepEqual(
    state.posted.map(({ bytes }) => bytes.length > 0),
    [true, false],
    "one lease, and word that there are no more now",
  );
  lending.lendMore();
  state.free = 9;
  lending.lendMore();
  assert.deepEqual([state.free, lending.away], [6, 4]);
  lending.lendMore();
  assert.equal(state.free, 6);
});

test("a lease counts as lent until its request is over, however long its commit takes", () => {
  const { state, lending, ask, leaseOf } = owner();
  state.free = 2;
  ask(2);
  lending.handle({ ...lendingMessages("ended", BORROWER, 0, RUN, 0, ended(leaseOf(1), 7)) });
  // Twice the same news is no news.
  lending.handle({ ...lendingMessages("ended", BORROWER, 0, RUN, 0, ended(leaseOf(1), 7)) });
  ask(1);
  lending.handle(lendingMessages("done", BORROWER, 0, RUN, 1, done(leaseOf(1), undefined, 0)));
  ask(1);
  assert.deepEqual(state.lent, [
    { toAsker: 0, toAll: 0 },
    { toAsker: 1, toAll: 1 },
    { toAsker: 1, toAll: 1 },
  ]);
});

test("a borrower is told what the host has asked of its owner", () => {
  const { lending, leaseOf } = owner();
  const lease = leaseOf(1);
  lease.host.delayMs = 7;
  lease.host.heldMs = 400;
  const room = Buffer.alloc(MAX_LENT_BYTES);
  const bytes = room.subarray(0, writeLent(room, 0, lease));
  lending.handle(lendingMessages("lend", BORROWER, 0, RUN, 9, bytes));
  const { url, host } = lending.take()!;
  assert.deepEqual([url, host.delayMs, host.heldMs], [lease.url, 7, 400]);
});

test("nothing goes to a thread that is gone", () => {
  const { state, lending, ask } = owner();
  state.free = 1;
  ask(4);
  lending.forget(BORROWER, RUN + 1, 0);
  assert.deepEqual([state.back, lending.away], [1, 0]);
  state.free = 9;
  lending.lendMore();
  assert.equal(state.free, 9);
  // It had asked before it died, and that comes late.
  ask(1);
  assert.deepEqual([state.free, lending.away], [9, 0]);
  ask(1, RUN + 1);
  assert.deepEqual([state.free, lending.away], [8, 1]);
  assert.deepEqual(state.lent.at(-1), { toAsker: 0, toAll: 0 });
});

test("the connections of a big site are shared out evenly; with one per host only a busy thread lends", () => {
  const big = { perHost: 64, linksPerThread: 64, threads: 4 };
  const none = { toAsker: 0, toAll: 0 };
  assert.equal(spareLeases(big, 64, none), 16);
  assert.equal(spareLeases(big, 40, { toAsker: 10, toAll: 24 }), 6);
  assert.equal(spareLeases(big, 16, { toAsker: 16, toAll: 48 }), 0);
  assert.equal(spareLeases({ ...big, perHost: 2 }, 2, none), 1);
  assert.equal(spareLeases({ ...big, perHost: 2 }, 1, none), 0, "the only one stays");
  const single = { ...big, perHost: 1 };
  assert.equal(spareLeases(single, 31, none), 0);
  assert.equal(spareLeases(single, 64, { toAsker: 4, toAll: 4 }), 13);
});
