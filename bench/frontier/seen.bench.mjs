// The seen-set: CPU per URL, hash included, and memory per URL, at sizes up to 1e8; goals 0.3 us and 14 bytes.
//
// "add": new links, 100 a page, as a crawl admits them (Shard.admitAll). "addKnown": the same links once more. "addAlone"
// and "addAloneKnown": one link a page. "hash": the fingerprint of one URL after the other. Beside them what memory itself
// costs at that moment, with as many bytes as the table has: "readAlone" is a read of a random line that must wait for the
// one before, "readTogether" one of many that need not.

import { ShardState } from "../../build/src/frontier/fold/shard-state.js";
import { Shard } from "../../build/src/frontier/shard/shard.js";
import { urlFingerprint } from "../../build/src/hash/url-fingerprint.js";
import { readArguments } from "../support/arguments.mjs";
import { judgeGoal } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { flat, foundLink } from "../support/links.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";
import { mixer } from "../support/random.mjs";
import { readNanoseconds } from "./memory-latency.mjs";

const options = readArguments({
  result: "seen",
  options: {
    max: { default: 1e8, smoke: 1e5, help: "URLs of the largest set" },
    repeat: { default: 3, smoke: 1, help: "sets" },
  },
});
const maxSize = options.max;
const BATCH = 2000;
const BATCHES = options.smoke ? 2 : 50;
const PAGE_LINKS = 100;
const POINTS = 21;

/** CPU is measured here; with 21 points up to 1e8, each 10^0.1 apart, the last three are among them. */
const sizes = [1e5, 1e6, 1e7, 1e8].filter(
  (size) => size <= maxSize && (options.smoke || size > 1e5),
);
const points = new Set(
  Array.from({ length: POINTS }, (_, i) =>
    Math.round(sizes[0] * (maxSize / sizes[0]) ** (i / (POINTS - 1))),
  ),
);

let made = 0;
function makeLinks() {
  const found = [];
  const parent = "https://www.example.org/";
  for (let i = 0; i < BATCH; i++, made++) {
    const start = `https://www.example-${made % 977}.org/articles/2024/${made}-`;
    found.push(foundLink(flat(start.padEnd(74, "a-story-about-spiders-")), parent, 3));
  }
  return found;
}

/** The same links as a later page has them: fresh strings, their places in the table not read lately. */
function again(found) {
  return found.map((one) => ({ ...one, url: flat(one.url) }));
}

function pagesOf(found, links) {
  const pages = [];
  for (let i = 0; i < found.length; i += links) pages.push(found.slice(i, i + links));
  return pages;
}

function nanoseconds(work, count = BATCH) {
  return (1000 * cpuMicros(work)) / count;
}

/** The median and the tenth percentile: the second is less disturbed by other load. */
function summary(values) {
  values.sort((a, b) => a - b);
  const at = (part) => Math.round(values[Math.floor(part * values.length)]);
  return { medianNs: at(0.5), tenthNs: at(0.1) };
}

function measure(shard) {
  const times = { hash: [], add: [], addKnown: [], addAlone: [], addAloneKnown: [] };
  let fresh = 0;
  let reported = 0;
  const onNew = () => {
    reported++;
  };
  const addAll = (pages) => {
    for (const page of pages) fresh += shard.admitAll(page, onNew);
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
      const unknown = name === "add" ? links : makeLinks();
      const pages = pagesOf(unknown, perPage);
      times[name].push(nanoseconds(() => addAll(pages)));
      // Others come between, so that a known link is not one of a moment ago.
      addAll([makeLinks()]);
      const known = pagesOf(again(unknown), perPage);
      times[`${name}Known`].push(nanoseconds(() => addAll(known)));
    }
    if (fresh - before !== 4 * BATCH) throw new Error(`${fresh - before} of ${4 * BATCH} are new`);
  }
  if (reported !== fresh) throw new Error(`${reported} of ${fresh} were reported`);
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list)]));
}

const rows = [];
const bytesPerUrl = [];
for (let repetition = 0; repetition < options.repeat; repetition++) {
  const seed = () => Math.floor(Math.random() * 2 ** 32);
  const seeds = { seedLow: seed(), seedHigh: seed() };
  const rules = { delayMs: 1000, perHost: 1, order: "bfs", startMs: 0, ...seeds };
  const state = new ShardState(seeds.seedLow, seeds.seedHigh);
  // No queue: URLs are admitted and never taken.
  const shard = new Shard(0, rules, state, {});
  const { seen } = state;
  const low = mixer(seed(), 0x9e3779b9);
  const high = mixer(seed(), 0x7f4a7c15);
  const fingerprints = new Uint32Array(2 * 64);
  const isNew = new Uint8Array(64);
  const fill = (size) => {
    while (seen.size < size) {
      const count = Math.min(64, size - seen.size);
      for (let i = 0; i < 2 * count; i += 2) {
        fingerprints[i] = low();
        fingerprints[i + 1] = high();
      }
      seen.addFingerprints(fingerprints, count, isNew);
    }
  };
  // Until the compiler is done.
  measure(shard);
  for (const point of points) {
    const from = seen.size;
    const fillMicros = cpuMicros(() => fill(point));
    const fillNs = Math.round((1000 * fillMicros) / (seen.size - from));
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
  return judgeGoal(`add including the hash at ${size} URLs`, medians, 0.3, "us of CPU");
});
const most = bytesPerUrl.map(({ bytes }) => bytes);
goals.push(judgeGoal(`memory per URL at ${points.size} sizes up to ${maxSize}`, most, 14, "bytes"));
if (options.save) {
  keepResult("seen", {
    unit: `CPU nanoseconds per URL of 74 characters, hash included; ${BATCHES} batches of ${BATCH}: median and tenth percentile`,
    goals,
    rows,
    bytesPerUrl,
  });
}
