// Whether a page costs the same late in a crawl as early: CPU time per page and memory of the crawler's process alone.
//
// The real program crawls an even web, in which every page is the same work. CPU time depends on what else the machine
// does, by half and more. So a second crawl of the same web begins when the first is nearly over; after its first 10,000
// pages (until then code is compiled and tables are small) the two take turns of some thousand pages, while the other one
// is stopped. What counts is the ratio of these: late to early pages within seconds of each other. Windows of the first
// crawl are shown as they are, beside a fixed piece of work measured in the same window and the cost of a page in terms of
// that. 1e6 pages take about 5 minutes on two cores, 5e4 half a minute.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readArguments } from "../support/arguments.mjs";
import { calibrate } from "../support/calibration.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { cpuMsOf } from "../support/process-cpu.mjs";
import { median } from "../support/statistics.mjs";
import { startEvenWeb } from "./even-web.mjs";

const options = readArguments({
  result: "flat",
  options: {
    pages: { default: 1e6, smoke: 1000, help: "pages of the long crawl" },
    hosts: { default: 0, help: "hosts; 0: one for 50 pages, at most 1000" },
    threads: { default: 2, help: "crawler threads" },
    windows: { default: 10, smoke: 2, help: "windows of the long crawl" },
    turns: { default: 10, smoke: 2, help: "turns that the two crawls take" },
    order: { default: "bfs", choices: ["bfs", "dfs", "opic"], help: "order of the crawl" },
  },
});
const { pages, threads, windows, turns, order, smoke, save } = options;
const hosts = options.hosts || Math.min(1000, Math.ceil(pages / 50));
const WARM_PAGES = Math.min(10_000, pages / 5);
const TURN_PAGES = Math.min(4000, Math.ceil(pages / 60));
const LEAD_PAGES = TURN_PAGES / 4;
const ALL_TURNS_PAGES = turns * (TURN_PAGES + LEAD_PAGES);
/** Allowed of late pages against early ones: CPU per page, and bytes of memory per page done between windows. */
const MAX_RATIO = 1.25;
const MAX_BYTES_PER_PAGE = 128;
const CALIBRATE_EVERY_MS = 100;
const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-flat-"));

/** A crawl by the program, and the web it crawls. */
class Crawl {
  #web;
  #process;
  #ended;
  #isOver = false;

  constructor(name, web) {
    this.#web = web;
    const seeds = join(folder, `${name}.txt`);
    writeFileSync(seeds, `${web.start.join("\n")}\n`);
    const flags = flagsOf({
      seeds,
      scope: "any",
      "allow-private": "127.0.0.0/8",
      delay: 0,
      threads,
      order,
      out: join(folder, name),
      quiet: true,
      json: true,
    });
    this.#process = spawn(process.execPath, [commandOf(), "crawl", ...flags], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#ended = once(this.#process, "exit").then(() => {
      this.#isOver = true;
    });
  }

  /** Pages served so far, CPU microseconds and resident bytes of the crawler. */
  async used() {
    const done = await this.#web.pagesServed();
    if (this.#isOver) throw new Error("the crawl has ended by itself");
    const status = readFileSync(`/proc/${this.#process.pid}/status`, "latin1");
    const rss = 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)[1]);
    return { done, us: 1000 * cpuMsOf(this.#process.pid), rss };
  }

  /** Waits until so many pages are served; `meanwhile` is called from time to time. */
  async reach(wanted, meanwhile = () => {}) {
    for (;;) {
      const now = await this.used();
      if (now.done >= wanted) return now;
      meanwhile();
      await sleep(10);
    }
  }

  stop() {
    this.#process.kill("SIGSTOP");
  }

  go() {
    this.#process.kill("SIGCONT");
  }

  async close() {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }
}

const round = (value, digits = 1) => Number(value.toFixed(digits));
const perPage = (before, after) => (after.us - before.us) / (after.done - before.done);
const sum = (rows, figure) => rows.reduce((all, row) => all + row[figure], 0);

