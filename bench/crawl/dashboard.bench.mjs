// What a dashboard with three clients costs a crawl of 1,000 pages per second, as a part of the crawl's CPU time.
//
// Pairs of crawls of one web take turns, one with --dashboard and clients in a process of their own that ask what the page
// asks, one without. Politeness sets the rate, so both do the same work in the same time. CPU time (user + system, all
// threads) and pages are taken from reports/series.jsonl between two moments of steady crawling. The share of a pair is
// CPU per page with / without - 1; the goal is judged by the median, with its distribution-free interval of 95 %. Beside it
// stands what the main thread costs more, as a part of all CPU: it serves the dashboard, and does little else, so this is
// exact also where the machine has other work. About 27 s per pair; --more adds pairs to those that were saved last.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
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
  const main = await mainThreadCpu(child);
  await once(child, "close");
  if (watching !== undefined && watching.exitCode === null) await once(watching, "close");
  if (isWatched && watching === undefined) throw new Error(`no dashboard: ${told}`);
  const lines = readFileSync(join(out, "reports", "series.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  rmSync(out, { recursive: true });
  const figures = lines.map((line) => JSON.parse(line));
  const from = figures.find(({ runSeconds }) => runSeconds >= warm);
  const to = figures.findLast(({ runSeconds }) => runSeconds <= warm + seconds);
  const pages = to.pages - from.pages;
  const passed = to.runSeconds - from.runSeconds;
  const cpu = to.cpuSeconds - from.cpuSeconds;
  return {
    ...{ perSecond: pages / passed, cpuPerSecond: cpu / passed, cpuPerPage: cpu / pages },
    ...(main !== undefined && { mainPerSecond: main }),
  };
}

/** CPU seconds of a process's first thread per second of the steady part; undefined where the system does not tell. */
async function mainThreadCpu({ pid }) {
  const read = () => {
    try {
      return (
        Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e9
      );
    } catch {
      return undefined;
    }
  };
  await pause(1000 * warm);
  const [before, fromMs] = [read(), performance.now()];
  await pause(1000 * seconds);
  const [after, toMs] = [read(), performance.now()];
  const isKnown = before !== undefined && after !== undefined;
  return isKnown ? (1000 * (after - before)) / (toMs - fromMs) : undefined;
}

const percent = (share) => `${(100 * share).toFixed(2)} %`;
const measured = options.more ? (storedResult("dashboard").measured ?? []) : [];
const web = await startWebProcess({ profile });
try {
  for (let turn = 0; turn < pairs; turn++) {
    const order = turn % 2 === 0 ? [false, true] : [true, false];
    const pair = {};
    for (const isWatched of order)
      pair[isWatched ? "watched" : "alone"] = await crawl(web, isWatched);
    const { alone, watched } = pair;
    pair.share = watched.cpuPerPage / alone.cpuPerPage - 1;
    if (alone.mainPerSecond !== undefined && watched.mainPerSecond !== undefined)
      pair.mainShare = (watched.mainPerSecond - alone.mainPerSecond) / alone.cpuPerSecond;
    measured.push(pair);
    const shown = ({ perSecond, cpuPerSecond }) =>
      `${perSecond.toFixed(0)} pages/s with ${cpuPerSecond.toFixed(3)} CPU`;
    console.log(
      `${shown(alone)}; watched ${shown(watched)}: ${percent(pair.share)}, of the main thread ${percent(pair.mainShare ?? Number.NaN)}`,
    );
    if (options.save) save();
  }
} finally {
  await web.close();
  rmSync(folder, { recursive: true, force: true });
}

function judged() {
  const rates = measured.flatMap(({ alone, watched }) => [alone.perSecond, watched.perSecond]);
  const mainShares = measured.flatMap(({ mainShare }) => mainShare ?? []);
  return {
    ...medianInterval(measured.map(({ share }) => share)),
    ...{ pairs: measured.length, leastRate: Math.min(...rates) },
    ...(mainShares.length > 0 && { mainThread: medianInterval(mainShares) }),
  };
}

function save() {
  const settings = { clients, hosts, warm, seconds };
  keepResult("dashboard", { settings, goal: { maxShare: MAX_SHARE, ...judged() }, measured });
}

const { median, from, to, leastRate, mainThread } = judged();
console.log(
  `${measured.length} pairs at ${leastRate.toFixed(0)} pages/s or more: a dashboard with ${clients} clients costs ${percent(median)} of the CPU (95 %: ${percent(from)} to ${percent(to)})`,
);
if (mainThread !== undefined)
  console.log(
    `more CPU of the main thread: ${percent(mainThread.median)} (95 %: ${percent(mainThread.from)} to ${percent(mainThread.to)})`,
  );
judgeProblems(
  median < MAX_SHARE ? [] : [`it costs ${percent(median)}, and should cost less than 3 %`],
  options,
);
