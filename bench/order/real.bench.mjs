// Real crawls of the cnr-2000 graph on loopback: PageRank collected with one thread and with several, by cash and bfs.
//
// The hosts of the web are equal ranges of page numbers. About a minute per 16,000 pages and order.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { graphFile, loadGraph, pageRank, smokeGraph } from "./graph.mjs";

const options = readArguments({
  result: "order-real",
  options: {
    pages: { default: 16_278, smoke: 100, help: "pages of a crawl" },
    hosts: { default: 64, smoke: 10, help: "hosts of the web" },
    threads: { default: [1, 4], smoke: [2], help: "crawler threads" },
  },
});
const { pages, hosts } = options;
const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-order-"));
const file = options.smoke ? writeSmokeGraph() : graphFile();
if (file === undefined) {
  rmSync(folder, { recursive: true });
  process.exit(0);
}
const rank = pageRank(await loadGraph(file));
const web = await startWebProcess({ graph: file, hosts });
const seeds = join(folder, "seeds.txt");
writeFileSync(seeds, web.start.join("\n"));
const rows = [];
try {
  for (const threads of options.threads) {
    for (const order of ["opic", "bfs"]) rows.push(await crawl(order, threads));
  }
} finally {
  await web.close();
  rmSync(folder, { recursive: true });
}
console.table(rows);
if (options.save) keepResult("order-real", { settings: { pages, hosts }, rows });

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

async function crawl(order, threads) {
  const out = join(folder, `${order}-${threads}`);
  const flags = flagsOf({
    seeds,
    "allow-private": "127.0.0.0/8",
    scope: "any",
    order,
    threads,
    "max-pages": pages,
    delay: 0,
    out,
    json: true,
    quiet: true,
  });
  const args = [commandOf(), "crawl", ...flags, ...web.resolveArguments()];
  // A crawl that ends at its limit has exit code 3.
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    maxBuffer: 2 ** 24,
  }).catch((error) => (error.code === 3 ? error : Promise.reject(error)));
  const { cpuSeconds, pages: fetched } = JSON.parse(stdout);
  const report = JSON.parse(readFileSync(join(out, "reports", "summary.json"), "utf8"));
  const lines = readFileSync(join(out, "pages", "pages.jsonl"), "utf8")
    .trim()
    .split("\n");
  const numbers = lines.flatMap((line) => line.match(/\/n\/(\d+)"/)?.[1] ?? []).map(Number);
  const share = (count) => {
    const sum = numbers.slice(0, count).reduce((total, page) => total + rank[page], 0);
    return Number(sum.toFixed(4));
  };
  const { exchanges, exchangeSize, maxNextUrls, lateOwn, lateForeign } = report;
  rmSync(out, { recursive: true });
  return {
    order,
    threads,
    fetched,
    "first fifth": share(Math.floor(pages / 5)),
    all: share(pages),
    "CPU us per page": Math.round((1e6 * cpuSeconds) / fetched),
    exchanges,
    exchangeSize,
    maxNextUrls,
    lateOwn,
    lateForeign,
  };
}
