// Politeness at scale: how near a crawl of many hosts comes to the fastest rate that is polite, and whether it stays polite.
//
// The real program crawls a web in a process of its own. The fastest polite rate is hosts / (delay + latency) pages a
// second; whether a host was asked too soon is what the web saw. Measured in a window that begins when every host has
// been asked for robots.txt and a page. About a minute.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { cpuMsOf } from "../support/process-cpu.mjs";

const { hosts, delay, latency, threads, seconds, smoke, save } = readArguments({
  result: "politeness",
  options: {
    hosts: { default: 2000, smoke: 50, help: "hosts" },
    delay: { default: 2000, smoke: 200, help: "milliseconds between two requests to a host" },
    latency: { default: 50, smoke: 5, help: "milliseconds that an answer takes" },
    threads: { default: 2, help: "crawler threads" },
    seconds: { default: 25, smoke: 0.5, help: "seconds that are measured" },
  },
});
const MAX_WARM_UP_S = 120;
const MIN_SHARE = 0.95;

const mostPerSecond = (1000 * hosts) / (delay + latency);
// The smallest host has half as many pages as the average one: none may run dry before the window ends.
const pages = Math.ceil(2.5 * mostPerSecond * (seconds + 20)) + hosts;
const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-politeness-"));
const web = await startWebProcess({
  profile: { ...PROFILES.small, hosts, pages, meanLinks: 12, minBytes: 1024, maxBytes: 8192 },
  delayMs: delay,
  latencyMs: latency,
});
const seeds = join(folder, "seeds.txt");
writeFileSync(seeds, `${web.start.join("\n")}\n`);
const flags = flagsOf({
  seeds,
  scope: "any",
  "allow-private": "127.0.0.0/8",
  delay,
  threads,
  out: join(folder, "out"),
  quiet: true,
  json: true,
});
const crawler = spawn(process.execPath, [commandOf(), "crawl", ...flags], {
  stdio: ["ignore", "ignore", "inherit"],
});
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
    delayMs: delay,
    latencyMs: latency,
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
if (save) keepResult("politeness", { result });
const problems = [];
if (result.tooFast > 0) problems.push(`${result.tooFast} requests came too soon`);
if (result.share < MIN_SHARE) problems.push(`only ${result.share} of the possible rate`);
// Asking too soon is wrong at any size.
judgeProblems(problems, { smoke: smoke && result.tooFast === 0 });
