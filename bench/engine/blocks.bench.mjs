// URLs per second of insert-many and of extract + settle, and memory per queued URL, against one call per URL, in turn.
//
// One call per URL is what scrapy-redis does. URLs of 74 characters on 997 hosts, all new; then all are taken and
// settled, of which one call per URL does only the first. With 1 and 16 calls in flight. Needs redis-server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { foundPartitions } from "../../build/src/frontier/engine/engine-crawl.js";
import { EngineKeys } from "../../build/src/frontier/engine/engine-keys.js";
import { recordOf } from "../../build/src/frontier/engine/link-record.js";
import { RedisEngine } from "../../build/src/frontier/engine/redis-engine.js";
import { defineScripts } from "../../build/src/frontier/engine/scripts/named-scripts.js";
import { findRedisServer, PracticeRedis } from "../../build/src/web/practice-redis.js";
import { readArguments } from "../support/arguments.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { cpuMsOf } from "../support/process-cpu.mjs";
import { median, spread } from "../support/statistics.mjs";
import { engineVersion } from "./engine-version.mjs";
import { OneCallPerUrl } from "./one-call-per-url.mjs";

const options = readArguments({
  result: "engine-blocks",
  options: {
    urls: { default: 40_000, smoke: 2000, help: "URLs" },
    block: { default: [8, 30, 1000], help: "URLs of a block; engine/crawl tells what crawls give" },
    "in-flight": { default: [1, 16], help: "calls on their way" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
  },
});
if (findRedisServer() === undefined) {
  console.log("skipped: engine/blocks, redis-server is not on the PATH");
  process.exit(0);
}
const HOSTS = 997;
const LEASE_MS = 600_000;
/** At R = 1,000: insert with 1 and with 16 in flight, extract + settle; bytes per queued URL, at most. */
const GOALS = { insert: { 1: 3, 16: 1.5 }, take: 5, bytes: 0.35 };
const hostOf = (i) => `www.example-${i % HOSTS}.org`;
const links = Array.from({ length: options.urls }, (_, i) => {
  const url = `https://${hostOf(i)}/articles/${i}-`.padEnd(74, "a-story-about-spiders-");
  const parent = `https://${hostOf(i)}/articles/`.padEnd(74, "b-");
  return { url, parent, depth: 3, via: "link", seed: false, chain: [] };
});

/** Calls back as a promise. */
const asked = (ask) => new Promise((resolve) => ask(resolve));
const perHost = Math.ceil(options.urls / HOSTS);

/** Producers with numbers of their own, since several blocks are in flight. */
function holders(client, prefix, count) {
  const keys = new EngineKeys("bench", 1);
  const rules = { keys, partitions: 1, order: "bfs", leaseMs: LEASE_MS };
  const onFault = (error) => {
    throw error;
  };
  return Array.from(
    { length: count },
    (_, i) => new RedisEngine(client, { ...rules, holder: `${prefix}${i}`, onFault }),
  );
}

/** Sends blocks of `size` links, `inFlight` at a time. */
async function insertMany(client, size, inFlight) {
  let next = 0;
  const worker = async (engine) => {
    for (let number = 1; next < links.length; number++) {
      const some = links.slice(next, next + size);
      next += size;
      const hosts = some.map((link) => {
        const host = new URL(link.url).hostname;
        const record = recordOf(link, host, { seedLow: 5, seedHigh: 6 });
        return { host, site: "", links: [{ ...record, credit: 0, bonus: 0 }] };
      });
      await asked((done) => engine.send({ kind: "insert", partition: 0, number, hosts }, done));
    }
  };
  await Promise.all(holders(client, "producer", inFlight).map(worker));
}

/** Claims, then extracts and settles blocks of about `size` URLs, `inFlight` at a time; how many were settled. */
async function takeMany(client, size, inFlight) {
  const engines = holders(client, "taker", inFlight);
  const { token } = await asked((done) => engines[0].claim({ partition: 0, token: "" }, done));
  const each = Math.min(size, perHost);
  const wanted = { partition: 0, token, hosts: Math.round(size / each), perHost: each };
  let settled = 0;
  const worker = async (engine) => {
    let refills = [];
    for (let number = 1; ; number++) {
      const hosts = refills.length > 0 ? 0 : wanted.hosts;
      const call = { ...wanted, hosts, refills, again: false };
      const answer = await asked((done) => engine.extract(call, done));
      const urls = answer.hosts.flatMap(({ urls: some }) =>
        some.map(({ record }) => {
          const id = record.subarray(0, 8);
          return { id, decimal: id.readBigInt64LE(0).toString(), outcome: 1, site: "" };
        }),
      );
      refills = answer.hosts.flatMap(({ host, hasMore }) => (hasMore ? [[host, each]] : []));
      if (urls.length === 0) return;
      const block = { kind: "settle", partition: 0, number, token, urls, notes: [] };
      const { accepted } = await asked((done) => engine.send(block, done));
      settled += accepted;
    }
  };
  await Promise.all(engines.map(worker));
  return settled;
}

const folder = mkdtempSync(join(tmpdir(), "orbweaver-engine-blocks-"));
const redis = await PracticeRedis.start({ folder });
const client = new Redis(redis.url);
defineScripts(client);
const memory = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))[1]);
const runs = [];

