// The seen-set: CPU per URL of the hash, of add and of addMany, new and known, at growing sizes; bytes per URL at 21
// points from 1e6 to the largest size.
// Needs a build: npm run build && node bench/seen.bench.mjs [--max 1e8] [--repetitions 3] [--save]
//
// URLs of 74 characters, made in batches of 2,000 just before they are added, as links come from a page just parsed;
// only the adding is timed, in CPU time of the process. Between the measured sizes the set is filled with random
// fingerprints (its own are as even; tests/frontier/url-print.test.ts), every one through the same add.
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import { SeenSet } from "../build/src/frontier/seen.js";
import { urlPrint } from "../build/src/frontier/url-print.js";

const BATCH = 2000;
const BATCHES = 50;
const POINTS = 21;

const argument = (name, otherwise) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise;
const maxSize = argument("--max", 1e7);
const repetitions = argument("--repetitions", 3);
/** CPU is measured here; with 21 points up to 1e8, each 10^0.1 apart, all three are among them. */
const sizes = [1e6, 1e7, 1e8].filter((size) => size <= maxSize);
const points = Array.from({ length: POINTS }, (_, i) =>
  Math.round(1e6 * (maxSize / 1e6) ** (i / (POINTS - 1))),
);

let made = 0;
function makeUrls() {
  const urls = [];
  for (let i = 0; i < BATCH; i++, made++) {
    const start = `https://www.example-${made % 977}.org/articles/2024/${made}-`;
    // Through bytes, so that the string is flat as one that was cut out of a page.
    urls.push(Buffer.from(start.padEnd(74, "a-story-about-spiders-")).toString("latin1"));
  }
  return urls;
}

function nanoseconds(work) {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return ((used.user + used.system) * 1000) / BATCH;
}

/** The middle one and the one a tenth from below: the second is less disturbed by other load. */
function summary(values) {
  values.sort((a, b) => a - b);
  const at = (part) => Math.round(values[Math.floor(part * values.length)]);
  return { medianNs: at(0.5), tenthNs: at(0.1) };
}

function measure(seen) {
  const times = { hash: [], add: [], addKnown: [], addMany: [], addManyKnown: [] };
  const fresh = new Uint8Array(BATCH);
  const addAll = (urls) => {
    for (let i = 0; i < BATCH; i++) seen.add(urls[i]);
  };
  for (let batch = 0; batch < BATCHES; batch++) {
    let urls = makeUrls();
    times.hash.push(
      nanoseconds(() => {
        for (let i = 0; i < BATCH; i++) urlPrint(urls[i], 3, 4);
      }),
    );
    times.add.push(nanoseconds(() => addAll(urls)));
    // Fresh strings: a known URL comes as a new string, its place in the table not read lately.
    const known = urls.map((url) => Buffer.from(url).toString("latin1"));
    urls = makeUrls();
    times.addMany.push(nanoseconds(() => seen.addMany(urls, fresh)));
    const knownToo = urls.map((url) => Buffer.from(url).toString("latin1"));
    times.addKnown.push(nanoseconds(() => addAll(known)));
    times.addManyKnown.push(nanoseconds(() => seen.addMany(knownToo, fresh)));
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list)]));
}

function mixer(seed, step) {
  let state = seed;
  return () => {
    state = (state + step) | 0;
    let h = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
    return h ^ (h >>> 15);
  };
}

const rows = [];
const bytesPerUrl = [];
for (let repetition = 0; repetition < repetitions; repetition++) {
  const seed = () => Math.floor(Math.random() * 2 ** 32);
  const seen = new SeenSet(seed(), seed());
  const low = mixer(seed(), 0x9e3779b9);
  const high = mixer(seed(), 0x7f4a7c15);
  const fill = (size) => {
    while (seen.size < size) seen.addPrint(low(), high());
  };
  // Until the compiler is done.
  measure(seen);
  for (const point of points) {
    const from = seen.size;
    const before = process.cpuUsage();
    fill(point);
    const used = process.cpuUsage(before);
    const fillNs = Math.round(((used.user + used.system) * 1000) / (seen.size - from));
    bytesPerUrl.push({ repetition, size: point, bytes: seen.bytes / seen.size });
    if (!sizes.includes(point)) continue;
    const row = {
      repetition,
      size: point,
      fillNs,
      ...measure(seen),
      rss: process.memoryUsage.rss(),
    };
    rows.push(row);
    const cells = Object.entries(row).map(([name, value]) =>
      typeof value === "object"
        ? `${name} ${value.medianNs} (${value.tenthNs})`
        : `${name} ${value}`,
    );
    console.log(cells.join("  "));
  }
  const own = bytesPerUrl.filter((p) => p.repetition === repetition).map((p) => p.bytes);
  console.log(`bytes per URL ${Math.min(...own).toFixed(2)} to ${Math.max(...own).toFixed(2)}`);
}
if (process.argv.includes("--save")) {
  const folder = new URL("./results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const result = {
    experiment: "bench/seen.bench.mjs",
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: os.cpus()[0].model,
      cores: os.cpus().length,
      memoryBytes: os.totalmem(),
      system: `${os.type()} ${os.release()}`,
      node: process.version,
      v8: process.versions.v8,
    },
    unit: `CPU nanoseconds per URL of 74 characters, hash included; ${BATCHES} batches of ${BATCH}: median and tenth percentile`,
    load1: os.loadavg()[0],
    rows,
    bytesPerUrl,
  };
  writeFileSync(new URL("seen.json", folder), `${JSON.stringify(result, null, 1)}\n`);
}
