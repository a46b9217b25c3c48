// What a dashboard with three clients costs a crawl of 1,000 pages per second, as a part of the crawl's CPU time.
//
// Pairs of crawls of one web take turns, one with --dashboard and clients in a process of their own that ask what the page
// asks, one without. Politeness sets the rate, so both do the same work in the same time. CPU time (user + system, all
// threads) and pages are taken from reports/series.jsonl between two moments of steady crawling. The share of a pair is
// CPU per page with / without - 1; the goal is judged by the median, with its distribution-free interval of 95 %. About
// 27 s per pair; --more adds pairs to those that were saved last.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult, storedResult } from "../support/keep-result.mjs";
import { medianInterval } from "../support/statistics.mjs";

const MAX_SHARE = 0.03;
const CLIENTS = fileURLToPath(new URL("dashboard-clients.child.mjs", import.meta.url));

const options = readArguments({
  result: "dashboard",
  options: {
    pairs: { default: 12, smoke: 1, help: "pairs of crawls" },
    clients: { default: 3, help: "clients of the dashboard" },
    hosts: { default: 112, smoke: 20, help: "hosts of the web: each is asked ten times a second" },
    warm: { default: 4, smoke: 1, help: "seconds before the measurement" },
    seconds: { default: 8, smoke: 2, help: "seconds that are measured" },
    more: { default: false, help: "add to the pairs that were saved last" },
  },
});
const { pairs, clients, hosts, warm, seconds } = options;
const folder = mkdtempSync(join(tmpdir(), "orbweaver-dashboard-"));
const profile = { ...PROFILES.small, hosts, pages: hosts * 400, crossHostShare: 0.2 };

/** CPU and pages per second of a crawl in its steady part. */
async function crawl(web, isWatched) {
  const out = join(folder, "out");
  const flags = {
    ...{ out, delay: 100, scope: "any", "allow-private": "127.0.0.0/8", threads: 1 },
    ...{ "max-time": `${warm + seconds + 1}s`, quiet: true },
    ...(isWatched && { dashboard: true }),
  };
  const args = [commandOf(), "crawl", ...web.start, ...flagsOf(flags)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let watching;
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    told += text;
    const url = /Dashboard: (http:\S+)/.exec(told)?.[1];
    if (url === undefined || watching !== undefined) return;
    watching = spawn(process.execPath, [CLIENTS, url, String(clients)], { stdio: "inherit" });
  });
  await once(child, "close");
  if (watching !== undefined && watching.exitCode === null) await once(watching, "close");
  if (isWatched && watching === undefined) throw new Error(`no dashboard: ${told}`);
  const lines = readFileSync(join(out, "reports", "series.jsonl"), "utf8").trimEnd().split("\n");
  rmSync(out, { recursive: true });
  const figures = lines.map((line) => JSON.parse(line));
  const from = figures.find(({ runSeconds }) => runSeconds >= warm);
  const to = figures.findLast(({ runSeconds }) => runSeconds <= warm + seconds);
  const pages = to.pages - from.pages;
  const passed = to.runSeconds - from.runSeconds;
  const cpu = to.cpuSeconds - from.cpuSeconds;
  return { perSecond: pages / passed, cpuPerSecond: cpu / passed, cpuPerPage: cpu / pages };
}

const measured = options.more ? (storedResult("dashboard").measured ?? []) : [];
const web = await startWebProcess({ profile });
try {
  for (let turn = 0; turn < pairs; turn++) {
    const order = turn % 2 === 0 ? [false, true] : [true, false];
    const pair = {};
    for (const isWatched of order) pair[isWatched ? "watched" : "alone"] = await crawl(web, isWatched);
    pair.share = pair.watched.cpuPerPage / pair.alone.cpuPerPage - 1;
    measured.push(pair);
    const shown = ({ perSecond, cpuPerSecond }) =>
      `${perSecond.toFixed(0)} pages/s with ${cpuPerSecond.toFixed(3)} CPU`;
    console.log(
      `${shown(pair.alone)}; watched ${shown(pair.watched)}: ${(100 * pair.share).toFixed(2)} %`,
    );
    if (options.save) save();
  }
} finally {
  await web.close();
  rmSync(folder, { recursive: true, force: true });
}

function judged() {
  const { median, from, to } = medianInterval(measured.map(({ share }) => share));
  const rates = measured.flatMap(({ alone, watched }) => [alone.perSecond, watched.perSecond]);
  return { median, from, to, pairs: measured.length, leastRate: Math.min(...rates) };
}

function save() {
  const settings = { clients, hosts, warm, seconds };
  keepResult("dashboard", { settings, goal: { maxShare: MAX_SHARE, ...judged() }, measured });
}

const { median, from, to, leastRate } = judged();
const percent = (share) => `${(100 * share).toFixed(2)} %`;
console.log(
  `${measured.length} pairs at ${leastRate.toFixed(0)} pages/s or more: a dashboard with ${clients} clients costs ${percent(median)} of the CPU (95 %: ${percent(from)} to ${percent(to)})`,
);
judgeProblems(
  median < MAX_SHARE ? [] : [`it costs ${percent(median)}, and should cost less than 3 %`],
  options,
);
