// The seen-set: CPU per URL, hash included, and memory per URL, at sizes up to 1e8; goals 0.3 us and 14 bytes.
// Needs a build: npm run build && node bench/seen.bench.mjs [--max 1e8] [--repetitions 3] [--save]
//
// "add": new links, 100 a page, by the way of the crawl (Shard.admitAll). "addKnown": the same links once more. "addAlone" and
// "addAloneKnown": one link a page. "hash": the fingerprint of one URL after the other. Beside them what memory itself
// costs at that moment, with as many bytes as the table has: "readAlone" is a read of a random line that must wait for the one before,
// "readTogether" one of many that need not.

import { ShardState } from "../build/src/frontier/journal/fold.js";
import { Shard } from "../build/src/frontier/shard/shard.js";
import { urlFingerprint } from "../build/src/hash/url-fingerprint.js";
import { keepResult } from "./keep-result.mjs";
import { readNanoseconds } from "./memory-latency.mjs";
import { tellGoal } from "./tell-goal.mjs";

const BATCH = 2000;
const BATCHES = 50;
const PAGE_LINKS = 100;
const POINTS = 21;
const NO_CHAIN = [];

const argument = (name, otherwise) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise;
const maxSize = argument("--max", 1e8);
const repetitions = argument("--repetitions", 3);
/** CPU is measured here; with 21 points up to 1e8, each 10^0.1 apart, all three are among them. */
const sizes = [1e6, 1e7, 1e8].filter((size) => size <= maxSize);
const points = new Set(
  Array.from({ length: POINTS }, (_, i) => Math.round(1e6 * (maxSize / 1e6) ** (i / (POINTS - 1)))),
);

let made = 0;
function makeLinks() {
  const found = [];
  const parent = "https://www.example.org/";
  for (let i = 0; i < BATCH; i++, made++) {
    const start = `https://www.example-${made % 977}.org/articles/2024/${made}-`;
    const url = flat(start.padEnd(74, "a-story-about-spiders-"));
    found.push({ url, parent, depth: 3, via: "link", seed: false, chain: NO_CHAIN });
  }
  return found;
}

/** The same links as a later page has them: fresh strings, their places in the table not read lately. */
function again(found) {
  return found.map((one) => ({ ...one, url: flat(one.url) }));
}

/** Through bytes, so that the string is one piece, as one that was cut out of a page. */
function flat(text) {
  return Buffer.from(text, "latin1").toString("latin1");
}

function pagesOf(found, links) {
  const pages = [];
  for (let i = 0; i < found.length; i += links) pages.push(found.slice(i, i + links));
  return pages;
}

function nanoseconds(work, count = BATCH) {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return ((used.user + used.system) * 1000) / count;
}

/** The middle one and the one a tenth from below: the second is less disturbed by other load. */
function summary(values) {
  values.sort((a, b) => a - b);
  const at = (part) => Math.round(values[Math.floor(part * values.length)]);
  return { medianNs: at(0.5), tenthNs: at(0.1) };
}

function measure(shard) {
  const times = { hash: [], add: [], addKnown: [], addAlone: [], addAloneKnown: [] };
  let fresh = 0;
  let told = 0;
  const tell = () => {
    told++;
  };
  const addAll = (pages) => {
    for (const page of pages) fresh += shard.admitAll(page, tell);
  };
  for (let batch = 0; batch < BATCHES; batch++) {
    const links = makeLinks();
    times.hash.push(
      nanoseconds(() => {
        for (let i = 0; i < BATCH; i++) urlFingerprint(links[i].url, 3, 4);
      }),
    );
    const before = fresh;
    for (const [name, perPage] of [
      ["add", PAGE_LINKS],
      ["addAlone", 1],
    ]) {
      const news = name === "add" ? links : makeLinks();
      const pages = pagesOf(news, perPage);
      times[name].push(nanoseconds(() => addAll(pages)));
      // Others come between, so that a known link is not one met a moment ago.
      addAll([makeLinks()]);
      const known = pagesOf(again(news), perPage);
      times[`${name}Known`].push(nanoseconds(() => addAll(known)));
    }
    if (fresh - before !== 4 * BATCH) throw new Error(`${fresh - before} of ${4 * BATCH} are new`);
  }
  if (told !== fresh) throw new Error(`${told} of ${fresh} were told`);
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
  const seeds = { seedLow: seed(), seedHigh: seed() };
  const rules = { delayMs: 1000, perHost: 1, order: "bfs", startMs: 0, ...seeds };
  const state = new ShardState(seeds.seedLow, seeds.seedHigh);
  // No queue: URLs are only met.
  const shard = new Shard(0, rules, state, {});
  const { seen } = state;
  const low = mixer(seed(), 0x9e3779b9);
  const high = mixer(seed(), 0x7f4a7c15);
  const fingerprints = new Uint32Array(2 * 64);
  const news = new Uint8Array(64);
  const fill = (size) => {
    while (seen.size < size) {
      const count = Math.min(64, size - seen.size);
      for (let i = 0; i < 2 * count; i += 2) {
        fingerprints[i] = low();
        fingerprints[i + 1] = high();
      }
      seen.addFingerprints(fingerprints, count, news);
    }
  };
  // Until the compiler is done.
  measure(shard);
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
      ...measure(shard),
      rss: process.memoryUsage.rss(),
      ...readNanoseconds(seen.bytes, nanoseconds, summary),
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
const goals = sizes.map((size) => {
  const medians = rows.filter((row) => row.size === size).map((row) => row.add.medianNs / 1000);
  return tellGoal(`add including the hash at ${size} URLs`, medians, 0.3, "us of CPU");
});
const most = bytesPerUrl.map(({ bytes }) => bytes);
goals.push(tellGoal(`memory per URL at ${points.size} sizes up to ${maxSize}`, most, 14, "bytes"));
if (process.argv.includes("--save")) {
  keepResult("seen", "bench/seen.bench.mjs", {
    unit: `CPU nanoseconds per URL of 74 characters, hash included; ${BATCHES} batches of ${BATCH}: median and tenth percentile`,
    goals,
    rows,
    bytesPerUrl,
  });
}
