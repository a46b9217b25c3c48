import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { ShardState } from "../../../src/frontier/journal/fold.ts";
import { enqueueWaiting } from "../../../src/frontier/journal/recover-shard.ts";
import { eachLink, type WaitingLink } from "../../../src/frontier/journal/waiting-run.ts";
import { ChainQueue } from "../../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import {
  copyRecord,
  MAX_RECORD_BYTES,
  writeRecord,
} from "../../../src/frontier/queue/queue-record.ts";
import { Shard } from "../../../src/frontier/shard/shard.ts";
import { VIAS } from "../../../src/frontier/via.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { hostnameOf } from "../../../src/url/url-parts.ts";

// Origins that begin alike, or differ in scheme and port only.
const ORIGINS = [
  "http://a.example",
  "https://a.example",
  "http://a.example:81",
  "http://a.example.org",
  "http://a.exampl",
];
const url = fc
  .tuple(fc.constantFrom(...ORIGINS), fc.stringMatching(/^[a-z0-9?=&/]{0,300}$/))
  .map(([origin, path]) => `${origin}/${path}` as CrawlUrl);
const page = fc.record({
  parent: fc.option(url, { nil: undefined }),
  depth: fc.integer({ min: 0, max: 0xffffffff }),
  via: fc.constantFrom(...VIAS),
  seed: fc.boolean(),
  chain: fc.array(fc.stringMatching(/^[0-9a-f]{16}$/), { maxLength: 3 }),
  urls: fc.array(url, { minLength: 1, maxLength: 8 }),
});
const discoveries = fc
  .array(page, { minLength: 1, maxLength: 8 })
  .map((pages) =>
    pages.flatMap(({ urls, ...rest }) => urls.map((one): Discovery => ({ url: one, ...rest }))),
  );

/** Numbers in place of fingerprints, extremes among them. */
const lowOf = (i: number) => (i % 2 === 0 ? i : 0xffffffff - i);
const highOf = (i: number) => (0x80000000 + i) >>> 0;

function journalled(all: readonly Discovery[]) {
  const batch = new EventBatch();
  for (const [i, found] of all.entries()) batch.admit(found, lowOf(i), highOf(i));
  return [batch.view(1)];
}

test("a record copied from the journal is the one written from the object", () => {
  fc.assert(
    fc.property(discoveries, fc.nat(2 ** 40), (all, next) => {
      let i = 0;
      const everything = () => true;
      const check = (link: WaitingLink) => {
        const [copied, written] = [Buffer.alloc(MAX_RECORD_BYTES), Buffer.alloc(MAX_RECORD_BYTES)];
        const length = copyRecord(copied, 5, link, next);
        assert.equal(length, writeRecord(written, 5, all[i]!, lowOf(i), highOf(i), next));
        assert.deepEqual(copied, written);
        i++;
      };
      enqueueWaiting(everything, [], journalled(all), (run) => eachLink(run, check));
      assert.equal(i, all.length);
    }),
  );
});

test("links from the journal join the hosts they belong to, in their order", () => {
  const rules = { delayMs: 10, perHost: 1, seedLow: 1, seedHigh: 2, startMs: 0 };
  const noFile = () => assert.fail("the queue is small");
  fc.assert(
    fc.property(discoveries, fc.constantFrom("bfs" as const, "dfs" as const), (all, order) => {
      const log = new QueueLog(noFile, 2 ** 22);
      const shard = new Shard(
        0,
        { ...rules, order },
        new ShardState(1, 2),
        new ChainQueue(log, order === "dfs"),
      );
      enqueueWaiting(
        () => true,
        [],
        journalled(all),
        (run) => shard.enqueue(run),
      );
      const expected = new Map<string, string[]>();
      for (const { url: one } of all) {
        const waiting = expected.get(hostnameOf(one)) ?? [];
        if (order === "bfs") waiting.push(one);
        else waiting.unshift(one);
        expected.set(hostnameOf(one), waiting);
      }
      const taken = new Map<string, string[]>();
      for (let nowMs = 0; shard.queued > 0; nowMs += 1000) {
        const lease = shard.take(nowMs)!;
        assert.equal(lease.host.name, hostnameOf(lease.url));
        taken.set(lease.host.name, [...(taken.get(lease.host.name) ?? []), lease.url]);
        shard.requestEnded(lease, nowMs);
      }
      assert.deepEqual([...taken].sort(), [...expected].sort());
    }),
  );
});
