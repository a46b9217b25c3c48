// PageRank collected on cnr-2000 by workers on an engine, also in supersteps, against one embedded crawl with one queue.
//
// All crawls have --order opic and the same --max-pages. What counts is the PageRank of the pages of all workers together,
// not who came when. About 20 s of CPU per 8,000 pages. Needs redis-server.

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
import { engineVersion } from "./engine-version.mjs";

const options = readArguments({
  result: "engine-order",
  options: {
    pages: { default: 8000, smoke: 100, help: "pages of a crawl" },
    hosts: { default: 64, smoke: 10, help: "hosts of the web" },
    workers: { default: [1, 2, 4, 8], smoke: [2], help: "numbers of workers" },
    delay: { default: 100, smoke: 0, help: "milliseconds between requests of a host" },
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
const rows = [];
try {
  rows.push(await crawl(0, false));
  for (const supersteps of [false, true])
    for (const workers of options.workers) {
      rows.push(await crawl(workers, supersteps));
      console.error(JSON.stringify(rows.at(-1)));
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const table = rows.map((row) => ({ ...row, ratio: Number((row.rank / rows[0].rank).toFixed(4)) }));
console.table(table);
if (options.save)
  keepResult("engine-order", { versions: { redis: engineVersion() }, options, table });
judgeProblems(
  table
    .filter(({ ratio }) => ratio < MIN_RATIO)
    .map(({ row, ratio }) => `${row} collects ${ratio} of the PageRank of one queue`),
  options,
);

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
async function crawl(workers, supersteps) {
  const web = await startWebProcess({ graph: file, hosts: options.hosts });
  const place = join(folder, `${workers}-${supersteps}`);
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
  if (supersteps) mode.push("--supersteps");
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
    const name = workers === 0 ? "embedded" : `${workers} on the engine`;
    return {
      row: supersteps ? `${name}, in supersteps` : name,
      pages: numbers.length,
      atWork: pages.filter((some) => some.length > 0).length,
      rank: Number(sum.toFixed(4)),
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
