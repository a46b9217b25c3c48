import assert from "node:assert/strict";
import { test } from "node:test";
import { type ShardMessage, shardMessage } from "../../../src/frontier/exchange/shard-message.ts";
import { Host, type Lease } from "../../../src/frontier/host.ts";
import {
  MAX_LENT_BYTES,
  writeDone,
  writeEnded,
  writeLent,
} from "../../../src/frontier/lending/lease-message.ts";
import { Lending, leasesToLend } from "../../../src/frontier/lending/lending.ts";
import { ThreadBoard, threadBoardBytes } from "../../../src/frontier/lending/thread-board.ts";
import type { Shard } from "../../../src/frontier/shard/shard.ts";
import { CommitCounts, commitCountBytes } from "../../../src/sync/commit-counts.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { SlowPort } from "../frontier-team.ts";

const BORROWER = 1;
const RUN = 5;
const THREADS = 8;
const RULES = { perHost: 64, linksPerThread: 64, minQueued: 1 };
/** With so many in flight a thread that has n leases of this one may get 11 - n more. */
const FILLED = 81;

/** A thread with `free` leases to lend; what it is asked for and what it posts are kept. */
function owner() {
  const state = {
    free: 0,
    asked: [] as number[],
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
    ...{ thread: 0, threads: THREADS, epoch: RUN, seedLow: 1, seedHigh: 2, delayMs: 0 },
    maxBytes: 65536,
    rules: RULES,
    board: new ThreadBoard(new SharedArrayBuffer(threadBoardBytes(THREADS))),
    commits: new CommitCounts(new SharedArrayBuffer(commitCountBytes(THREADS)), THREADS, 0),
    bells: [],
    port: new SlowPort(),
    post: (message) => state.posted.push(message),
    shardOf: () => shard as unknown as Shard,
    takeFor(limit) {
      state.asked.push(limit);
      const taken = Math.min(limit, state.free);
      state.free -= taken;
      return Array.from({ length: taken }, lease);
    },
    finish() {},
    returned() {},
  });
  lending.filled = FILLED;
  const ask = (places: number, run = RUN) =>
    lending.handle(shardMessage("ask", BORROWER, 0, run, places));
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
  ask(99);
  ask(99);
  lending.handle({ ...shardMessage("ended", BORROWER, 0, RUN, 0, writeEnded(leaseOf(1), 7)) });
  // The same message twice changes nothing.
  lending.handle({ ...shardMessage("ended", BORROWER, 0, RUN, 0, writeEnded(leaseOf(1), 7)) });
  ask(99);
  lending.handle(shardMessage("done", BORROWER, 0, RUN, 1, writeDone(leaseOf(1), undefined, 0)));
  ask(99);
  assert.deepEqual(state.asked, [11, 9, 10, 10]);
});

test("a borrower is told what the host has asked of its owner", () => {
  const { lending, leaseOf } = owner();
  const lease = leaseOf(1);
  lease.host.delayMs = 7;
  lease.host.heldMs = 400;
  const room = Buffer.alloc(MAX_LENT_BYTES);
  const bytes = room.subarray(0, writeLent(room, 0, lease));
  lending.handle(shardMessage("lend", BORROWER, 0, RUN, 9, bytes));
  const { url, host } = lending.takeBorrowed(1)[0]!;
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
  ask(99, RUN + 1);
  assert.equal(state.asked.at(-1), 10, "what the dead one had does not count");
});

test("the connections of a big site are shared out evenly; with one per host only a busy thread lends", () => {
  const big = { perHost: 64, linksPerThread: 64 };
  const none = { toAsker: 0, toAll: 0 };
  assert.equal(leasesToLend(big, 4, 64, none), 16);
  assert.equal(leasesToLend(big, 4, 40, { toAsker: 10, toAll: 24 }), 6);
  assert.equal(leasesToLend(big, 4, 16, { toAsker: 16, toAll: 48 }), 0);
  assert.equal(leasesToLend({ ...big, perHost: 2 }, 4, 2, none), 1);
  assert.equal(leasesToLend({ ...big, perHost: 2 }, 4, 1, none), 0, "the only one stays");
  const single = { ...big, perHost: 1 };
  assert.equal(leasesToLend(single, 4, 31, none), 0);
  assert.equal(leasesToLend(single, 4, 64, { toAsker: 4, toAll: 4 }), 13);
});
