// Each adder takes pages of links: it drops URLs it knows and keeps the others for later, on disk unless its comment says
// otherwise. What was added is durable within about a second. `kept` answers how many URLs it has.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SYNC_MS = 1000;
const modules = fileURLToPath(new URL("node_modules/", import.meta.url));

/** What an adder needs from npm; undefined when it is not installed. */
export function versionOf(name) {
  const manifest = join(modules, name, "package.json");
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : undefined;
}

/** A function that answers true once a second. */
function everySecond() {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < SYNC_MS) return false;
    last = now;
    return true;
  };
}

/** Seen-set and journal as a shard of a crawl uses them: the links of a page together, one batch per page. */
async function orbweaver(folder) {
  const { Shard } = await import("../../build/src/frontier/shard/shard.js");
  const { EventBatch } = await import("../../build/src/frontier/journal/event-batch.js");
  const { JournalWriter } = await import("../../build/src/frontier/journal/journal-writer.js");
  const { readJournal } = await import("../../build/src/frontier/journal/journal-reader.js");
  const { ShardState } = await import("../../build/src/frontier/fold/shard-state.js");
  const seeds = { seedLow: 0x12345678, seedHigh: 0x1abcdef0 };
  const rules = { delayMs: 1000, perHost: 1, order: "bfs", startMs: 0, ...seeds };
  const state = new ShardState(seeds.seedLow, seeds.seedHigh);
  // No queue: URLs are kept in the journal only, as with the others.
  const shard = new Shard(0, rules, state, {});
  const writer = new JournalWriter({ folder, shard: 0, epoch: 1, ...seeds });
  const batch = new EventBatch();
  const isTime = everySecond();
  const chain = [];
  return {
    addPage(urls, parent) {
      batch.clear();
      const found = urls.map((url) => {
        return { url, parent, depth: 3, via: "link", seed: false, chain };
      });
      shard.admitAll(found, (one, low, high) => batch.admit(one, low, high));
      if (batch.events > 0) writer.append(batch);
      if (isTime()) writer.sync();
    },
    close: () => writer.close(),
    kept() {
      const state = new ShardState(seeds.seedLow, seeds.seedHigh);
      for (const found of readJournal({ folder, shard: 0 })) state.apply(found);
      return state.waiting;
    },
  };
}

/** Keeps everything in memory: nothing is durable. */
async function crawlee() {
  process.env.CRAWLEE_LOG_LEVEL = "ERROR";
  const { RequestQueue, Configuration } = await import("@crawlee/core");
  const { MemoryStorage } = await import("@crawlee/memory-storage");
  const storageClient = new MemoryStorage({ persistStorage: false });
  const config = new Configuration({ storageClient, purgeOnStart: false, persistStorage: false });
  const queue = await RequestQueue.open("bench", { config });
  return {
    addPage: (urls) => queue.addRequests(urls.map((url) => ({ url }))),
    close() {},
    kept: async () => (await queue.getInfo()).totalRequestCount,
  };
}

/** One transaction a second: the fewest syncs that keep the promise. */
async function lmdb(folder) {
  const { open } = await import("lmdb");
  const root = open({ path: join(folder, "lmdb"), maxDbs: 2 });
  const seen = root.openDB({ name: "seen", encoding: "binary" });
  const queue = root.openDB({ name: "queue", keyEncoding: "uint32", encoding: "msgpack" });
  const nothing = Buffer.alloc(0);
  const isTime = everySecond();
  let number = 0;
  let waiting = [];
  const commit = () => {
    root.transactionSync(() => {
      for (const { urls, parent } of waiting) {
        for (const url of urls) {
          if (seen.doesExist(url)) continue;
          seen.putSync(url, nothing);
          queue.putSync(number++, { url, parent, depth: 3 });
        }
      }
    });
    waiting = [];
  };
  return {
    addPage(urls, parent) {
      waiting.push({ urls, parent });
      if (isTime()) commit();
    },
    async close() {
      commit();
      await root.flushed;
    },
    kept: () => queue.getStats().entryCount,
  };
}

/** One transaction a second, write-ahead log, synced with every commit. */
async function sqlite(folder) {
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(join(folder, "queue.sqlite"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec(
    "CREATE TABLE queue (number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, parent TEXT, depth INTEGER)",
  );
  const insert = db.prepare("INSERT OR IGNORE INTO queue (url, parent, depth) VALUES (?, ?, ?)");
  const isTime = everySecond();
  db.exec("BEGIN");
  return {
    addPage(urls, parent) {
      for (const url of urls) insert.run(url, parent, 3);
      if (isTime()) db.exec("COMMIT; BEGIN");
    },
    close: () => db.exec("COMMIT"),
    kept: () => db.prepare("SELECT count(*) AS n FROM queue").get().n,
  };
}

/** Name, the npm package it needs, how to open it. */
export const ADDERS = {
  orbweaver: { open: orbweaver },
  crawlee: { needs: "@crawlee/core", open: crawlee },
  lmdb: { needs: "lmdb", open: lmdb },
  sqlite: { needs: "better-sqlite3", open: sqlite },
};
