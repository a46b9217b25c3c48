// PageRank collected on cnr-2000 by workers on an engine, also in supersteps, against one embedded crawl with one queue.
//
// All crawls have --order opic and the same --max-pages. What counts is the PageRank of the pages of all workers together,
// not who came when. Hosts are asked once in --delay ms, so that politeness bounds the rate and not the machine: where the
// machine does, each crawl leaves other hosts behind. All crawls take turns within a repetition, and embedded ones differ
// from each other as well. Needs redis-server.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { findRedisServer, PracticeRedis } from "../../build/src/web/practice-redis.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { graphFile, loadGraph, pageRank, smokeGraph } from "../order/graph.mjs";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { median } from "../support/statistics.mjs";
import { engineVersion } from "./engine-version.mjs";

const options = readArguments({
  result: "engine-order",
  options: {
    pages: { default: 4000, smoke: 100, help: "pages of a crawl" },
    hosts: { default: 64, smoke: 10, help: "hosts of the web" },
    workers: { default: [1, 2, 4, 8], smoke: [2], help: "numbers of workers" },
    delay: { default: 1000, smoke: 0, help: "milliseconds between requests of a host" },
    modes: { default: ["plain", "supersteps"], help: "how workers exchange links" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
  },
});
/** PageRank collected against that of one queue. */
const MIN_RATIO = 0.99;
if (findRedisServer() === undefined) {
  console.log("skipped: engine/order, redis-server is not on the PATH");
  process.exit(0);
}
const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-engine-order-"));
const file = options.smoke ? writeSmokeGraph() : graphFile();
if (file === undefined) {
  rmSync(folder, { recursive: true });
  process.exit(0);
}
const rank = pageRank(await loadGraph(file));
const crawls = [
  { workers: 0, inSteps: false },
  ...options.modes.flatMap((mode) =>
    options.workers.map((workers) => ({ workers, inSteps: mode === "supersteps" })),
  ),
];
const runs = [];
try {
  for (let turn = 0; turn < options.repeat; turn++)
    for (const one of turn % 2 === 0 ? crawls : crawls.toReversed()) {
      runs.push({ turn, ...(await crawl(one)) });
      console.error(JSON.stringify(runs.at(-1)));
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const of = (one) => runs.filter(({ row }) => row === rowOf(one));
const embedded = of(crawls[0]);
const table = crawls.map((one) => {
  const ratios = of(one).map(({ rank: sum, turn }) => {
    return sum / embedded.find((other) => other.turn === turn).rank;
  });
  return {
    row: rowOf(one),
    ranks: of(one).map(({ rank: sum }) => sum),
    ratios: ratios.map((ratio) => round(ratio)),
    ratio: round(median(ratios)),
  };
});
console.table(table.map(({ row, ranks, ratio }) => ({ row, ranks: ranks.join(" "), ratio })));
if (options.save)
  keepResult("engine-order", { versions: { redis: engineVersion() }, options, table, runs });
judgeProblems(
  table
    .filter(({ ratio }) => ratio < MIN_RATIO)
    .map(({ row, ratio }) => `${row} collects ${ratio} of the PageRank of one queue`),
  options,
);

function round(value) {
  return Number(value.toFixed(4));
}

function rowOf({ workers, inSteps }) {
  const name = workers === 0 ? "embedded" : `${workers} on the engine`;
  return inSteps ? `${name}, in supersteps` : name;
}

/** In the form of the conformance data: the number of pages, then a line of links for each. */
function writeSmokeGraph() {
  const { pages: count, offsets, targets } = smokeGraph();
  const lines = Array.from({ length: count }, (_, page) =>
    targets.subarray(offsets[page], offsets[page + 1]).join(" "),
  );
  const path = join(folder, "smoke.graph-txt");
  writeFileSync(path, `${[count, ...lines].join("\n")}\n`);
  return path;
}

/** One crawl of a web of its own; 0 workers: embedded, with one thread. */
async function crawl({ workers, inSteps }) {
  const web = await startWebProcess({ graph: file, hosts: options.hosts });
  const place = join(folder, `${workers}-${inSteps}`);
  const redis =
    workers === 0 ? undefined : await PracticeRedis.start({ folder: join(place, "redis") });
  const outOf = (number) => join(place, `worker-${number}`);
  const seeds = join(folder, "seeds.txt");
  writeFileSync(seeds, web.start.join("\n"));
  const flags = flagsOf({
    ...{ seeds, scope: "any", order: "opic", threads: 1, delay: options.delay },
    ...{ "allow-private": "127.0.0.0/8", "max-pages": options.pages },
  });
  const quiet = (number) => ["--json", "--quiet", "--out", outOf(number)];
  const engine = redis === undefined ? [] : ["--engine", redis.url, "--crawl", "bench"];
  const mode = redis === undefined ? [] : ["--frontier", "engine", ...engine];
  if (inSteps) mode.push("--supersteps");
  try {
    const resolve = web.resolveArguments();
    let isOver = false;
    const first = run(["crawl", ...flags, ...resolve, ...mode, ...quiet(0)]).finally(() => {
      isOver = true;
    });
    const all = [first];
    while (!isOver && (await web.report()).pages === 0) await setTimeout(5);
    for (let i = 1; i < workers; i++) all.push(run(["worker", ...engine, ...quiet(i)]));
    await Promise.all(all);
    const pages = Array.from({ length: Math.max(1, workers) }, (_, i) => pagesOf(outOf(i)));
    const numbers = [...new Set(pages.flat())];
    const sum = numbers.reduce((total, page) => total + rank[page], 0);
    return {
      row: rowOf({ workers, inSteps }),
      pages: numbers.length,
      atWork: pages.filter((some) => some.length > 0).length,
      rank: round(sum),
    };
  } finally {
    await web.close();
    await redis?.kill();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Runs one command of the program; one that ends at its limit has exit code 3. */
async function run(args) {
  await promisify(execFile)(process.execPath, [commandOf(), ...args], {
    maxBuffer: 2 ** 24,
  }).catch((error) => (error.code === 3 ? error : Promise.reject(error)));
}

function pagesOf(out) {
  const list = join(out, "pages", "pages.jsonl");
  if (!existsSync(list)) return [];
  const lines = readFileSync(list, "utf8").trim().split("\n");
  return lines.flatMap((line) => line.match(/\/n\/(\d+)"/)?.[1] ?? []).map(Number);
}
