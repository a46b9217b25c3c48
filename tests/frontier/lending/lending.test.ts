import assert from "node:assert/strict";
import { test } from "node:test";
import { type ShardMessage, shardMessage } from "../../../src/frontier/exchange/shard-message.ts";
import { Host, type Lease } from "../../../src/frontier/host.ts";
import { leasesToLend } from "../../../src/frontier/lending/askers.ts";
import {
  MAX_LENT_BYTES,
  writeDone,
  writeEnded,
  writeLent,
} from "../../../src/frontier/lending/lease-message.ts";
import { Lending } from "../../../src/frontier/lending/lending.ts";
import { IDLENESS, WorkBoard, workBoardBytes } from "../../../src/frontier/lending/work-board.ts";
import type { Shard } from "../../../src/frontier/shard/shard.ts";
import { CommitCounts, commitCountBytes } from "../../../src/sync/commit-counts.ts";
import type { Doorbell } from "../../../src/sync/doorbell.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { SlowPort } from "../frontier-team.ts";

const BORROWER = 1;
const RUN = 5;
const THREADS = 8;
const RULES = { perHost: 64, linksPerThread: 64, minQueued: 1 };
/** With so many in flight a thread that has n leases of this one may get 11 - n more. */
const FILLED = 81;

/** A thread with `free` leases to lend; what it is asked for and what it posts are kept. */
function owner(rules = RULES) {
  const state = {
    free: 0,
    asked: [] as number[],
    posted: [] as ShardMessage[],
    ended: 0,
    back: 0,
    rung: [] as number[],
    stock: { queued: 99, hostsWaiting: 1, hostsParked: 0, isReady: true, awaitsRobots: false },
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
  const work = new WorkBoard(new SharedArrayBuffer(workBoardBytes(THREADS)), THREADS);
  const lending = new Lending({
    ...{ thread: 0, threads: THREADS, epoch: RUN, seedLow: 1, seedHigh: 2, delayMs: 0 },
    maxBytes: 65536,
    rules,
    work,
    stock: state.stock,
    commits: new CommitCounts(new SharedArrayBuffer(commitCountBytes(THREADS)), THREADS, 0),
    bells: Array.from({ length: THREADS }, (_, thread) => {
      return { ring: () => state.rung.push(thread) } as unknown as Doorbell;
    }),
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
  const share = () => lending.share(FILLED, 0);
  const ask = (places: number, run = RUN, kind: "ask" | "askFirst" = "ask") => {
    lending.handle(shardMessage(kind, BORROWER, 0, run, places));
    share();
  };
  return { state, lending, work, share, ask, leaseOf: (low: number) => ({ ...lease(), low }) };
}

test("what is not there when it is asked for comes as soon as it is, and no more than that", () => {
  const { state, lending, share, ask } = owner();
  state.free = 1;
  ask(4);
  assert.equal(state.posted.length, 1, "who waits is not told that there is no more");
  share();
  state.free = 9;
  share();
  assert.deepEqual([state.free, lending.away], [6, 4]);
  share();
  assert.equal(state.free, 6);
});

test("a thread that has work of its own is told when there is no more", () => {
  const { state, share, ask } = owner();
  state.free = 1;
  ask(4, RUN, "askFirst");
  share();
  assert.deepEqual(
    state.posted.map(({ bytes }) => bytes.length > 0),
    [true, false],
  );
});

test("who waits is let go when there will be nothing to lend", () => {
  const { state, share, ask } = owner();
  ask(4);
  assert.equal(state.posted.length, 0);
  state.stock.queued = 0;
  share();
  share();
  assert.deepEqual(
    state.posted.map(({ kind, bytes }) => [kind, bytes.length]),
    [["lend", 0]],
  );
  state.free = 9;
  state.stock.queued = 99;
  share();
  assert.equal(state.free, 9);
});

test("as many idle threads are called as there is work for, and none that waits already", () => {
  const { state, work, share, ask } = owner({ ...RULES, perHost: 3 });
  for (const thread of [1, 2, 3, 4, 5]) work.setIdle(thread, IDLENESS.free);
  share();
  assert.deepEqual(state.rung, [1, 2, 3]);
  assert.equal(work.mostSpare(7), 0);
  state.rung = [];
  ask(1);
  assert.deepEqual(state.rung, [4, 5], "one of the three has come");
  state.stock.hostsWaiting = 0;
  share();
  assert.equal(work.mostSpare(7), -1);
});

test("with one connection per host, the host that a visit goes on with is nobody else's", () => {
  const { state, work, share, ask } = owner({ ...RULES, perHost: 1 });
  work.setIdle(2, IDLENESS.free);
  state.free = 9;
  state.stock.hostsWaiting = 0;
  ask(4);
  assert.deepEqual([state.free, state.rung], [9, []]);
  assert.equal(state.posted.length, 1, "who asked is let go");
  state.stock.hostsWaiting = 2;
  ask(4);
  assert.equal(state.free, 7);
  share();
  assert.deepEqual(state.rung, [2]);
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
  const { state, lending, share, ask } = owner();
  state.free = 1;
  ask(4);
  lending.forget(BORROWER, RUN + 1, 0);
  assert.deepEqual([state.back, lending.away], [1, 0]);
  state.free = 9;
  share();
  assert.equal(state.free, 9);
  // It had asked before it died, and that comes late.
  ask(1);
  assert.deepEqual([state.free, lending.away], [9, 0]);
  ask(1, RUN + 1);
  assert.deepEqual([state.free, lending.away], [8, 1]);
  ask(99, RUN + 1);
  assert.equal(state.asked.at(-1), 10, "what the dead one had does not count");
});

test("the connections of a big site are shared out evenly; what a full thread cannot take goes to anybody", () => {
  const big = { perHost: 64 };
  const none = { toAsker: 0, toAll: 0 };
  assert.equal(leasesToLend(big, 4, 64, none, false), 16);
  assert.equal(leasesToLend(big, 4, 40, { toAsker: 10, toAll: 24 }, false), 6);
  assert.equal(leasesToLend(big, 4, 16, { toAsker: 16, toAll: 48 }, false), 0);
  assert.equal(leasesToLend({ perHost: 2 }, 4, 2, none, false), 1);
  assert.equal(leasesToLend({ perHost: 2 }, 4, 1, none, false), 0, "the only one stays");
  assert.equal(leasesToLend({ perHost: 2 }, 4, 1, none, true), 1, "it has no place for a second");
  assert.equal(leasesToLend({ perHost: 1 }, 4, 31, none, false), 0);
  assert.equal(leasesToLend({ perHost: 1 }, 4, 64, { toAsker: 4, toAll: 4 }, true), 13);
});
