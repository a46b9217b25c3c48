// The sharded frontier of one thread as a crawl has it, without network: real shards, queues, desks and journals. The
// journals are written in the same thread by the builders' own code, and synced when `sync` is called.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { JournalWriters, journalFiles } from "../build/src/crawl/builder/journal-writers.js";
import { OpicQueue } from "../build/src/frontier/opic/opic-queue.js";
import { ThreadOrder } from "../build/src/frontier/opic/thread-order.js";
import { ChainQueue } from "../build/src/frontier/queue/chain-queue.js";
import { QueueLog } from "../build/src/frontier/queue/queue-log.js";
import { RecoveredFiles } from "../build/src/frontier/queue/recovered-files.js";
import { BulkAdd } from "../build/src/frontier/seen/bulk-add.js";
import { openShard } from "../build/src/frontier/shard/open-shard.js";
import { ShardedFrontier } from "../build/src/frontier/sharded-frontier.js";
import { openScratchFile } from "../build/src/runtime/scratch-file.js";
import { Pending } from "../build/src/sync/pending.js";

/** As src/crawl/thread-frontier.ts: all threads together. */
const QUEUE_MEMORY_BYTES = 32 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;

export const SHARDS = 16;
export const LINKS = 100;
export const SEEDS = { seedLow: 0x12345678, seedHigh: 0x1abcdef0 };
const NO_CHAIN = [];

/** Opens the shards of a thread from a folder, as a crawl that begins or is resumed does. */
export function openThread({ folder, order, thread = 0, threads = 1, epoch = 1 }) {
  mkdirSync(folder, { recursive: true });
  const scratch = join(folder, `queue-${thread}.scratch`);
  const log = new QueueLog(() => openScratchFile(scratch), QUEUE_MEMORY_BYTES / threads);
  const left = new RecoveredFiles();
  const gathered = new BulkAdd();
  const byCash = order === "opic" ? new ThreadOrder(() => {}) : undefined;
  const rules = { delayMs: 1, perHost: 1, order, startMs: 0, ...SEEDS };
  const owned = [];
  const ends = new Map();
  for (let number = thread; number < SHARDS; number += threads) {
    const newQueue = (cash) => {
      if (cash === undefined) return new ChainQueue(log, order === "dfs", left);
      const file = join(folder, `order-${number}.scratch`);
      return new OpicQueue(cash, log, () => openScratchFile(file), byCash);
    };
    const { shard, end } = openShard({ folder, number, rules, newQueue, gathered });
    owned.push(shard);
    ends.set(number, end);
  }
  const port = openPort(folder, epoch, ends);
  const frontier = new ShardedFrontier({
    ...{ thread, threads, shards: SHARDS, owned, epoch, port, delayMs: 1, ...SEEDS },
    pending: new Pending(new Int32Array(1), 0),
    exchange: {
      maxBlockBytes: BLOCK_BYTES,
      blocksSent: 0,
      unsentAboutLeases: 0,
      post: () => {},
      flush: () => true,
      receive: () => {},
      hasMessages: () => false,
    },
    lender: {
      spare: () => 0,
      returned: () => {},
      brought: () => {},
      committed: () => {},
      commitsOf: () => 0,
      queued: () => [],
    },
    order: byCash,
    onLast: () => {},
  });
  return { frontier, shards: owned, port };
}

/** The way to the journals: a builder's desk, without the thread around it. */
function openPort(folder, epoch, ends) {
  const desk = new JournalWriters(journalFiles({ folder, ...SEEDS }));
  const opened = new Set();
  let waiting = [];
  return {
    /** True when batches are so long that they should be written. */
    isDue: false,
    write(shard, events, onDurable) {
      if (!opened.has(shard)) desk.open(0, { shard, epoch, after: ends.get(shard) });
      opened.add(shard);
      if (desk.take(shard, events, () => undefined)) this.isDue = true;
      waiting.push(onDurable);
    },
    /** Makes everything durable and tells the frontier. */
    sync() {
      desk.append();
      desk.sync();
      this.isDue = false;
      const told = waiting;
      waiting = [];
      for (const tell of told) tell();
    },
    closedSegments: () => desk.closedSegments(),
    close: () => desk.close(),
  };
}

/** The home pages of hosts. */
export function seedsOf(hosts) {
  return Array.from({ length: hosts }, (_, i) => flat(`https://www.example-${i}.org/`));
}

/** Links of a page: `LINKS` URLs of 74 characters on its own host that no other page has. */
export function linksOf(lease) {
  const { url: parent, depth, host } = lease;
  const found = [];
  // The page's fingerprint makes its links different from those of all others.
  const mark = ((lease.high >>> 0) * 2 ** 20 + (lease.low & 0xfffff)).toString(36);
  for (let i = 0; i < LINKS; i++) {
    const text = `https://${host.name}/articles/${mark}/${i * 7919}-`;
    const url = flat(text.padEnd(74, "a-story-about-spiders-"));
    found.push({ url, parent, depth: depth + 1, via: "link", seed: false, chain: NO_CHAIN });
  }
  return found;
}

/** Through bytes, so that the string is one piece, as one that was cut out of a page. */
function flat(text) {
  return Buffer.from(text, "latin1").toString("latin1");
}

const nothing = () => {};

/** Visits up to `pages` pages, each with `links` of it; answers how many there were. */
export function visitPages({ frontier }, pages, nowMs, links = linksOf) {
  const leases = frontier.takeMany(pages, nowMs);
  for (const lease of leases) {
    frontier.requestEnded(lease, nowMs);
    const found = links(lease);
    const finish = { outcome: 1, links: found.length, record: undefined, onCommitted: nothing };
    frontier.finish(lease, found, finish);
  }
  return leases.length;
}
