// Real crawls of the cnr-2000 graph on loopback: PageRank collected with one thread and with several, by cash and
// breadth first. The hosts of the web are equal ranges of page numbers. Takes about a minute per 16,000 pages and order.
// Needs a build: npm run build && node bench/order.real.mjs [--pages 16278] [--hosts 64] [--threads 1,4] [--save]

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startWebProcess } from "../build/src/web/web-process.js";
import { keepResult } from "./keep-result.mjs";
import { loadGraph, pageRank } from "./order.graph.mjs";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "16278" },
    hosts: { type: "string", default: "64" },
    threads: { type: "string", default: "1,4" },
    save: { type: "boolean", default: false },
  },
});
const pages = Number(values.pages);
const graph = loadGraph();
if (graph === undefined) {
  console.log("skipped: ../shared/conformance/webgraph is not here");
  process.exit(0);
}
const rank = pageRank(graph);
const file = new URL("../../shared/conformance/webgraph/cnr-2000.graph-txt.gz", import.meta.url);
const main = fileURLToPath(new URL("../build/src/cli/main.js", import.meta.url));
const hosts = Number(values.hosts);
const web = await startWebProcess({ graph: fileURLToPath(file), hosts });
const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-order-"));
const seeds = join(folder, "seeds.txt");
writeFileSync(seeds, web.start.join("\n"));
const rows = [];
try {
  for (const threads of values.threads.split(",")) {
    for (const order of ["opic", "bfs"]) rows.push(await crawl(order, threads));
  }
} finally {
  await web.close();
  rmSync(folder, { recursive: true });
}
console.table(rows);
if (values.save) {
  keepResult("order-real", "bench/order.real.mjs", { settings: { pages, hosts }, rows });
}

async function crawl(order, threads) {
  const out = join(folder, `${order}-${threads}`);
  const args = ["crawl", "--seeds", seeds, "--allow-private", "127.0.0.0/8", "--scope", "any"];
  const how = ["--order", order, "--threads", threads, "--max-pages", String(pages)];
  const rest = ["--delay", "0", "--out", out, "--json", "--quiet", ...web.resolveArguments()];
  // A crawl that ends at its limit says so with exit code 3.
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, ...how, ...rest], {
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
    threads: Number(threads),
    fetched,
    "first fifth": share(Math.floor(pages / 5)),
    all: share(pages),
    "CPU us per page": Math.round((1e6 * cpuSeconds) / fetched),
    ...{ exchanges, exchangeSize, maxNextUrls, lateOwn, lateForeign },
  };
}
