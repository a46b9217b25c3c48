// Pages per second of 1, 2 and 4 workers on an engine against one embedded crawl, on a web that only makes them wait.
//
// Every page takes --latency ms, and a worker has --links requests in flight, so the web bounds the rate and not the
// machine; one worker is also compared with --busy requests in flight. All rows take turns within a repetition. CPU is user
// + system of all workers, and of the engine, per 1,000 pages. Seconds are those between a tenth, or with several workers a
// quarter, and nine tenths of the pages, without start and end of the processes. Needs redis-server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { findRedisServer, PracticeRedis } from "../../build/src/web/practice-redis.js";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf, runTimed } from "../support/command-line.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { cpuMsOf } from "../support/process-cpu.mjs";
import { median, spread } from "../support/statistics.mjs";
import { engineVersion } from "./engine-version.mjs";

const options = readArguments({
  result: "engine-crawl",
  options: {
    pages: {
      default: 400,
      smoke: 60,
      help: "pages per worker with --links in flight, else as many more",
    },
    hosts: { default: 64, smoke: 8, help: "hosts" },
    latency: { default: 50, smoke: 5, help: "milliseconds of each answer" },
    links: { default: 4, help: "requests in flight of a worker" },
    busy: { default: 32, smoke: 0, help: "as well one worker with so many in flight; 0: not" },
    supersteps: { default: false, help: "let the workers exchange in supersteps" },
    workers: { default: [1, 2, 4], smoke: [1, 2], help: "numbers of workers" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
  },
});
/** One worker against the embedded frontier, and n workers against n times one. */
const MIN_RATIO = 0.9;
const folder = mkdtempSync(join(tmpdir(), "orbweaver-engine-crawl-"));
const round = (value, digits = 3) => Number(value.toFixed(digits));

/** Runs one command of the program to its end: its CPU seconds. */
async function run(args) {
  const { stdout, stderr, cpu } = await runTimed([commandOf(), ...args]);
  if (stdout === "") throw new Error(`orbweaver ${args[0]} failed: ${stderr}`);
  return cpu;
}

/** A crawl of its own web by so many workers, or by the embedded frontier when that is 0. */
async function crawl({ workers, links }, turn) {
  const pages = Math.round((options.pages * Math.max(1, workers) * links) / options.links);
  const profile = { ...PROFILES.small, pages, hosts: options.hosts };
  const web = await startWebProcess({ profile, latencyMs: options.latency });
  const place = join(folder, `${turn}-${workers}-${links}`);
  const redis =
    workers === 0 ? undefined : await PracticeRedis.start({ folder: join(place, "redis") });
  const common = { delay: 0, threads: 1, "links-per-thread": links, scope: "any" };
  const flags = flagsOf({ ...common, "allow-private": "127.0.0.0/8", json: true, quiet: true });
  const engine = ["--engine", redis?.url, "--crawl", "bench"];
  const outOf = (number) => ["--out", join(place, `worker-${number}`)];
  try {
    const { reachable } = await web.truth();
    const served = async () => (await web.report()).pages;
    const steps = options.supersteps ? ["--supersteps"] : [];
    const more = redis === undefined ? [] : ["--frontier", "engine", ...engine, ...steps];
    const running = [run(["crawl", ...web.start, ...flags, ...more, ...outOf(0)])];
    let isOver = false;
    void Promise.allSettled(running).then(() => {
      isOver = true;
    });
    while (!isOver && (await served()) === 0) await setTimeout(2);
    for (let i = 1; i < workers; i++)
      running.push(run(["worker", ...engine, "--json", "--quiet", ...outOf(i)]));
    // Measured from a tenth of the pages, when all workers are there, to nine tenths, when all have something to do.
    const at = async (part) => {
      while (!isOver && (await served()) < part * reachable) await setTimeout(2);
      return { ms: performance.now(), pages: await served() };
    };
    const [from, to] = [await at(workers > 1 ? 0.25 : 0.1), await at(0.9)];
    const cpus = await Promise.all(running);
    const engineMs = redis === undefined ? 0 : cpuMsOf(redis.pid);
    const found = await served();
    if (found !== reachable) throw new Error(`${found} pages of ${reachable}`);
    const per = (seconds) => round((1000 * seconds) / found);
    return {
      row: rowOf({ workers, links }),
      workers,
      links,
      pages: found,
      pagesPerSecond: round((1000 * (to.pages - from.pages)) / (to.ms - from.ms), 1),
      workerCpu: per(cpus.reduce((sum, cpu) => sum + cpu, 0)),
      engineCpu: per(engineMs / 1000),
      ...(redis === undefined ? {} : await blocksOf(redis)),
      refetched: (await web.report()).repeated,
    };
  } finally {
    await web.close();
    await redis?.kill();
    rmSync(place, { recursive: true, force: true });
  }
}

function rowOf({ workers, links }) {
  return `${workers === 0 ? "embedded" : `${workers} on the engine`}, ${links} in flight`;
}

/** Links and ends of visits in a block, on average, as the engine has counted them. */
async function blocksOf(redis) {
  const client = new Redis(redis.url);
  let [blocks, urls] = [0, 0];
  for (const key of await client.keys("orbweaver:bench:{*}")) {
    if (key.endsWith("{crawl}")) continue;
    for (const [field, value] of Object.entries(await client.hgetall(key))) {
      if (field.startsWith("n:")) blocks += Number(value);
      else if (field === "inserted" || field === "settled") urls += Number(value);
    }
  }
  client.disconnect();
  return { blocks, newUrlsPerBlock: round(urls / blocks, 1) };
}

if (findRedisServer() === undefined) {
  console.log("skipped: engine/crawl, redis-server is not on the PATH");
  process.exit(0);
}
const runs = [];
const rows = [0, ...options.workers].map((workers) => ({ workers, links: options.links }));
if (options.busy > 0) for (const workers of [0, 1]) rows.push({ workers, links: options.busy });
try {
  for (let turn = 0; turn < options.repeat; turn++) {
    for (const row of turn % 2 === 0 ? rows : rows.toReversed()) {
      runs.push({ turn, ...(await crawl(row, turn)) });
      console.error(JSON.stringify(runs.at(-1)));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const of = (row) =>
  runs.filter(({ workers, links }) => workers === row.workers && links === row.links);
const table = rows.map((row) => ({
  row: rowOf(row),
  pagesPerSecond: spread(
    of(row).map((run) => run.pagesPerSecond),
    1,
  ),
  workerCpu: spread(of(row).map((run) => run.workerCpu)),
  engineCpu: spread(of(row).map((run) => run.engineCpu)),
}));
console.table(
  table.map(({ row, pagesPerSecond, workerCpu, engineCpu }) => ({
    row,
    "pages/s": pagesPerSecond.median,
    spread: `${pagesPerSecond.least}-${pagesPerSecond.most}`,
    "worker CPU-s/1000": workerCpu.median,
    "engine CPU-s/1000": engineCpu.median,
  })),
);
/** Ratios within a repetition: what loads the machine hits both. */
const ratioOf = (row, base, times) =>
  of(row).map((run, i) => run.pagesPerSecond / (times * of(base)[i].pagesPerSecond));
const goals = rows.slice(1).flatMap((row) => {
  const { workers, links } = row;
  if (workers === 0) return [];
  const against = workers === 1 ? ["the embedded frontier", 0, 1] : ["linear", 1, workers];
  const ratios = ratioOf(row, { workers: against[1], links }, against[2]);
  const middle = round(median(ratios));
  const holds = middle >= MIN_RATIO;
  const what = `${rowOf(row)}, against ${against[0]}`;
  console.log(`${what}, at least ${MIN_RATIO}: ${middle} (${ratios.map((r) => round(r))})`);
  return {
    what,
    least: MIN_RATIO,
    ratios: ratios.map((ratio) => round(ratio)),
    median: middle,
    holds,
  };
});
if (options.save)
  keepResult("engine-crawl", { versions: { redis: engineVersion() }, options, table, goals, runs });
judgeProblems(
  goals.filter(({ holds }) => !holds).map(({ what }) => `${what} misses its goal`),
  options,
);
