// What one more page costs, apart from what a crawl costs once: CPU time (user + system, all threads) of whole crawls of
// two sizes. The slope between the sizes is the price of a page, what is left is start, compiling and end.
//   npm run build && node bench/page-slope.bench.mjs [--against DIR] [--turns 5] [--web small|real] [--pages 2000,12000]
//       [--threads N] [--store warc|none] [--order bfs|opic] [--save]
// With --against the build of another checkout takes turns with this one, crawl by crawl, and ratios new/old are told:
// medians of the ratios within a turn. About 20 s per turn on 2 idle cores. --save writes bench/results/page-slope.json.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";
import { keepResult } from "./keep-result.mjs";

const text = (value) => ({ type: "string", default: value });
const { values: options } = parseArgs({
  options: {
    against: text(""),
    turns: text("5"),
    web: text("small"),
    pages: text(""),
    threads: text(""),
    store: text("warc"),
    order: text("bfs"),
    save: { type: "boolean", default: false },
  },
});
const turns = Number(options.turns);
const given = options.pages || (options.web === "small" ? "2000,12000" : "600,3600");
const [few, many] = given.split(",").map(Number);
const own = fileURLToPath(new URL("..", import.meta.url));
const builds = { new: own, ...(options.against && { old: resolve(options.against) }) };
const folder = mkdtempSync(join(tmpdir(), "orbweaver-page-slope-"));

/** CPU seconds of a crawl of a whole web; bash tells what the process has used, its last moments included. */
async function crawl(checkout, { web, expected }) {
  const out = join(folder, "out");
  const main = join(checkout, "build", "src", "cli", "main.js");
  const threads = options.threads ? ["--threads", options.threads] : [];
  const settings = ["--delay", "0", "--store", options.store, "--order", options.order, ...threads];
  const args = [main, "crawl", ...web.start, "--out", out, ...settings, "--json", "--quiet"];
  const script = 'TIMEFORMAT="cpu %3U %3S"; time "$@"; exit 0';
  const shell = ["-c", script, "bash", process.execPath, ...args];
  const { stdout, stderr } = await promisify(execFile)("bash", shell);
  rmSync(out, { recursive: true });
  const { pages } = JSON.parse(stdout);
  if (pages !== expected) throw new Error(`${checkout}: ${pages} pages instead of ${expected}`);
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr).map(Number);
  return user + system;
}

const round = (value) => Number(value.toPrecision(3));

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function spread(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(round);
  return { median: round(median(values)), least, most };
}

const runs = [];
const webs = [];
try {
  for (const pages of [few, many]) {
    const web = await startWebProcess({ profile: { ...PROFILES[options.web], pages } });
    webs.push({ web, expected: (await web.truth()).reachable });
  }
  const [small, large] = webs.map(({ expected }) => expected);
  for (let turn = 0; turn < turns; turn++) {
    const cpu = { new: [], old: [] };
    for (const size of [0, 1]) {
      const names = Object.keys(builds);
      for (const name of turn % 2 === 0 ? names : names.toReversed())
        cpu[name].push(await crawl(builds[name], webs[size]));
    }
    for (const name of Object.keys(builds)) {
      const [a, b] = cpu[name];
      const perThousand = (1000 * (b - a)) / (large - small);
      const run = { turn, build: name, few: a, many: b, perThousand };
      runs.push({ ...run, once: a - (perThousand * small) / 1000 });
      console.error(JSON.stringify(runs.at(-1)));
    }
  }
} finally {
  for (const { web } of webs) await web.close();
  rmSync(folder, { recursive: true, force: true });
}

const FIGURES = ["few", "many", "perThousand", "once"];
const of = (build, figure) => runs.filter((run) => run.build === build).map((run) => run[figure]);
const table = Object.keys(builds).map((build) => ({
  build,
  ...Object.fromEntries(FIGURES.map((figure) => [figure, spread(of(build, figure))])),
}));
const ratios = {};
if (builds.old)
  for (const figure of FIGURES) {
    const old = of("old", figure);
    ratios[figure] = spread(of("new", figure).map((value, i) => value / old[i]));
  }
console.log(
  `${options.web}, crawls of ${webs.map(({ expected }) => expected).join(" and ")} pages, CPU seconds`,
);
const told = ({ median: m, least, most }) => `${m} (${least}-${most})`;
console.table(
  [...table, ...(builds.old ? [{ build: "new/old", ...ratios }] : [])].map((row) => ({
    build: row.build,
    ...Object.fromEntries(FIGURES.map((figure) => [figure, told(row[figure])])),
  })),
);
if (options.save)
  keepResult("page-slope", "bench/page-slope.bench.mjs", {
    settings: options,
    table,
    ratios,
    runs,
  });
