// Priority queues in bulk: speed, comparisons, balance of slices, block I/O; seed 002's figures 8-10 and table 1.
//
// --save writes after every section, so that a long run that is stopped keeps what it has; sections that did not run keep
// what they had. --plots draws the stored results anew and measures nothing.

import { readArguments } from "../support/arguments.mjs";
import { keepPlots, keepResult, storedResult } from "../support/keep-result.mjs";
import { crawlQueue } from "./crawl-queue.mjs";
import { comparisonsByKeys, figure8, figure9, slices, slicesByKeys, threads } from "./figures.mjs";
import { plotsOf } from "./plots.mjs";
import { buildStd, loadFlatqueue } from "./rivals.mjs";
import { large, speed, streams } from "./speed.mjs";

const SECTIONS = {
  speed,
  streams,
  large,
  crawl: crawlQueue,
  comparisons: comparisonsByKeys,
  figure8,
  figure9,
  slices,
  slicesByKeys,
  threads,
};
const NAMES = Object.keys(SECTIONS);
const options = readArguments({
  result: "queue",
  options: {
    only: { default: NAMES, choices: NAMES, help: "sections" },
    quick: { default: false, help: "smaller queues: below 20 s, but not to be compared" },
    plots: { default: false, help: "draw the stored results anew, nothing else" },
  },
});

/** Sections that take long do less where `isShort`; without `largeKeys` there is no section of that name. */
const SIZES = {
  full: { keys: 1e6, largeKeys: 8e7, batch: 8000, rounds: 250, repetitions: 3, figureKeys: 1e6 },
  quick: { keys: 2e5, batch: 8000, rounds: 30, repetitions: 3, figureKeys: 1e5, isShort: true },
  smoke: {
    keys: 8000,
    largeKeys: 8000,
    batch: 640,
    rounds: 3,
    repetitions: 1,
    figureKeys: 8000,
    isShort: true,
  },
};
const size = SIZES[options.smoke ? "smoke" : options.quick ? "quick" : "full"];

const flatqueue = options.plots ? undefined : await loadFlatqueue();
const std = options.plots ? undefined : buildStd();
if (options.plots) keepPlots(plotsOf(storedResult("queue").sections));
else await measureAll();

async function measureAll() {
  if (flatqueue === undefined) console.log("skipped: flatqueue, needs npm install in bench/rivals");
  if (std === undefined) console.log("skipped: std::priority_queue, needs g++");
  const results = {};
  try {
    for (const name of options.only) {
      const { title, table, data } = await SECTIONS[name]({ size, flatqueue, std });
      if (table === undefined) continue;
      console.log(`\n${title}`);
      console.table(table);
      if (data.goals !== undefined) console.log(data);
      results[name] = { title, ...data, table };
      if (options.save) store(results);
    }
  } finally {
    std?.remove();
  }
  // Drawn also where nothing is stored: a smoke run must notice a plot that fails.
  plotsOf(results);
}

function store(results) {
  const before = storedResult("queue");
  const sections = { ...before.sections, ...results };
  // A rival that is absent today keeps the version it was measured with.
  const versions = { ...before.versions };
  if (flatqueue !== undefined) versions.flatqueue = flatqueue.version;
  if (std !== undefined) versions.gxx = std.version;
  const note =
    "CPU time in ns, medians of interleaved repetitions; other load on the machine widens the spread";
  keepResult("queue", { note, versions, sections });
  keepPlots(plotsOf(sections));
}
