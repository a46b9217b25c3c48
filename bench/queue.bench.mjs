// Priority queues in bulk: speed, comparisons, balance of slices, block I/O; seed 002's figures 8-10 and table 1.
//   npm run build && node bench/queue.bench.mjs [--quick] [--only speed,streams,large,crawl,figure8,...]
// Tables go to the terminal; results with machine and versions to bench/results/queue.json, plots to *.svg beside it.
// --quick (below 20 s) measures smaller queues and writes nothing; --plots only draws the stored results anew.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { crawlQueue } from "./queue.crawl.mjs";
import { comparisonsByKeys, figure8, figure9, slices, threads } from "./queue.figures.mjs";
import { plotsOf } from "./queue.plots.mjs";
import { buildStd, loadFlatqueue } from "./queue.rivals.mjs";
import { large, speed, streams } from "./queue.speed.mjs";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    plots: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const SECTIONS = {
  ...{ speed, streams, large, crawl: crawlQueue, comparisons: comparisonsByKeys },
  ...{ figure8, figure9, slices, threads },
};
const wanted = options.plots ? [] : (options.only?.split(",") ?? Object.keys(SECTIONS));
const flatqueue = await loadFlatqueue();
const std = buildStd();
if (flatqueue === undefined) console.log("flatqueue: skipped (npm install in bench/rivals)");
if (std === undefined) console.log("std::priority_queue: skipped (no g++)");

const size = options.quick
  ? { keys: 2e5, largeKeys: 0, batch: 8000, rounds: 30, repetitions: 3, figureKeys: 1e5 }
  : { keys: 1e6, largeKeys: 8e7, batch: 8000, rounds: 250, repetitions: 3, figureKeys: 1e6 };

const results = {};
try {
  for (const name of wanted) {
    const section = SECTIONS[name];
    if (section === undefined) throw new Error(`no section ${name}`);
    const { title, table, data } = await section({ size, flatqueue, std });
    if (table === undefined) continue;
    console.log(`\n${title}`);
    console.table(table);
    if (data.goals !== undefined) console.log(data);
    results[name] = { title, ...data, table };
    if (!options.quick) store(); // after every section: a long run that is stopped keeps what it has
  }
} finally {
  std?.remove();
}

if (options.plots) store();
if (!options.quick)
  console.log(`\nwritten: ${fileURLToPath(new URL("./results/", import.meta.url))}`);

function store() {
  const folder = new URL("./results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = new URL("queue.json", folder);
  const machine = {
    cpu: cpus()[0].model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
  };
  const before = readBefore(file);
  // A rival that is absent today keeps the version it was measured with.
  const versions = { ...before.versions, node: process.version, v8: process.versions.v8 };
  if (flatqueue !== undefined) versions.flatqueue = flatqueue.version;
  if (std !== undefined) versions.gxx = std.version;
  const note =
    "CPU time in ns, medians of interleaved repetitions; other load on the machine widens the spread";
  const sections = { ...before.sections, ...results }; // sections not run this time keep what they had
  const text = { note, machine, versions, date: new Date().toISOString().slice(0, 10), sections };
  if (!options.plots) writeFileSync(file, `${JSON.stringify(text, undefined, 2)}\n`);
  for (const [name, svg] of Object.entries(plotsOf(sections)))
    writeFileSync(new URL(`${name}.svg`, folder), svg);
}

function readBefore(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
