import assert from "node:assert/strict";
import { test } from "node:test";
import { ShardCash } from "../../../src/frontier/cash/shard-cash.ts";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { Mailbox } from "../../../src/frontier/exchange/mailbox.ts";
import { OUTCOME } from "../../../src/frontier/finish.ts";
import { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import type { Lease } from "../../../src/frontier/host.ts";
import { OpicQueue } from "../../../src/frontier/opic/opic-queue.ts";
import { ThreadOrder } from "../../../src/frontier/opic/thread-order.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { Shard } from "../../../src/frontier/shard/shard.ts";
import { ShardedFrontier } from "../../../src/frontier/sharded-frontier.ts";
import { DOORBELL_WORDS, Doorbell } from "../../../src/sync/doorbell.ts";
import { Pending } from "../../../src/sync/pending.ts";
import { Ring, ringBytes } from "../../../src/sync/ring.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const DELAY_MS = 1000;

/** A frontier of one thread and one shard that orders by cash; what it journals is durable at once. */
function frontier(): ShardedFrontier {
  const noFile = () => assert.fail("so few URLs need no file");
  const order = new ThreadOrder();
  const cash = new ShardCash(5, 6);
  const queue = new OpicQueue(cash, new QueueLog(noFile, 2 ** 22), noFile, order);
  const seeds = { delayMs: DELAY_MS, seedLow: 5, seedHigh: 6 };
  const rules = { ...seeds, perHost: 1, order: "opic", startMs: 0 } as const;
  const shard = new Shard(0, rules, new ShardState(5, 6, undefined, cash), queue);
  const ring = new Ring(new SharedArrayBuffer(ringBytes(4, 512)), 4, 512, 1);
  const bell = new Doorbell(new Int32Array(new SharedArrayBuffer(4 * DOORBELL_WORDS)), 0);
  const wantsSpace = new Int32Array(new SharedArrayBuffer(4));
  const exchange = new Mailbox(0, { inboxes: [ring], bells: [bell], wantsSpace });
  const pending = new Pending(new Int32Array(new SharedArrayBuffer(4)), 0);
  const lender = {
    spare: () => 0,
    returned() {},
    brought() {},
    committed() {},
    commitsOf: () => 0,
    queued: () => [],
  };
  const port = {
    write: (_shard: number, _events: Uint8Array, onDurable: () => void) => onDurable(),
    place: () => assert.fail("nothing is lent"),
    mark: () => assert.fail("there is a journal"),
  };
  const around = { thread: 0, threads: 1, shards: 1, epoch: 1, onLast() {} };
  const opened = new ShardedFrontier({
    ...{ ...around, ...seeds, owned: [shard], pending, exchange, port, lender, order },
  });
  return opened;
}

function links(lease: Lease, urls: readonly string[]): Discovery[] {
  const { url: parent } = lease;
  const shape = { parent, depth: 1, via: "link", seed: false, chain: [] } as const;
  return urls.map((url) => ({ ...shape, url: url as CrawlUrl }));
}

test("a host whose pages are worth more does not keep the others waiting", () => {
  const opened = frontier();
  opened.start(["http://a.test/" as CrawlUrl, "http://c.test/x" as CrawlUrl]);
  const end = (lease: Lease, found: Discovery[], all: number) => {
    opened.requestEnded(lease, 0);
    opened.finish(lease, found, {
      outcome: OUTCOME.page,
      links: all,
      record: undefined,
      onCommitted() {},
    });
    opened.flush();
  };
  const first = opened.takeMany(2, 0);
  const rich = Array.from({ length: 200 }, (_, i) => `http://a.test/${i}`);
  for (const lease of first) {
    const isRich = lease.host.name === "a.test";
    // The page on b gets far less than each of those on a.
    if (isRich) end(lease, links(lease, rich), rich.length);
    else end(lease, links(lease, ["http://b.test/poor"]), 1_000_000);
  }
  let atMs = -1;
  for (let nowMs = DELAY_MS; nowMs < 20 * DELAY_MS && atMs < 0; nowMs += 50) {
    for (const lease of opened.takeMany(8, nowMs)) {
      if (lease.host.name === "b.test") atMs = nowMs;
      opened.requestEnded(lease, nowMs);
    }
  }
  // One page of a.test goes every second; b.test must not wait for all 200 of them.
  assert.ok(atMs > 0 && atMs < 8 * DELAY_MS, `b.test was asked at ${atMs} ms`);
});
