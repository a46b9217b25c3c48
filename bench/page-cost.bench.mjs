// CPU time of a whole crawl per 1,000 pages: user + system of the crawl process alone, start to exit, all its threads.
//   npm run build && node bench/page-cost.bench.mjs [--quick] [--only REGEXP] [--repetitions 3]
//       [--small-pages 20000] [--real-pages 5000] [--hosts 1] [--threads N] [--save] [--profile DIR]
// A row is web/coding/store/order, such as real/gzip/warc/bfs: SMALL pages have 5 KB and 26 links, REAL ones 97 KB and
// 150; the server sends gzip or not; pages are archived ("warc") or not ("none"). Rows take turns within a repetition.
// A crawl of one page is measured as well: what starting and ending costs is told apart and taken off.
// About 5 minutes on 2 idle cores; --quick below one. --save writes bench/results/page-cost.json. --profile writes
// a .cpuprofile per thread of every crawl into DIR, which costs time itself.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";

const text = (value) => ({ type: "string", default: value });
const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
    only: text(""),
    repetitions: text("3"),
    "small-pages": text(""),
    "real-pages": text(""),
    hosts: text("1"),
    threads: text(""),
    profile: text(""),
  },
});
const pages = {
  small: Number(options["small-pages"] || (options.quick ? 4000 : 20_000)),
  real: Number(options["real-pages"] || (options.quick ? 1000 : 5000)),
};
const repetitions = Number(options.repetitions);
const ROWS = ["small", "real"].flatMap((web) => [
  ...["gzip", "identity"].flatMap((coding) =>
    ["warc", "none"].map((store) => ({ web, coding, store, order: "bfs" })),
  ),
  { web, coding: "gzip", store: "warc", order: "opic" },
]);
const nameOf = ({ web, coding, store, order }) => `${web}/${coding}/${store}/${order}`;
const rows = ROWS.filter((row) => new RegExp(options.only).test(nameOf(row)));
const main = fileURLToPath(new URL("../build/src/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "orbweaver-page-cost-"));

/** Runs a crawl to its end; bash tells what the process has used, its last moments included. */
async function crawl(web, { store, order }, more = []) {
  const out = join(folder, "out");
  const flags = options.profile ? ["--cpu-prof", "--cpu-prof-dir", options.profile] : [];
  const threads = options.threads ? ["--threads", options.threads] : [];
  const settings = ["--delay", "0", "--store", store, "--order", order, ...threads, ...more];
  const args = [...flags, main, "crawl", ...web.start, "--out", out, ...settings, "--json"];
  const script = 'TIMEFORMAT="cpu %3U %3S"; time "$@"; exit 0';
  const shell = ["-c", script, "bash", process.execPath, ...args, "--quiet"];
  const { stdout, stderr } = await promisify(execFile)("bash", shell);
  rmSync(out, { recursive: true });
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr);
  return { ...JSON.parse(stdout), cpu: Number(user) + Number(system), system: Number(system) };
}

const runs = [];
/** One turn of a row: a crawl of one page, then one of all of them. */
async function measure(row, web, expected) {
  const { cpu: start } = await crawl(web, row, ["--max-pages", "1"]);
  const { cpu, system, pages: got, seconds, maxRssMiB } = await crawl(web, row);
  if (got !== expected) throw new Error(`${nameOf(row)}: ${got} pages instead of ${expected}`);
  const per = (value) => round((1000 * value) / got);
  runs.push({
    row: nameOf(row),
    pages: got,
    start: round(start),
    perThousand: per(cpu - start),
    whole: per(cpu),
    system: per(system),
    seconds: round(seconds),
    maxRssMiB: round(maxRssMiB),
  });
  console.error(JSON.stringify(runs.at(-1)));
}

/** Rows of one web after the other, so that two servers at most run. */
async function measureWeb(name) {
  const own = rows.filter((row) => row.web === name);
  const webs = {};
  try {
    for (const coding of new Set(own.map((row) => row.coding))) {
      const profile = { ...PROFILES[name], pages: pages[name], hosts: Number(options.hosts) };
      const web = await startWebProcess({ profile: { ...profile, encodings: coding === "gzip" } });
      webs[coding] = { web, expected: (await web.truth()).reachable };
    }
    for (let i = 0; i < repetitions; i++) {
      for (const row of i % 2 === 0 ? own : own.toReversed()) {
        const { web, expected } = webs[row.coding];
        await measure(row, web, expected);
      }
    }
  } finally {
    for (const { web } of Object.values(webs)) await web.close();
  }
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}

/** Median, least and greatest of a figure of a row. */
function spread(row, figure) {
  const values = runs.filter((run) => run.row === row).map((run) => run[figure]);
  values.sort((a, b) => a - b);
  return { median: values[values.length >> 1], least: values[0], most: values.at(-1) };
}

/** What one row costs more than another: the difference of their medians, per 1,000 pages. */
function compare(table) {
  const of = (name) => table.find(({ row }) => row === name)?.perThousand.median;
  const found = {};
  for (const web of ["small", "real"]) {
    for (const coding of ["gzip", "identity"]) {
      const [kept, dropped] = ["warc", "none"].map((store) => of(`${web}/${coding}/${store}/bfs`));
      if (kept && dropped) found[`archive of ${web}/${coding}`] = round(kept - dropped);
    }
    const [bfs, opic] = ["bfs", "opic"].map((order) => of(`${web}/gzip/warc/${order}`));
    if (bfs && opic) found[`opic / bfs of ${web}`] = round(opic / bfs);
  }
  return found;
}

const loadBefore = loadavg()[0];
try {
  for (const name of ["small", "real"]) await measureWeb(name);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const table = rows.map(nameOf).map((row) => ({
  row,
  perThousand: spread(row, "perThousand"),
  whole: spread(row, "whole").median,
  start: spread(row, "start").median,
  system: spread(row, "system").median,
  seconds: spread(row, "seconds").median,
  maxRssMiB: spread(row, "maxRssMiB").median,
}));
console.log("\nCPU seconds per 1,000 pages (medians; start-up taken off, told apart in seconds)");
console.table(
  table.map(({ perThousand: { median, least, most }, ...rest }) => ({
    row: rest.row,
    "CPU-s/1000": median,
    spread: `${least}-${most}`,
    "with start": rest.whole,
    start: rest.start,
    "wall s": rest.seconds,
    MiB: rest.maxRssMiB,
  })),
);
const differences = compare(table);
console.table(differences);
if (options.save) {
  const machine = {
    cpu: cpus()[0].model,
    cores: cpus().length,
    memory: totalmem(),
    platform: platform(),
    arch: arch(),
    load: [round(loadBefore), round(loadavg()[0])],
  };
  const { node, v8, zlib, openssl } = process.versions;
  const settings = { pages, hosts: Number(options.hosts), threads: options.threads || "default" };
  const result = {
    measured: new Date().toISOString(),
    machine,
    versions: { node, v8, zlib, openssl },
    settings: { ...settings, repetitions },
    table,
    differences,
    runs,
  };
  const file = new URL("results/page-cost.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}
