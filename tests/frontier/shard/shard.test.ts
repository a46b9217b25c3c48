import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import type { Lease } from "../../../src/frontier/host.ts";
import { ChainQueue } from "../../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { Shard, type ShardRules } from "../../../src/frontier/shard/shard.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const RULES: ShardRules = {
  delayMs: 1000,
  perHost: 1,
  order: "bfs",
  seedLow: 1,
  seedHigh: 2,
  startMs: 0,
};

function newShard(rules: ShardRules): Shard {
  const noFile = () => {
    throw new Error("so few URLs need no file");
  };
  const state = new ShardState(rules.seedLow, rules.seedHigh);
  const log = new QueueLog(noFile, 2 ** 22);
  return new Shard(3, rules, state, new ChainQueue(log, rules.order === "dfs"));
}

function found(host: string, path: string): Discovery {
  const url = `http://${host}/${path}` as CrawlUrl;
  return { url, parent: undefined, depth: 0, via: "link", seed: false, chain: [] };
}

function admit(shard: Shard, link: Discovery, hostname: string): boolean {
  let isNew = false;
  shard.fingerprintAll([link], (one, low, high) => {
    isNew = shard.admit(one, hostname, low, high);
  });
  return isNew;
}

test("every URL comes once, in order, with its own fingerprint, also in more than one batch", () => {
  const shard = newShard(RULES);
  const all = Array.from({ length: 200 }, (_, i) => found("a", String(i % 150)));
  const fingerprints: string[] = [];
  const isNew: boolean[] = [];
  shard.fingerprintAll(all, (one, low, high, index) => {
    assert.equal(one, all[index]);
    fingerprints.push(`${low}:${high}`);
    isNew.push(shard.admit(one, "a", low, high));
  });
  assert.equal(fingerprints.length, 200);
  assert.equal(new Set(fingerprints).size, 150);
  assert.deepEqual(isNew, all.map((_, i) => i < 150)); // biome-ignore format: one thought
  assert.equal(shard.queued, 150);
});

test("of many URLs exactly the new ones are queued, each with its own fingerprint, also in more than one batch", () => {
  const [shard, other] = [newShard(RULES), newShard(RULES)];
  const some = Array.from({ length: 40 }, (_, i) => found("a", String(i)));
  const all = Array.from({ length: 300 }, (_, i) => found("a", String(i % 170)));
  const fingerprints = new Map<string, string>();
  other.fingerprintAll(all, ({ url }, low, high) => fingerprints.set(url, `${low}:${high}`));
  const queue = (one: Discovery, low: number, high: number) => {
    assert.equal(`${low}:${high}`, fingerprints.get(one.url));
    shard.enqueueNew(one, "a", low, high);
  };
  assert.equal(shard.admitAll(some, queue), 40);
  assert.equal(shard.admitAll(all, queue), 130);
  assert.deepEqual([shard.state.known, shard.queued, shard.state.waiting], [170, 170, 170]);
  assert.equal(shard.admitAll(all, queue), 0);
  const taken = new Set<string>();
  for (let ms = 0; shard.queued > 0; ms += 2000) {
    const lease = shard.take(ms)!;
    taken.add(lease.url);
    shard.requestEnded(lease, ms);
  }
  assert.deepEqual([...taken].sort(), [...fingerprints.keys()].sort());
});

test("a host is asked again only after its delay, counted from the end of the request", () => {
  const shard = newShard(RULES);
  admit(shard, found("a", "1"), "a");
  admit(shard, found("a", "2"), "a");
  const first = shard.take(0)!;
  assert.equal(shard.take(0), undefined, "one connection");
  shard.requestEnded(first, 400);
  assert.equal(shard.nextReadyMs(), 1400);
  assert.equal(shard.take(1399), undefined);
  assert.equal(shard.take(1400)?.url, "http://a/2");
});

test("above one connection the delay spaces the starts", () => {
  const shard = newShard({ ...RULES, perHost: 2 });
  for (const path of ["1", "2", "3"]) admit(shard, found("a", path), "a");
  const first = shard.take(0)!;
  assert.equal(shard.take(999), undefined);
  assert.ok(shard.take(1000));
  assert.equal(shard.take(9000), undefined, "two connections");
  shard.requestEnded(first, 9000);
  assert.ok(shard.take(9000));
});

test("a lease for which nothing was asked costs its host no delay, with one connection or more", () => {
  for (const perHost of [1, 2]) {
    const shard = newShard({ ...RULES, perHost });
    for (const path of ["1", "2", "3"]) admit(shard, found("a", path), "a");
    const asked = shard.take(5000)!;
    shard.requestEnded(asked, 5000);
    assert.equal(shard.nextReadyMs(), 6000);
    const refused = shard.take(6000)!;
    shard.requestEnded(refused, 5000);
    assert.equal(shard.nextReadyMs(), 6000, `${perHost} connections`);
    assert.ok(shard.take(6000));
  }
});

test("a lease given back comes first again, and not too early", () => {
  const shard = newShard(RULES);
  admit(shard, found("a", "1"), "a");
  admit(shard, found("a", "2"), "a");
  const lease = shard.take(0)!;
  shard.giveBack(lease, 5000);
  assert.equal(shard.take(4999), undefined);
  assert.equal(shard.take(5000), lease);
});

