// CPU time per page of a crawl with --order opic against --order bfs: the same synthetic web, runs taken in turns.
// Needs a build: npm run build && node bench/order.cost.mjs
//   [--pages 5000] [--hosts 20] [--threads 2] [--repetitions 3] [--profile small] [--save]

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";
import { keepResult } from "./keep-result.mjs";

const word = (name, otherwise) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise;
const pages = Number(word("--pages", 5000));
const hosts = Number(word("--hosts", 20));
const threads = Number(word("--threads", 2));
const repetitions = Number(word("--repetitions", 3));
const profile = word("--profile", "small");
const ORDERS = ["bfs", "opic"];
const main = fileURLToPath(new URL("../build/src/cli/main.js", import.meta.url));

const web = await startWebProcess({ profile: { ...PROFILES[profile], pages, hosts } });
const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-order-"));
const runs = [];
try {
  for (let i = 0; i < repetitions; i++) {
    for (const order of i % 2 === 0 ? ORDERS : ORDERS.toReversed()) {
      const out = join(folder, `${order}-${i}`);
      const args = ["crawl", ...web.start, "--order", order, "--delay", "0", "--out", out];
      const more = ["--json", "--quiet", "--threads", String(threads)];
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, ...more]);
      const { pages: fetched, cpuSeconds, maxRssMiB } = JSON.parse(stdout);
      runs.push({ order, pages: fetched, microsPerPage: (1e6 * cpuSeconds) / fetched, maxRssMiB });
      console.log(JSON.stringify(runs.at(-1)));
      rmSync(out, { recursive: true });
    }
  }
} finally {
  await web.close();
  rmSync(folder, { recursive: true });
}

const median = (order) => {
  const values = runs.filter((run) => run.order === order).map((run) => run.microsPerPage);
  return values.sort((a, b) => a - b)[values.length >> 1];
};
const result = {
  settings: { profile, pages, hosts, threads, repetitions },
  runs,
  ratio: Number((median("opic") / median("bfs")).toFixed(3)),
};
console.log(`opic / bfs, CPU time per page, medians: ${result.ratio}`);
if (process.argv.includes("--save")) keepResult("order-cost", "bench/order.cost.mjs", result);
