import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemory, gatesOf } from "../../src/crawl/shared-memory.ts";
import type { Discovery } from "../../src/frontier/discovery.ts";
import { ShardState } from "../../src/frontier/fold/shard-state.ts";
import { Gatekeeper } from "../../src/frontier/gatekeeper.ts";
import type { Lease } from "../../src/frontier/host.ts";
import { ChainQueue } from "../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../src/frontier/queue/queue-log.ts";
import { Shard } from "../../src/frontier/shard/shard.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { Random } from "../../src/web/seeded-random.ts";

const HOSTS = 100_000;
const PAGES = 3;
const SHARDS = 16;
const SEED = 7;
const DELAY_MS = 400;
const LATENCY_MS = 20;
const noFile = () => {
  throw new Error("this fits in memory");
};

function newShards(): Shard[] {
  const log = new QueueLog(noFile, 2 ** 26);
  return Array.from({ length: SHARDS }, (_, number) => {
    const seeds = { seedLow: 5, seedHigh: 6 };
    const rules = { ...seeds, delayMs: DELAY_MS, perHost: 1, order: "bfs", startMs: 0 } as const;
    const shard = new Shard(number, rules, new ShardState(5, 6), new ChainQueue(log, false));
    const links: Discovery[] = [];
    for (let host = number; host < HOSTS; host += SHARDS) {
      for (let page = 0; page < PAGES; page++) {
        const url = `http://h${host}.test/${page}` as CrawlUrl;
        links.push({ url, parent: undefined, depth: 0, via: "link", seed: false, chain: [] });
      }
    }
    shard.fingerprintAll(links, (one, low, high) => {
      shard.admit(one, one.url.slice(7, one.url.indexOf("/", 7)), low, high);
    });
    return shard;
  });
}

test("a hundred thousand hosts under a virtual clock: nearly all that is polite, and nobody too early", () => {
  const shards = newShards();
  const memory = createMemory({ threads: 1, builders: 1 });
  const gates = new Gatekeeper({
    ...gatesOf(memory, 0),
    delayMs: DELAY_MS,
    perHost: 1,
    spaceHosts: false,
  });
  const random = new Random(SEED);
  const endedMs = new Float64Array(HOSTS).fill(Number.NEGATIVE_INFINITY);
  const ends = new Map<number, Lease[]>();
  let requests = 0;
  let tooEarly = 0;
  let nowMs = 0;
  // The last request of a host that never waits for another one begins within the window.
  const windowMs = PAGES * (DELAY_MS + LATENCY_MS);
  for (; nowMs < windowMs; nowMs++) {
    for (const lease of ends.get(nowMs) ?? []) {
      gates.leave(lease.host, nowMs);
      endedMs[hostOf(lease)] = nowMs;
      shards[lease.shard]!.requestEnded(lease, nowMs);
    }
    ends.delete(nowMs);
    for (const shard of shards) {
      for (let lease = shard.take(nowMs); lease !== undefined; lease = shard.take(nowMs)) {
        const { host } = lease;
        const untilMs = gates.enter(host, host.name, nowMs);
        if (untilMs === 0) gates.sent(host, host.name, gates.claimedMs, nowMs);
        if (untilMs > 0) {
          shard.giveBack(lease, untilMs);
          continue;
        }
        requests++;
        if (nowMs - endedMs[hostOf(lease)]! < DELAY_MS) tooEarly++;
        const endMs = nowMs + 1 + random.below(2 * LATENCY_MS - 1);
        const due = ends.get(endMs);
        if (due === undefined) ends.set(endMs, [lease]);
        else due.push(lease);
      }
    }
  }
  assert.equal(tooEarly, 0);
  const share = requests / ((HOSTS * windowMs) / (DELAY_MS + LATENCY_MS));
  assert.ok(share >= 0.93 && share <= 1, `${share} of what is polite (seed ${SEED})`);
});

function hostOf(lease: Lease): number {
  return Number(lease.host.name.slice(1, lease.host.name.indexOf(".")));
}
