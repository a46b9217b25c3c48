import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { JournalWriters, journalFiles } from "../../../src/crawl/builder/journal-writers.ts";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { compactShard } from "../../../src/frontier/fold/compact-shard.ts";
import { HostNotes } from "../../../src/frontier/fold/host-notes.ts";
import type { JournalPort } from "../../../src/frontier/journal-port.ts";
import { ChainQueue } from "../../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { openShard } from "../../../src/frontier/shard/open-shard.ts";
import { OwnedShard } from "../../../src/frontier/shard/owned-shard.ts";
import type { Shard, ShardRules } from "../../../src/frontier/shard/shard.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { tempFolder } from "../../support/orbweaver.ts";

const SEEDS = { seedLow: 1, seedHigh: 2 };
const RULES: ShardRules = { ...SEEDS, delayMs: 1000, perHost: 1, order: "bfs", startMs: 0 };
const noFile = () => {
  throw new Error("so few URLs need no file");
};

/** A run of shard 0 that begins at `nowMs`, while the wall clock is ahead by so much. */
function open(folder: string, nowMs: number, aheadMs: number, epoch: number) {
  const startMs = epoch === 1 ? 0 : nowMs + RULES.delayMs;
  const { shard, end } = openShard({
    folder,
    number: 0,
    rules: { ...RULES, startMs, wallAheadMs: () => aheadMs },
    newQueue: () => new ChainQueue(new QueueLog(noFile, 2 ** 20), false),
  });
  const files = new JournalWriters(journalFiles({ folder, ...SEEDS }));
  files.open(0, { shard: 0, epoch, after: end });
  const owned = new OwnedShard({ shard, epoch, maxBlockBytes: 8192, post() {} });
  const port = {
    write(number: number, events: Uint8Array, onDurable: () => void) {
      files.take(number, Buffer.from(events), () => ({ file: "", offset: 0, length: 0 }));
      files.append();
      onDurable();
    },
  } as unknown as JournalPort;
  const close = () => {
    owned.journal.flush(port, true, () => {});
    files.sync();
    files.close();
  };
  return { shard, owned, close };
}

function found(host: string, path: string): Discovery {
  const url = `http://${host}/${path}` as CrawlUrl;
  return { url, parent: undefined, depth: 0, via: "link", seed: false, chain: [] };
}

function readyMs(shard: Shard, host: string): number {
  for (let nowMs = shard.nextReadyMs(); ; nowMs = shard.nextReadyMs()) {
    const lease = shard.take(nowMs);
    if (lease === undefined) return Number.NaN;
    if (lease.host.name === host) return nowMs;
  }
}

const HOSTS = ["plain", "slow", "busy"];

test("the next run knows each host's own delay and pause, with or without a snapshot", (t) => {
  for (const compacts of [false, true]) {
    const folder = join(tempFolder(t), "journals");
    mkdirSync(folder);
    const first = open(folder, 0, 500_000, 1);
    for (const host of HOSTS) first.owned.admitAll([found(host, "1"), found(host, "2")]);
    for (let lease = first.shard.take(10); lease !== undefined; lease = first.shard.take(10)) {
      if (lease.host.name === "slow") lease.host.delayMs = 9000;
      if (lease.host.name === "busy") lease.host.heldMs = 60_000;
      first.shard.requestEnded(lease, 20);
    }
    first.close();
    if (compacts) {
      open(folder, 0, 0, 2).close();
      compactShard({ folder, shard: 0, upTo: 1, ...SEEDS });
    }
    // A new process: its monotonic clock says 7,000, 30 s of wall time have passed.
    const nowMs = 7000;
    const ready = HOSTS.map((host, i) => {
      const { shard, close } = open(folder, nowMs, 500_000 + 30_000 - nowMs, 3 + i);
      const ms = readyMs(shard, host);
      close();
      return ms;
    });
    assert.deepEqual(ready, [nowMs + 1000, nowMs + 9000, nowMs + 30_000]);
  }
});

test("a wall clock that was set back makes nobody wait longer than a day", (t) => {
  const folder = join(tempFolder(t), "journals");
  mkdirSync(folder);
  const first = open(folder, 0, 1e12, 1);
  first.owned.admitAll([found("busy", "1"), found("busy", "2")]);
  const lease = first.shard.take(0)!;
  lease.host.heldMs = 60_000;
  first.shard.giveBack(lease, 60_000);
  first.close();
  const { shard, close } = open(folder, 0, 0, 2);
  assert.equal(readyMs(shard, "busy"), 1000 + 24 * 3_600_000);
  close();
});

test("a hundred thousand hosts with a word of their own take few bytes in a snapshot", () => {
  const notes = new HostNotes();
  for (let i = 0; i < 100_000; i++) {
    const low = Math.imul(i + 1, 0x9e3779b1) >>> 0;
    notes.note({ low, high: Math.imul(low, 0x85ebca6b) >>> 0, delayMs: 2000, untilWallMs: i });
  }
  assert.equal(notes.size, 100_000);
  let bytes = 0;
  for (const piece of notes.pieces()) bytes += piece.length;
  assert.equal(bytes, 20 * 100_000);
});
