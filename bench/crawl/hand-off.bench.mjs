// Throughput against number of buffers and buffer size (seed 001, figures 7 and 8), on a synthetic web with latency.
//
// As in the seed a crawler asks for one page at a time, and a buffer is shared by two crawlers and one builder:
// 1 buffer with 1 crawler, 3 buffers with 6, 6 buffers with 12. Answers take some time, so that the number of
// crawlers decides; the table shows how much of that the hand-off gives away. Rates count from the first answer to
// the last, so that the start of the threads, of which some rows have eighteen, is left out. At most five minutes: a
// repetition that would take longer is left out. --save draws the plots, too.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { keepPlots, keepResult } from "../support/keep-result.mjs";
import { lineChart } from "../support/line-chart.mjs";
import { spread } from "../support/statistics.mjs";

const options = readArguments({
  result: "hand-off",
  options: {
    pages: { default: 45, smoke: 5, help: "pages per crawler" },
    buffers: { default: ["1", "3", "6"], smoke: ["1"], help: "numbers of buffers" },
    sizes: { default: [1, 30, 1000], smoke: [1000], help: "records in a buffer" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
  },
});
/** Of one crawl; only a machine that is far too busy takes so long. */
const MAX_SECONDS = 10;
const MAX_ALL_MS = 290_000;
const LATENCY_MS = { median: options.smoke ? 2 : 50, spread: 0.5 };
const SETS = [
  { buffers: 1, crawlers: 1, seed: 16933 },
  { buffers: 3, crawlers: 6, seed: 101900 },
  { buffers: 6, crawlers: 12, seed: 171341 },
];
const BUFFERS = SETS.filter(({ buffers }) => options.buffers.includes(String(buffers)));
const MODES = ["full", "count-or-time"];
const run = promisify(execFile);
const began = Date.now();

const rows = BUFFERS.flatMap((set) =>
  options.sizes.flatMap((size) => MODES.map((mode) => ({ ...set, size, mode, runs: [] }))),
);
const web = await startWebProcess({
  profile: { ...PROFILES.small, hosts: 24, pages: 50_000, latencyMs: LATENCY_MS },
});
try {
  // All rows once, then all of them again: a slow minute of the machine strikes every row alike.
  for (let n = 1; n <= options.repeat; n++) {
    for (const row of rows) row.runs.push(await crawl(row));
    const tookMs = Date.now() - began;
    console.error(`repetition ${n} of ${options.repeat}: ${Math.round(tookMs / 1000)} s`);
    if (tookMs + tookMs / n > MAX_ALL_MS) break;
  }
} finally {
  await web.close();
}

for (const row of rows) {
  row.pagesPerSecond = spread(row.runs.map(({ fetched }) => (fetched.length - 1) / fetched.at(-1)));
  row.cpuMsPerPage = spread(row.runs.map(({ pages, cpuSeconds }) => (1000 * cpuSeconds) / pages));
}
const one = (size, mode) =>
  rows.find((row) => row.buffers === 1 && row.size === size && row.mode === mode).pagesPerSecond
    .median;
console.log(
  "buffers  crawlers    N  hand-off        pages/s (least-most)   CPU ms/page  against 1 buffer  seed, 10 h",
);
for (const { buffers, crawlers, size, mode, pagesPerSecond, cpuMsPerPage, seed } of rows) {
  const { median, least, most } = pagesPerSecond;
  console.log(
    [
      String(buffers).padStart(7),
      String(crawlers).padStart(9),
      String(size).padStart(4),
      ` ${mode}`.padEnd(15),
      median.toFixed(1).padStart(7),
      `(${least.toFixed(1)}-${most.toFixed(1)})`.padStart(15),
      cpuMsPerPage.median.toFixed(2).padStart(12),
      `${(median / one(size, mode)).toFixed(2)}x`.padStart(17),
      `${(seed / SETS[0].seed).toFixed(1)}x`.padStart(11),
    ].join(" "),
  );
}

// Figure 7: what was written after one, three and five fifths of the seed's time, with N = 1,000.
const fifths = BUFFERS.map((set) => {
  const pages = pagesOverTime(set, "count-or-time");
  const after = (part) => pages.filter(([time]) => time <= (part * pages.at(-1)[0]) / 5).length;
  return { buffers: set.buffers, crawlers: set.crawlers, after: [after(1), after(3), after(5)] };
});
for (const { buffers, crawlers, after } of fifths)
  console.log(`figure 7: ${buffers} buffers, ${crawlers} crawlers: ${after.join(", ")} pages`);

const series = (mode, of) =>
  Object.fromEntries(BUFFERS.map((set) => [`${set.buffers} buffers, ${mode}`, of(set, mode)]));
const plots = {
  "hand-off-figure-8": lineChart({
    title: "Pages against time (seed 001, figure 8), N = 1,000",
    x: "seconds",
    y: "pages",
    series: series("count-or-time", pagesOverTime),
  }),
  "hand-off-sizes": lineChart({
    title: "Pages per second against buffer size (median)",
    x: "records in a buffer",
    y: "pages/s",
    logX: true,
    series: Object.assign({}, ...MODES.map((mode) => series(mode, rateOverSize))),
  }),
};
if (options.save) {
  keepPlots(plots);
  keepResult("hand-off", {
    pagesPerCrawler: options.pages,
    repetitions: rows[0].runs.length,
    latencyMs: LATENCY_MS,
    figure7: fifths,
    rows: rows.map(({ runs, ...row }) => ({
      ...row,
      runs: runs.map(({ fetched, ...figures }) => ({ ...figures, fetchSeconds: fetched.at(-1) })),
    })),
  });
}
console.log(`\n${Math.round((Date.now() - began) / 1000)} s, load ${loadavg()[0].toFixed(1)}`);

/** One crawl: its summary, and when each page was fetched. */
async function crawl({ buffers, crawlers, size, mode }) {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-hand-off-"));
  const out = join(folder, "crawl");
  const flags = flagsOf({
    threads: crawlers,
    builders: buffers,
    "buffer-size": size,
    "hand-off": mode,
    "links-per-thread": 1,
    delay: 0,
    scope: "any",
    "max-pages": options.pages * crawlers,
    "max-time": `${MAX_SECONDS}s`,
    contact: "bench@example.org",
    out,
    json: true,
    quiet: true,
  });
  const words = [commandOf(), "crawl", ...web.start, ...flags, ...web.resolveArguments()];
  try {
    // A crawl that a limit ends has exit code 3.
    const { stdout } = await run(process.execPath, words).catch((fault) => {
      if (fault.code === 3) return fault;
      throw new Error(`the crawl failed: ${fault.stderr || fault.message}`);
    });
    const { pages, seconds, cpuSeconds, maxRssMiB } = JSON.parse(stdout);
    return { pages, seconds, cpuSeconds, maxRssMiB, fetched: fetchTimes(out) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seconds from the first page to each of them, in order. */
function fetchTimes(out) {
  const lines = readFileSync(join(out, "pages", "pages.jsonl"), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  const times = lines.map((line) => Date.parse(JSON.parse(line).ts)).sort((a, b) => a - b);
  return times.map((time) => (time - times[0]) / 1000);
}

function pagesOverTime({ buffers }, mode) {
  const row = rows.find(
    (r) => r.buffers === buffers && r.size === options.sizes.at(-1) && r.mode === mode,
  );
  const sorted = [...row.runs].sort((a, b) => a.fetched.at(-1) - b.fetched.at(-1));
  return sorted[sorted.length >> 1].fetched.map((time, i) => [time, i + 1]);
}

function rateOverSize({ buffers }, mode) {
  const own = rows.filter((row) => row.buffers === buffers && row.mode === mode);
  return own.map(({ size, pagesPerSecond }) => [size, pagesPerSecond.median]);
}