/** Seconds, and CPU of the engine per 1,000 URLs. */
async function timed(run) {
  const began = performance.now();
  const cpu = cpuMsOf(redis.pid);
  const count = await run();
  if (count !== undefined && count !== options.urls) throw new Error(`${count} URLs were taken`);
  const seconds = (performance.now() - began) / 1000;
  return { rate: options.urls / seconds, cpu: (cpuMsOf(redis.pid) - cpu) / options.urls };
}

async function measure(name, inFlight, insert, take) {
  await client.flushall();
  await foundPartitions(client, new EngineKeys("bench", 1), 1);
  const before = await memory();
  const inserted = await timed(insert);
  const bytes = ((await memory()) - before) / options.urls;
  const taken = await timed(take);
  runs.push({ name, inFlight, inserted, taken, bytes });
}

try {
  for (let turn = 0; turn < options.repeat; turn++) {
    for (const inFlight of options.inFlight) {
      const one = new OneCallPerUrl(client);
      await measure(
        "one call",
        inFlight,
        () => one.insert(links, inFlight),
        () => one.take(options.urls, inFlight),
      );
      for (const size of options.block)
        await measure(
          `block ${size}`,
          inFlight,
          () => insertMany(client, size, inFlight),
          () => takeMany(client, size, inFlight),
        );
    }
  }
} finally {
  client.disconnect();
  await redis.kill();
  rmSync(folder, { recursive: true, force: true });
}

const round = (value, digits = 2) => Number(value.toFixed(digits));
const of = (name, inFlight) => runs.filter((r) => r.name === name && r.inFlight === inFlight);
const figures = {
  insert: ({ inserted }) => inserted.rate,
  take: ({ taken }) => taken.rate,
  bytes: ({ bytes }) => bytes,
};
const table = [];
for (const inFlight of options.inFlight)
  for (const name of ["one call", ...options.block.map((size) => `block ${size}`)]) {
    const row = { name, inFlight };
    for (const [figure, get] of Object.entries(figures)) {
      const own = of(name, inFlight).map(get);
      const base = of("one call", inFlight).map(get);
      row[figure] = Math.round(median(own));
      // Within a repetition: what loads the machine hits both.
      row[`${figure}Ratio`] = spread(
        own.map((value, i) => value / base[i]),
        2,
      );
    }
    row.insertCpuUs = round(1000 * median(of(name, inFlight).map((r) => r.inserted.cpu)), 1);
    row.takeCpuUs = round(1000 * median(of(name, inFlight).map((r) => r.taken.cpu)), 1);
    table.push(row);
  }
const ratioText = ({ median: middle, least, most }) => `${middle} (${least}-${most})`;
console.table(
  table.map((row) => ({
    blocks: row.name,
    "in flight": row.inFlight,
    "insert/s": row.insert,
    x: ratioText(row.insertRatio),
    "take/s": row.take,
    "x ": ratioText(row.takeRatio),
    bytes: row.bytes,
    " x": ratioText(row.bytesRatio),
    "engine us": `${row.insertCpuUs} + ${row.takeCpuUs}`,
  })),
);
const largest = `block ${Math.max(...options.block)}`;
const problems = [];
for (const row of table.filter(({ name }) => name === largest)) {
  const check = (what, value, holds) => {
    console.log(`${what}, ${row.inFlight} in flight: ${value}, ${holds ? "holds" : "missed"}`);
    if (!holds) problems.push(`${what} with ${row.inFlight} in flight: ${value}`);
  };
  const least = GOALS.insert[row.inFlight];
  const { insertRatio, takeRatio, bytesRatio } = row;
  if (least) check(`insert >= ${least}x`, insertRatio.median, insertRatio.median >= least);
  check(`extract + settle >= ${GOALS.take}x`, takeRatio.median, takeRatio.median >= GOALS.take);
  check(`bytes <= ${GOALS.bytes}x`, bytesRatio.median, bytesRatio.median <= GOALS.bytes);
}
if (options.save)
  keepResult("engine-blocks", { versions: { redis: engineVersion() }, table, problems, runs });
judgeProblems(problems, options);