/** The cost of pages from `WARM_PAGES` up to `end`, window by window. */
async function measureWindows(crawl, end) {
  const rows = [];
  let before = await crawl.reach(WARM_PAGES);
  const step = (end - before.done) / windows;
  for (let window = 1; window <= windows; window++) {
    const fixed = [];
    let lastMs = 0;
    const now = await crawl.reach(end - (windows - window) * step, () => {
      if (performance.now() - lastMs < CALIBRATE_EVERY_MS) return;
      lastMs = performance.now();
      fixed.push(calibrate());
    });
    const fixedUs = median(fixed.length > 0 ? fixed : [calibrate()]);
    rows.push({
      pages: now.done,
      cpuPerPageUs: round(perPage(before, now)),
      fixedWorkUs: fixedUs,
      perFixedWork: round(perPage(before, now) / fixedUs, 3),
      rssMiB: round(now.rss / 2 ** 20),
    });
    const { cpuPerPageUs, rssMiB, perFixedWork } = rows.at(-1);
    console.log(
      `  ${now.done} pages: ${cpuPerPageUs} us each, ${perFixedWork} of the fixed work (${fixedUs} us), ${rssMiB} MiB`,
    );
    before = now;
  }
  return rows;
}

/** A turn of a crawl that is stopped before and after. Its first pages do not count: caches and connections are cold. */
async function turn(crawl) {
  const { done } = await crawl.used();
  crawl.go();
  const before = await crawl.reach(done + LEAD_PAGES);
  await crawl.reach(before.done + TURN_PAGES);
  crawl.stop();
  const after = await crawl.used();
  return { from: before.done, pages: after.done - before.done, us: after.us - before.us };
}

/** Early, late, late, early, and so on: what changes evenly in time, or costs whoever comes second, falls out. */
async function takeTurns(early, late) {
  const blocks = [];
  const cost = (some) => sum(some, "us") / sum(some, "pages");
  late.stop();
  early.stop();
  for (let i = 0; i < turns; i += 2) {
    const [e, l, l2, e2] = [
      await turn(early),
      await turn(late),
      await turn(late),
      await turn(early),
    ];
    const [earlyUs, lateUs] = [cost([e, e2]), cost([l, l2])];
    blocks.push({
      early: e.from,
      earlyUs: round(earlyUs),
      late: l.from,
      lateUs: round(lateUs),
      ratio: round(lateUs / earlyUs, 3),
    });
    console.log(
      `  from ${e.from} pages: ${round(earlyUs)} us each; from ${l.from} pages: ${round(lateUs)} us each`,
    );
  }
  return blocks;
}

// Both are there before anything is measured: making one takes seconds.
const webs = [
  // A smoke run is so short that the crawl is far beyond its pages when the second one is under way.
  await startEvenWeb(hosts, smoke ? 30 * pages : pages),
  await startEvenWeb(hosts, WARM_PAGES + 1.2 * ALL_TURNS_PAGES),
];
const late = new Crawl("late", webs[0]);
let early;
let rows;
let blocks;
try {
  rows = await measureWindows(late, pages - ALL_TURNS_PAGES);
  // The late one goes on meanwhile: stopped for longer, it would lose its connections.
  early = new Crawl("early", webs[1]);
  await early.reach(WARM_PAGES);
  blocks = await takeTurns(early, late);
} finally {
  await early?.close();
  await late.close();
  for (const web of webs) await web.close();
  rmSync(folder, { recursive: true, force: true });
}
const some = Math.max(1, Math.floor(rows.length / 3));
/** The last third of the windows against the first. */
const lastToFirst = (figure) => {
  const of = (part) => median(part.map((row) => row[figure]));
  return round(of(rows.slice(-some)) / of(rows.slice(0, some)), 3);
};
const [first, last] = [rows[0], rows.at(-1)];
const ratios = blocks.map(({ ratio }) => ratio);
const result = {
  pages,
  hosts,
  threads,
  order,
  earlyUs: median(blocks.map(({ earlyUs }) => earlyUs)),
  lateUs: median(blocks.map(({ lateUs }) => lateUs)),
  ratio: median(ratios),
  least: Math.min(...ratios),
  most: Math.max(...ratios),
  windowsRaw: lastToFirst("cpuPerPageUs"),
  windowsPerFixedWork: lastToFirst("perFixedWork"),
  bytesPerPage: Math.round((2 ** 20 * (last.rssMiB - first.rssMiB)) / (last.pages - first.pages)),
};
console.table({ flat: result });
if (save) keepResult("flat", { result, windows: rows, turns: blocks });
const problems = [];
if (result.ratio > MAX_RATIO)
  problems.push(`a page costs ${result.ratio} times as much at the end`);
// In a shorter crawl tables of a fixed size fill up meanwhile: 32 MiB for queued URLs, fingerprints for the trap detector.
if (pages >= 1e6 && result.bytesPerPage > MAX_BYTES_PER_PAGE)
  problems.push(`memory grows by ${result.bytesPerPage} bytes per page`);
judgeProblems(problems, { smoke });
