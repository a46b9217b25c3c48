// CPU time of a whole crawl per 1,000 pages: user + system of the crawl process alone, start to exit, all its threads.
//
// A row is web/coding/store/order, such as real/gzip/warc/bfs: SMALL pages have 5 KB and 26 links, REAL ones 97 KB and
// 150; the server sends gzip or not; pages are archived ("warc") or not ("none"). Rows take turns within a repetition.
// A crawl of one page is measured as well: what starting and ending costs is shown apart and taken off. About 5 minutes
// on 2 idle cores, with --small-pages 4000 --real-pages 1000 below one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { crawlTimed } from "../support/command-line.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { spread } from "../support/statistics.mjs";

const options = readArguments({
  result: "page-cost",
  options: {
    only: {
      default: "",
      smoke: "small/gzip/warc",
      help: "rows whose name matches this expression",
    },
    "small-pages": { default: 20_000, smoke: 100, help: "pages of the SMALL web" },
    "real-pages": { default: 5000, smoke: 50, help: "pages of the REAL web" },
    hosts: { default: 1, help: "hosts of either" },
    threads: { default: "", help: "crawler threads, where not those of a crawl" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
    profile: { default: "", help: "folder for a .cpuprofile per thread, which costs time itself" },
  },
});
const { hosts, threads, repeat } = options;
const pages = { small: options.smallPages, real: options.realPages };
const ROWS = ["small", "real"].flatMap((web) => [
  ...["gzip", "identity"].flatMap((coding) =>
    ["warc", "none"].map((store) => ({ web, coding, store, order: "bfs" })),
  ),
  { web, coding: "gzip", store: "warc", order: "opic" },
]);
const nameOf = ({ web, coding, store, order }) => `${web}/${coding}/${store}/${order}`;
const rows = ROWS.filter((row) => new RegExp(options.only).test(nameOf(row)));
const folder = mkdtempSync(join(tmpdir(), "orbweaver-page-cost-"));
const round = (value) => Math.round(value * 1000) / 1000;

async function crawl(web, { store, order }, more = {}) {
  const out = join(folder, "out");
  const nodeFlags = options.profile ? ["--cpu-prof", "--cpu-prof-dir", options.profile] : [];
  const settings = { out, delay: 0, store, order, ...(threads && { threads }), ...more };
  const summary = await crawlTimed(web.start, settings, { nodeFlags });
  rmSync(out, { recursive: true });
  return summary;
}

const runs = [];
/** One turn of a row: a crawl of one page, then one of all of them. */
async function measure(row, web, expected) {
  const { cpu: start } = await crawl(web, row, { "max-pages": 1 });
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

/** Rows of one web after the other, so that at most two servers run. */
async function measureWeb(name) {
  const own = rows.filter((row) => row.web === name);
  const webs = {};
  try {
    for (const coding of new Set(own.map((row) => row.coding))) {
      const profile = {
        ...PROFILES[name],
        pages: pages[name],
        hosts,
        encodings: coding === "gzip",
      };
      const web = await startWebProcess({ profile });
      webs[coding] = { web, expected: (await web.truth()).reachable };
    }
    for (let i = 0; i < repeat; i++) {
      for (const row of i % 2 === 0 ? own : own.toReversed()) {
        const { web, expected } = webs[row.coding];
        await measure(row, web, expected);
      }
    }
  } finally {
    for (const { web } of Object.values(webs)) await web.close();
  }
}

const figure = (row, name) => spread(runs.filter((run) => run.row === row).map((run) => run[name]));

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

try {
  for (const name of ["small", "real"]) await measureWeb(name);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const table = rows.map(nameOf).map((row) => ({
  row,
  perThousand: figure(row, "perThousand"),
  whole: figure(row, "whole").median,
  start: figure(row, "start").median,
  system: figure(row, "system").median,
  seconds: figure(row, "seconds").median,
  maxRssMiB: figure(row, "maxRssMiB").median,
}));
console.log("\nCPU seconds per 1,000 pages (medians; start-up taken off, shown apart in seconds)");
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
  const { zlib, openssl } = process.versions;
  keepResult("page-cost", {
    versions: { zlib, openssl },
    settings: { pages, hosts, threads: threads || "default", repeat },
    table,
    differences,
    runs,
  });
}
