// Politeness at scale: many hosts with a delay, crawled by the real program from a web in a process of its own. How
// near does the crawl come to the fastest that is polite, hosts / (delay + latency) pages a second, and was any host
// asked too soon, as the web saw it?
// Needs a build: npm run build && node bench/politeness.bench.mjs
//   [--hosts 2000] [--delay 2000] [--latency 50] [--threads 2] [--seconds 25] [--save]
//
// Measured in a window that begins when every host has been asked for robots.txt and a page. Run time: about a minute.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";
import { keepResult } from "./keep-result.mjs";
import { cpuMsOf } from "./process-cpu.mjs";

const argument = (name, otherwise) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise;
const hosts = argument("--hosts", 2000);
const delayMs = argument("--delay", 2000);
const latencyMs = argument("--latency", 50);
const threads = argument("--threads", 2);
const seconds = argument("--seconds", 25);
const MAX_WARM_UP_S = 120;
const LEAST_SHARE = 0.95;
const main = fileURLToPath(new URL("../build/src/cli/main.js", import.meta.url));

const mostPerSecond = (1000 * hosts) / (delayMs + latencyMs);
// The smallest host has half as many pages as the average one: none may run dry before the window ends.
const pages = Math.ceil(2.5 * mostPerSecond * (seconds + 20)) + hosts;
const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-politeness-"));
const web = await startWebProcess({
  profile: { ...PROFILES.small, hosts, pages, meanLinks: 12, minBytes: 1024, maxBytes: 8192 },
  delayMs,
  latencyMs,
});
const seeds = join(folder, "seeds.txt");
writeFileSync(seeds, `${web.start.join("\n")}\n`);
const crawler = spawn(
  process.execPath,
  [
    ...[main, "crawl", "--seeds", seeds, "--scope", "any", "--allow-private", "127.0.0.0/8"],
    ...["--delay", String(delayMs), "--threads", String(threads), "--out", join(folder, "out")],
    ...["--quiet", "--json"],
  ],
  { stdio: ["ignore", "ignore", "inherit"] },
);
const ended = once(crawler, "exit");
let result;
try {
  const beganMs = performance.now();
  for (;;) {
    await sleep(250);
    if (crawler.exitCode !== null) throw new Error(`the crawl ended with ${crawler.exitCode}`);
    if ((await web.report()).requests >= 2 * hosts) break;
    if (performance.now() - beganMs > 1000 * MAX_WARM_UP_S) throw new Error("it never got going");
  }
  const warmUpS = (performance.now() - beganMs) / 1000;
  const from = { ms: performance.now(), cpu: cpuMsOf(crawler.pid) / 1000, ...(await web.report()) };
  const webFrom = await web.cpuUsage();
  await sleep(1000 * seconds);
  const to = { ms: performance.now(), cpu: cpuMsOf(crawler.pid) / 1000, ...(await web.report()) };
  const webTo = await web.cpuUsage();
  const windowS = (to.ms - from.ms) / 1000;
  const perSecond = (to.requests - from.requests) / windowS;
  result = {
    hosts,
    delayMs,
    latencyMs,
    threads,
    warmUpS: Number(warmUpS.toFixed(1)),
    windowS: Number(windowS.toFixed(1)),
    pagesPerSecond: Number(perSecond.toFixed(1)),
    mostPerSecond: Number(mostPerSecond.toFixed(1)),
    share: Number((perSecond / mostPerSecond).toFixed(4)),
    smallestGapMs: Number(to.smallestGapMs.toFixed(1)),
    tooFast: to.tooFastCount,
    crawlerCpuPerPageUs: Math.round((1e6 * (to.cpu - from.cpu)) / (to.requests - from.requests)),
    crawlerCores: Number(((to.cpu - from.cpu) / windowS).toFixed(2)),
    webCores: Number(
      ((webTo.user + webTo.system - webFrom.user - webFrom.system) / 1e6 / windowS).toFixed(2),
    ),
    loadBefore: os.loadavg()[0],
  };
} finally {
  crawler.kill("SIGKILL");
  await ended;
  await web.close();
  rmSync(folder, { recursive: true, force: true });
}
console.table({ politeness: result });
const problems = [
  ...(result.tooFast > 0 ? [`${result.tooFast} requests came too soon`] : []),
  ...(result.share < LEAST_SHARE ? [`only ${result.share} of the possible rate`] : []),
];
for (const problem of problems) console.log(`  ${problem}`);
if (process.argv.includes("--save"))
  keepResult("politeness", "bench/politeness.bench.mjs", { result });
process.exitCode = problems.length > 0 ? 1 : 0;
