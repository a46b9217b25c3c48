// The processes of bench/durable.bench.mjs: node durable.child.mjs ROLE JSON
//   grow   fills shards with known and queued URLs, measures at two sizes, prints one line
//   write  journals URLs until it is killed; prints after every sync how many are durable
//   open   opens the shards that were left behind, in threads, and prints when they could be used
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { print } from "../build/src/frontier/fingerprint.js";
import { EventBatch } from "../build/src/frontier/journal/event-batch.js";
import { JournalWriter } from "../build/src/frontier/journal/journal-writer.js";
import { openShard } from "../build/src/frontier/open-shard.js";
import { QueueLog } from "../build/src/frontier/queue-log.js";
import { openScratchFile } from "../build/src/frontier/scratch-file.js";

const LINKS = 100;
const QUEUE_MEMORY_BYTES = 32 * 1024 * 1024;
const SYNC_MS = 1000;
/** Operations of one measurement, in pages of links. */
const WINDOW_PAGES = 500;
const SEEDS = { seedLow: 0x12345678, seedHigh: 0x1abcdef0 };
const RULES = { delayMs: 1, perHost: 1, order: "bfs", startMs: 0, ...SEEDS };
const CHAIN = [];

/** A well mixed number, the same in every run. */
function mixed(n) {
  let h = Math.imul(n + 1, 0x9e3779b9);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/** The links of a page: new ones, of about 74 characters, on the page's own host. */
function linksOf(page, hosts) {
  const hostname = `www.example-${page % hosts}.org`;
  const parent = `https://${hostname}/articles/${page}/`;
  const found = [];
  for (let i = 0; i < LINKS; i++) {
    const text = `${parent}${i * 7919}-`.padEnd(74, "a-story-about-spiders-");
    const url = Buffer.from(text, "latin1").toString("latin1");
    found.push({ url, parent, depth: 3, via: "link", seed: false, chain: CHAIN });
  }
  return { hostname, shard: (page % hosts) % SHARDS, found };
}

const role = isMainThread ? process.argv[2] : workerData.role;
const options = isMainThread ? JSON.parse(process.argv[3]) : workerData.options;
const SHARDS = options.shards;

/** The shards of one thread: state, queue, journal. */
function openShards(numbers, scratchName) {
  mkdirSync(options.folder, { recursive: true });
  const log = new QueueLog(
    () => openScratchFile(join(options.folder, scratchName)),
    QUEUE_MEMORY_BYTES,
  );
  return new Map(
    numbers.map((number) => {
      const opened = openShard({ folder: options.folder, number, rules: RULES, log });
      return [number, { ...opened, batch: new EventBatch() }];
    }),
  );
}

const allNumbers = () => Array.from({ length: SHARDS }, (_, i) => i);

function openWriters(shards) {
  for (const [shard, entry] of shards) {
    entry.writer = new JournalWriter({ folder: options.folder, shard, epoch: 1, ...SEEDS });
  }
}

/** Admits links as the end of a visit does: hash, dedup, queue, journal. */
function offer(entry, { hostname, found }) {
  const { shard, batch, writer } = entry;
  batch.clear();
  for (const one of found) {
    if (shard.admit(one, hostname)) batch.admit(one, print.low, print.high);
  }
  if (batch.events > 0) writer.append(batch);
}

function makeSyncer(shards) {
  let last = performance.now();
  return () => {
    if (performance.now() - last < SYNC_MS) return false;
    for (const { writer } of shards.values()) writer.sync();
    last = performance.now();
    return true;
  };
}

function cpuMicros(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function grow() {
  const { hosts } = options;
  const shards = openShards(allNumbers(), "queue.scratch");
  openWriters(shards);
  const syncIfTime = makeSyncer(shards);
  let page = 0;
  let filler = 0;
  let nowMs = 1e6;
  const sum = (of) => [...shards.values()].reduce((total, { shard }) => total + of(shard), 0);
  const fill = (known, queued) => {
    while (sum((shard) => shard.queued) < queued) {
      for (let i = 0; i < 100; i++) {
        const links = linksOf(page++, hosts);
        offer(shards.get(links.shard), links);
      }
      syncIfTime();
    }
    // The rest of what is known has long been fetched: only its fingerprints are left.
    for (let left = known - sum((shard) => shard.known); left > 0; left--, filler++) {
      const { seen } = shards.get(filler % SHARDS).shard.state;
      seen.addPrint(mixed(filler), mixed(filler ^ 0x5bd1e995));
    }
  };
  const measure = () => {
    const fresh = Array.from({ length: WINDOW_PAGES }, () => linksOf(page++, hosts));
    const again = Array.from({ length: WINDOW_PAGES }, (_, i) =>
      linksOf(mixed(i) % (page - WINDOW_PAGES), hosts),
    );
    const offerAll = (pages) => {
      for (const links of pages) offer(shards.get(links.shard), links);
      for (const { writer } of shards.values()) writer.sync();
    };
    const addMicros = cpuMicros(() => offerAll(fresh));
    const knownMicros = cpuMicros(() => offerAll(again));
    let taken = 0;
    const takeMicros = cpuMicros(() => {
      // As many as were added, so that the queue keeps its length.
      for (const { shard, batch, writer } of shards.values()) {
        for (let left = Math.ceil((WINDOW_PAGES * LINKS) / SHARDS / LINKS); left > 0; left--) {
          batch.clear();
          for (let i = 0; i < LINKS; i++) {
            nowMs += 10;
            const lease = shard.take(nowMs);
            if (lease === undefined) throw new Error("nothing to take");
            shard.requestEnded(lease, nowMs);
            shard.state.done(lease.low, lease.high, 1);
            batch.done(lease.low, lease.high, 1);
            taken++;
          }
          writer.append(batch);
        }
        writer.sync();
      }
    });
    const offered = WINDOW_PAGES * LINKS;
    return {
      known: sum((shard) => shard.known),
      queued: sum((shard) => shard.queued),
      addMicrosPerUrl: addMicros / offered,
      knownMicrosPerUrl: knownMicros / offered,
      takeMicrosPerUrl: takeMicros / taken,
      rss: process.memoryUsage.rss(),
    };
  };
  fill(options.small.known, options.small.queued);
  // Until the compiler is done.
  measure();
  const small = measure();
  fill(options.large.known, options.large.queued);
  measure();
  console.log(JSON.stringify({ small, large: measure() }));
}

function write() {
  const shards = openShards(allNumbers(), "queue.scratch");
  openWriters(shards);
  const syncIfTime = makeSyncer(shards);
  for (let page = 0; ; page++) {
    const links = linksOf(page, options.hosts);
    offer(shards.get(links.shard), links);
    if (syncIfTime()) console.log((page + 1) * LINKS);
  }
}

async function open() {
  const started = performance.now();
  const threads = Array.from({ length: options.threads }, (_, thread) => {
    const worker = new Worker(fileURLToPath(import.meta.url), {
      workerData: { role: "open-thread", options, thread },
    });
    return new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  });
  const found = await Promise.all(threads);
  const usableMs = performance.now() - started;
  const known = found.reduce((total, one) => total + one.known, 0);
  const queued = found.reduce((total, one) => total + one.queued, 0);
  console.log(JSON.stringify({ usableMs, known, queued, rss: process.memoryUsage.rss() }));
}

function openThread() {
  const { thread } = workerData;
  const numbers = allNumbers().filter((number) => number % options.threads === thread);
  const shards = [...openShards(numbers, `queue-${thread}.scratch`).values()];
  const leases = shards.map(({ shard }) => shard.take(1e12)).filter((one) => one !== undefined);
  if (leases.length === 0) throw new Error("no URL can be taken");
  parentPort.postMessage({
    known: shards.reduce((total, { shard }) => total + shard.known, 0),
    queued: shards.reduce((total, { shard }) => total + shard.queued, leases.length),
  });
}

await { grow, write, open, "open-thread": openThread }[role]();
