// What one more page costs, apart from what a crawl costs once: CPU time (user + system, all threads) of two sizes.
//
// The slope between whole crawls of two sizes is the price of a page, what is left is start, compiling and end. With
// --against the build of another checkout takes turns with this one, crawl by crawl, and the ratios new/old are shown:
// medians of the ratios within a repetition. About 20 s per repetition on 2 idle cores.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { crawlTimed, root } from "../support/command-line.mjs";
import { keepResult } from "../support/keep-result.mjs";

const options = readArguments({
  result: "page-slope",
  options: {
    against: { default: "", help: "another checkout that is built: takes turns with this one" },
    web: { default: "small", choices: ["small", "real"], help: "the web" },
    pages: { default: [0, 0], smoke: [50, 300], help: "the two sizes; 2000,12000 or 600,3600" },
    threads: { default: "", help: "crawler threads, where not those of a crawl" },
    store: { default: "warc", choices: ["warc", "none"], help: "what is kept of pages" },
    order: { default: "bfs", choices: ["bfs", "dfs", "opic"], help: "order of the crawl" },
    repeat: { default: 5, smoke: 1, help: "repetitions" },
  },
});
const { against, web: webName, threads, store, order, repeat } = options;
const sizes =
  options.pages[1] > 0 ? options.pages : { small: [2000, 12_000], real: [600, 3600] }[webName];
const builds = { new: root, ...(against && { old: resolve(against) }) };
const folder = mkdtempSync(join(tmpdir(), "orbweaver-page-slope-"));

/** CPU seconds of a crawl of a whole web. */
async function crawl(checkout, { web, expected }) {
  const out = join(folder, "out");
  const settings = { out, delay: 0, store, order, ...(threads && { threads }) };
  const { pages, cpu } = await crawlTimed(web.start, settings, { checkout });
  rmSync(out, { recursive: true });
  if (pages !== expected) throw new Error(`${checkout}: ${pages} pages instead of ${expected}`);
  return cpu;
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
  for (const pages of sizes) {
    const web = await startWebProcess({ profile: { ...PROFILES[webName], pages } });
    webs.push({ web, expected: (await web.truth()).reachable });
  }
  const [small, large] = webs.map(({ expected }) => expected);
  for (let turn = 0; turn < repeat; turn++) {
    const cpu = { new: [], old: [] };
    for (const size of [0, 1]) {
      const names = Object.keys(builds);
      for (const name of turn % 2 === 0 ? names : names.toReversed())
        cpu[name].push(await crawl(builds[name], webs[size]));
    }
    for (const name of Object.keys(builds)) {
      const [few, many] = cpu[name];
      const perThousand = (1000 * (many - few)) / (large - small);
      const once = few - (perThousand * small) / 1000;
      runs.push({ turn, build: name, few, many, perThousand, once });
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
  `${webName}, crawls of ${webs.map(({ expected }) => expected).join(" and ")} pages, CPU seconds`,
);
const shown = ({ median: m, least, most }) => `${m} (${least}-${most})`;
console.table(
  [...table, ...(builds.old ? [{ build: "new/old", ...ratios }] : [])].map((row) => ({
    build: row.build,
    ...Object.fromEntries(FIGURES.map((figure) => [figure, shown(row[figure])])),
  })),
);
if (options.save)
  keepResult("page-slope", {
    settings: { against, web: webName, pages: sizes, threads, store, order, repeat },
    table,
    ratios,
    runs,
  });
