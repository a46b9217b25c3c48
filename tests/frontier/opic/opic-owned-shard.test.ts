import assert from "node:assert/strict";
import { test } from "node:test";
import { UNIT } from "../../../src/frontier/cash/cash-book.ts";
import { CASH_COUNTERS, ShardCash } from "../../../src/frontier/cash/shard-cash.ts";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { OUTCOME } from "../../../src/frontier/finish.ts";
import { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import type { Lease } from "../../../src/frontier/host.ts";
import { OpicOwnedShard } from "../../../src/frontier/opic/opic-owned-shard.ts";
import { OpicQueue } from "../../../src/frontier/opic/opic-queue.ts";
import { ThreadOrder } from "../../../src/frontier/opic/thread-order.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { linkFingerprint } from "../../../src/frontier/seen/admission-key.ts";
import { Shard } from "../../../src/frontier/shard/shard.ts";
import { ShardNumbers } from "../../../src/frontier/shard-numbers.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const MAX_BLOCK_BYTES = 4096;

/** One shard that is alone in its crawl, at work. */
function shardAtWork() {
  const noFile = () => assert.fail("so few URLs need no file");
  const late: string[] = [];
  const order = new ThreadOrder({ onLate: (origin) => late.push(origin) });
  const cash = new ShardCash();
  const queue = new OpicQueue(cash, new QueueLog(noFile, 2 ** 22), noFile, order);
  const seeds = { delayMs: 0, seedLow: 5, seedHigh: 6 };
  const rules = { ...seeds, perHost: 64, order: "opic", startMs: 0 } as const;
  const shard = new Shard(0, rules, new ShardState(5, 6, undefined, cash), queue);
  const own = { shard, epoch: 1, maxBlockBytes: MAX_BLOCK_BYTES, post() {} };
  const owned = new OpicOwnedShard(own, queue.order, order);
  const numbers = new ShardNumbers(1);
  const found = (url: string, via: Discovery["via"]): Discovery => {
    const link = url as CrawlUrl;
    return { url: link, parent: undefined, depth: 1, via, seed: via === "seed", chain: [] };
  };
  const pageOf = (url: string) => {
    linkFingerprint(url as CrawlUrl, rules);
    return cash.pages.find(lastFingerprint.low, lastFingerprint.high);
  };
  return {
    ...{ book: cash.book, late, state: shard.state },
    seed: (url: string) => owned.admitAll([found(url, "seed")]),
    take(): Lease {
      order.compare();
      order.refill(1);
      return shard.take(0)!;
    },
    /** A visit with so many links is over; these of them are followed. */
    finish(lease: Lease, links: number, urls: readonly string[], via: Discovery["via"] = "link") {
      const all = urls.map((url) => found(url, via));
      const how = {
        kind: "finish",
        found: all,
        outcome: OUTCOME.page,
        links,
        record: undefined,
        onCommitted() {},
      } as const;
      owned.finish(lease, all, how, numbers);
      cash.book.settle();
    },
    cash: (url: string) => cash.book.cash(pageOf(url)),
    history: (url: string) => cash.book.history(pageOf(url)),
  };
}

test("a page deals out its cash; what refused links would get is the virtual page's", () => {
  const { book, seed, take, finish, cash } = shardAtWork();
  seed("http://a.test/x");
  finish(take(), 4, ["http://a.test/1", "http://a.test/2"]);
  assert.deepEqual(
    [cash("http://a.test/1"), cash("http://a.test/2"), book.virtual],
    [UNIT / 4, UNIT / 4, UNIT / 2],
  );
});

test("a page without links and one that failed leave all to the virtual page, which pays it back", () => {
  const { book, seed, take, finish, cash } = shardAtWork();
  for (const path of ["x", "y"]) seed(`http://a.test/${path}`);
  finish(take(), 0, []);
  assert.equal(book.virtual, UNIT);
  // Only one page waits: all that the virtual page has is its part.
  finish(take(), 1, ["http://a.test/1"]);
  assert.deepEqual([cash("http://a.test/1"), book.virtual], [2 * UNIT, 0]);
});

test("a redirect passes all on", () => {
  const { book, seed, take, finish, cash } = shardAtWork();
  seed("http://a.test/x");
  finish(take(), 1, ["http://a.test/moved"], "redirect");
  assert.deepEqual([cash("http://a.test/moved"), book.virtual], [UNIT, 0]);
});

test("the first home page of another site mints one unit, booked; no other page and no second home page does", () => {
  const { book, state, seed, take, finish, cash } = shardAtWork();
  seed("http://a.test/x");
  const urls = ["http://b.test/", "http://b.test/page", "http://www.b.test/", "http://a.test/"];
  finish(take(), 4, urls);
  // a.test minted with its seed, and both hosts of b.test are one site.
  assert.deepEqual(
    urls.map((url) => cash(url)),
    [UNIT / 4 + UNIT, UNIT / 4, UNIT / 4, UNIT / 4],
  );
  assert.equal(book.minted, 2 * UNIT);
  assert.equal(state.counters[CASH_COUNTERS.minted], 2 * UNIT);
});

test("cash for a page that was fetched before is late: its history, and the virtual page's", () => {
  const { book, late, seed, take, finish, cash, history } = shardAtWork();
  seed("http://a.test/x");
  finish(take(), 1, ["http://a.test/1"]);
  finish(take(), 1, ["http://a.test/x"]);
  assert.deepEqual(late, ["own"]);
  assert.deepEqual([book.late.own, book.late.foreign], [1, 0]);
  assert.deepEqual([cash("http://a.test/x"), history("http://a.test/x")], [0, 2 * UNIT]);
  assert.equal(book.virtual, UNIT);
});
