// Durable add including dedup: CPU per URL of our seen-set and journal, Crawlee, Scrapy, LMDB and SQLite, in turn.
//
// Crawlee's RequestQueue is in memory, Scrapy's is its disk queue and filter. Needs npm install in bench/rivals, and for
// Scrapy a Python that has it; what is absent is skipped and named. URLs of about 74 characters, 100 a page, 3 of 10 known
// before. The first 50,000 warm up and are not measured.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments } from "../support/arguments.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { median } from "../support/statistics.mjs";
import { ADDERS, versionOf } from "./adders.mjs";

const options = readArguments({
  result: "durable-add",
  options: {
    urls: { default: 300_000, smoke: 2000, help: "URLs offered" },
    repeat: { default: 3, smoke: 1, help: "repetitions" },
    python: { default: "python3", help: "a Python with Scrapy" },
  },
});
const { repeat, python } = options;
const PAGE_LINKS = 100;
const WARM_PAGES = options.smoke ? 10 : 500;
const here = fileURLToPath(new URL(".", import.meta.url));
const urls = options.urls + PAGE_LINKS * WARM_PAGES;

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
    console.log(`skipped: ${name}, needs ${needs} (npm install in bench/rivals)`);
    continue;
  }
  versions[name] = version;
  runners.push({ name, command: process.execPath, args: [join(here, "run-adder.mjs"), name] });
}
const scrapy = scrapyVersion();
if (scrapy === undefined) console.log(`skipped: scrapy, ${python} does not have it`);
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
  for (let repetition = 0; repetition < repeat; repetition++) {
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
const ours = median(ofName("orbweaver"));
const summary = runners.map(({ name }) => {
  const values = ofName(name);
  const middle = median(values);
  const spread = [Math.min(...values), Math.max(...values)];
  return { name, median: middle, spread, timesOurs: middle / ours };
});
for (const { name, median: middle, timesOurs } of summary) {
  console.log(`${name.padEnd(12)} median ${middle.toFixed(3)} us, ${timesOurs.toFixed(1)} x ours`);
}
if (options.save) {
  keepResult("durable-add", {
    versions,
    unit: "microseconds of CPU (user and system, all threads of the process) per URL offered",
    urls: options.urls,
    summary,
    rows,
  });
}
