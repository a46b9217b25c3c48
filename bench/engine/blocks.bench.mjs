// URLs per second and memory per queued URL of insert-many against one call per URL as scrapy-redis makes it, in turn.
//
// URLs of 74 characters on 997 hosts, all new. With 1 and 16 calls in flight. Needs redis-server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { EngineKeys } from "../../build/src/frontier/engine/engine-keys.js";
import { recordOf } from "../../build/src/frontier/engine/link-record.js";
import { defineScripts, runScript } from "../../build/src/frontier/engine/redis-engine.js";
import { findRedisServer, PracticeRedis } from "../../build/src/web/practice-redis.js";
import { readArguments } from "../support/arguments.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { median } from "../support/statistics.mjs";
import { engineVersion } from "./engine-version.mjs";
import { OneCallPerUrl } from "./one-call-per-url.mjs";

const options = readArguments({
  result: "engine-blocks",
  options: {
    urls: { default: 40_000, smoke: 2000, help: "URLs" },
    block: { default: [30, 1000], help: "URLs of a block" },
    "in-flight": { default: [1, 16], help: "calls on their way" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
  },
});
if (findRedisServer() === undefined) {
  console.log("skipped: engine/blocks, redis-server is not on the PATH");
  process.exit(0);
}
const HOSTS = 997;
const hostOf = (i) => `www.example-${i % HOSTS}.org`;
const links = Array.from({ length: options.urls }, (_, i) => {
  const url = `https://${hostOf(i)}/articles/${i}-`.padEnd(74, "a-story-about-spiders-");
  const parent = `https://${hostOf(i)}/articles/`.padEnd(74, "b-");
  return { url, parent, depth: 3, via: "link", seed: false, chain: [] };
});
const base = new EngineKeys("bench", 1).partition(0);

/** Sends blocks of `size` links, `inFlight` at a time. Numbers are those of a producer per lane. */
async function insertMany(client, size, inFlight) {
  const lanes = Array.from({ length: inFlight }, () => 0);
  let next = 0;
  const worker = async (_, lane) => {
    while (next < links.length) {
      const some = links.slice(next, next + size);
      next += size;
      const args = [`w${lane}`, ++lanes[lane], "bfs"];
      for (const link of some) {
        const { decimal, record } = recordOf(link, { seedLow: 5, seedHigh: 6 });
        args.push(new URL(link.url).hostname, "", 1, decimal, 0, 0, record);
      }
      await runScript(client, "owInsert", base, args);
    }
  };
  await Promise.all(lanes.map(worker));
}

const folder = mkdtempSync(join(tmpdir(), "orbweaver-engine-blocks-"));
const redis = await PracticeRedis.start({ folder });
const client = new Redis(redis.url);
defineScripts(client);
const memory = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))[1]);
const runs = [];
async function measure(name, inFlight, run) {
  await client.flushall();
  const before = await memory();
  const began = performance.now();
  await run();
  const seconds = (performance.now() - began) / 1000;
  const bytes = ((await memory()) - before) / options.urls;
  runs.push({ name, inFlight, urlsPerSecond: options.urls / seconds, bytes });
}
try {
  for (let turn = 0; turn < options.repeat; turn++) {
    for (const inFlight of options.inFlight) {
      await measure("one call", inFlight, () => new OneCallPerUrl(client).insert(links, inFlight));
      for (const size of options.block)
        await measure(`block ${size}`, inFlight, () => insertMany(client, size, inFlight));
    }
  }
} finally {
  client.disconnect();
  await redis.kill();
  rmSync(folder, { recursive: true, force: true });
}
const table = [];
for (const inFlight of options.inFlight) {
  const of = (name, figure) =>
    median(runs.filter((r) => r.name === name && r.inFlight === inFlight).map((r) => r[figure]));
  for (const name of ["one call", ...options.block.map((size) => `block ${size}`)])
    table.push({
      name,
      inFlight,
      urlsPerSecond: Math.round(of(name, "urlsPerSecond")),
      ratio: Number((of(name, "urlsPerSecond") / of("one call", "urlsPerSecond")).toFixed(2)),
      bytes: Math.round(of(name, "bytes")),
      bytesRatio: Number((of(name, "bytes") / of("one call", "bytes")).toFixed(2)),
    });
}
console.table(table);
if (options.save)
  keepResult("engine-blocks", { versions: { redis: engineVersion() }, table, runs });