test("a resting URL waits alone: its host goes on meanwhile", () => {
  const shard = newShard({ ...RULES, delayMs: 0 });
  admit(shard, found("a", "1"), "a");
  admit(shard, found("a", "2"), "a");
  const lease = shard.take(0)!;
  shard.requestEnded(lease, 0);
  shard.rest(lease, 700);
  assert.equal(shard.queued, 2);
  const other = shard.take(0)!;
  assert.equal(other.url, "http://a/2");
  shard.requestEnded(other, 0);
  assert.equal(shard.take(699), undefined);
  assert.equal(shard.nextReadyMs(), 700);
  assert.equal(shard.take(700), lease);
});

test("breadth-first takes the oldest, depth-first the newest", () => {
  for (const [order, expected] of [
    ["bfs", "1"],
    ["dfs", "3"],
  ] as const) {
    const shard = newShard({ ...RULES, order });
    for (const path of ["1", "2", "3"]) admit(shard, found("a", path), "a");
    assert.equal(shard.take(0)?.url, `http://a/${expected}`);
  }
});

test("whatever happens, each admitted URL is leased once at a time and no host is asked too soon", () => {
  const step = fc.record({
    kind: fc.constantFrom("admit", "take", "end", "giveBack", "rest", "wait"),
    host: fc.constantFrom("a", "b", "c"),
    number: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), fc.integer({ min: 1, max: 3 }), (steps, n) => {
      const shard = newShard({ ...RULES, delayMs: 100, perHost: n });
      const leases: Lease[] = [];
      const admitted = new Set<string>();
      const done = new Set<string>();
      const lastEnd = new Map<string, number>();
      let now = 0;
      for (const { kind, host, number } of steps) {
        const lease = leases[number % Math.max(1, leases.length)];
        if (kind === "wait") now += number * 10;
        else if (kind === "admit") {
          const link = found(host, String(number));
          assert.equal(admit(shard, link, host), !admitted.has(link.url));
          admitted.add(link.url);
        } else if (kind === "take") {
          const taken = shard.take(now);
          if (taken === undefined) continue;
          assert.ok(!leases.includes(taken) && !done.has(taken.url));
          if (n === 1) {
            const end = lastEnd.get(taken.host.name) ?? Number.NEGATIVE_INFINITY;
            assert.ok(now - end >= 100, "too soon");
          }
          leases.push(taken);
          assert.ok(leases.filter((l) => l.host === taken.host).length <= n);
        } else if (lease !== undefined) {
          leases.splice(leases.indexOf(lease), 1);
          if (kind === "giveBack") shard.giveBack(lease, now + 100);
          else shard.requestEnded(lease, now);
          lastEnd.set(lease.host.name, now);
          if (kind === "rest") shard.rest(lease, now + 50);
          else if (kind === "end") done.add(lease.url);
        }
        assert.equal(shard.state.waiting, admitted.size);
        assert.equal(shard.queued, admitted.size - done.size - leases.length);
        assert.equal(shard.state.known, admitted.size);
      }
    }),
  );
});

test("giving up takes everything that waits", () => {
  const shard = newShard(RULES);
  for (const path of ["1", "2"]) admit(shard, found("a", path), "a");
  admit(shard, found("b", "1"), "b");
  const lease = shard.take(0)!;
  shard.requestEnded(lease, 0);
  shard.rest(lease, 9999);
  assert.deepEqual(
    shard
      .drain()
      .map(({ url }) => url)
      .sort(),
    ["http://a/1", "http://a/2", "http://b/1"],
  );
  assert.equal(shard.queued, 0);
  assert.equal(shard.nextReadyMs(), Number.POSITIVE_INFINITY);
});

test("a run that follows another asks no host before one delay is over", () => {
  const shard = newShard({ ...RULES, startMs: 5000 });
  admit(shard, found("a", "1"), "a");
  assert.equal(shard.take(4999), undefined);
  assert.ok(shard.take(5000));
});

test("hosts that have nothing to fetch leave memory, and what must be known of them stays", () => {
  const shard = newShard(RULES);
  for (let i = 0; i < 20_000; i++) {
    const name = `h${i}`;
    admit(shard, found(name, "1"), name);
    const lease = shard.take(i)!;
    if (i === 100) lease.host.delayMs = 1e9;
    shard.requestEnded(lease, i);
  }
  assert.ok(shard.hosts < 10_000, `${shard.hosts} hosts in memory`);
  admit(shard, found("h5", "2"), "h5");
  admit(shard, found("h100", "2"), "h100");
  assert.equal(shard.take(30_000)?.url, "http://h5/2");
  assert.equal(shard.take(1e9), undefined, "its own delay is remembered");
  assert.equal(shard.take(1e9 + 100)?.url, "http://h100/2");
});

test("a URL that rests finds its host again, also when that has left memory", () => {
  const shard = newShard(RULES);
  admit(shard, found("a", "1"), "a");
  const lease = shard.take(0)!;
  shard.requestEnded(lease, 0);
  shard.rest(lease, 10_000);
  for (let i = 0; i < 10_000; i++) admit(shard, found(`h${i}`, "1"), `h${i}`);
  for (let i = 0; i < 10_000; i++) shard.requestEnded(shard.take(2000)!, 2000);
  for (let i = 0; i < 9000; i++) admit(shard, found(`g${i}`, "1"), `g${i}`);
  admit(shard, found("a", "2"), "a");
  const both = [shard.take(10_000), shard.take(10_000)].filter((one) => one?.host.name === "a");
  assert.ok(both.length <= 1, "one host of the name, one connection");
});
