import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { enqueueWaiting } from "../../../src/frontier/fold/recover-shard.ts";
import { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { eachLink, type WaitingLink } from "../../../src/frontier/link/waiting-run.ts";
import { ChainQueue } from "../../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import {
  copyRecord,
  MAX_RECORD_BYTES,
  writeRecord,
} from "../../../src/frontier/queue/queue-record.ts";
import { Shard } from "../../../src/frontier/shard/shard.ts";
import { hostnameOf } from "../../../src/url/url-parts.ts";
import { viewOf } from "../journal/plans.ts";
import { anyLinks, highOf, lowOf } from "../link/any-links.ts";

function journalled(all: readonly Discovery[]) {
  const batch = new EventBatch();
  for (const [i, found] of all.entries()) batch.admit(found, lowOf(i), highOf(i));
  return [viewOf(batch, 1)];
}

test("a record copied from the journal is the one written from the object", () => {
  fc.assert(
    fc.property(anyLinks, fc.nat(2 ** 40), (all, next) => {
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
    fc.property(anyLinks, fc.constantFrom("bfs" as const, "dfs" as const), (all, order) => {
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
