// Durable add including dedup: CPU per URL offered of Orbweaver's seen-set and journal, of Crawlee's RequestQueue (in
// memory), of Scrapy's disk queue and filter, of LMDB and of SQLite, all with the same URLs, in turn, in one run.
// Needs a build, npm install in bench/rivals, and for Scrapy a Python that has it; what is absent is skipped and named.
//   npm run build && node bench/rivals/durable-add.mjs [--urls 300000] [--repetitions 3] [--python python3] [--save]
//
// URLs of about 74 characters, 100 a page, 3 of 10 met before. The first 50,000 warm up and are not measured.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepResult } from "../keep-result.mjs";
import { ADDERS, versionOf } from "./adders.mjs";

const PAGE_LINKS = 100;
const WARM_PAGES = 500;
const here = fileURLToPath(new URL(".", import.meta.url));
const argument = (name, otherwise) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise;
const urls = Number(argument("--urls", "300000")) + PAGE_LINKS * WARM_PAGES;
const repetitions = Number(argument("--repetitions", "3"));
const python = argument("--python", "python3");

/** Numbers that look random and are the same in every run. */
function mixed(n) {
  let h = Math.imul(n, 0x9e3779b9);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  return (h ^ (h >>> 15)) >>> 0;
}

function makeUrls() {
  const lines = [];
  let distinct = 0;
  for (let i = 0; i < urls; i++) {
    const known = distinct > 0 && mixed(i) % 10 < 3;
    const id = known ? mixed(i + 1e9) % distinct : distinct++;
    const start = `https://www.example-${mixed(id) % 997}.org/articles/2024/${id}-`;
    lines.push(start.padEnd(74, "a-story-about-spiders-"));
  }
  return { text: `${lines.join("\n")}\n`, distinct };
}

function scrapyVersion() {
  try {
    const code = "import scrapy; print(scrapy.__version__)";
    return execFileSync(python, ["-c", code], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  }
}

const runners = [];
const versions = {};
for (const [name, { needs }] of Object.entries(ADDERS)) {
  const version = needs === undefined ? "this repository" : versionOf(needs);
  if (version === undefined) {
    console.log(`${name} is skipped: ${needs} is not installed in bench/rivals`);
    continue;
  }
  versions[name] = version;
  runners.push({ name, command: process.execPath, args: [join(here, "run-adder.mjs"), name] });
}
const scrapy = scrapyVersion();
if (scrapy === undefined) console.log("scrapy is skipped: this Python does not have it");
else {
  versions.scrapy = scrapy;
  runners.push({ name: "scrapy", command: python, args: [join(here, "scrapy_adder.py")] });
}

const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-rivals-"));
const rows = [];
try {
  const { text, distinct } = makeUrls();
  const file = join(folder, "urls.txt");
  writeFileSync(file, text, "latin1");
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const { name, command, args } of runners) {
      const own = join(folder, name);
      mkdirSync(own);
      const all = [...args, own, file, String(PAGE_LINKS), String(WARM_PAGES)];
      const output = execFileSync(command, all, {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      });
      rmSync(own, { recursive: true });
      const { micros, measured, kept, rss } = JSON.parse(output.trim().split("\n").at(-1));
      if (kept !== distinct) throw new Error(`${name} kept ${kept} of ${distinct} URLs`);
      rows.push({ repetition, name, microsPerUrl: micros / measured, rss });
      console.log(`${name.padEnd(12)} ${(micros / measured).toFixed(3)} us of CPU per URL`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}

const ofName = (name) => rows.filter((row) => row.name === name).map((row) => row.microsPerUrl);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const ours = median(ofName("orbweaver"));
const summary = runners.map(({ name }) => {
  const values = ofName(name);
  const middle = median(values);
  return { name, median: middle, spread: [values[0], values.at(-1)], timesOurs: middle / ours };
});
for (const { name, median: middle, timesOurs } of summary) {
  console.log(`${name.padEnd(12)} median ${middle.toFixed(3)} us, ${timesOurs.toFixed(1)} x ours`);
}
if (process.argv.includes("--save")) {
  keepResult("durable-add", "bench/rivals/durable-add.mjs", {
    versions,
    unit: "microseconds of CPU (user and system, all threads of the process) per URL offered",
    urls: urls - PAGE_LINKS * WARM_PAGES,
    summary,
    rows,
  });
}
