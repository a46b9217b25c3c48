// Journal of a shard: CPU time per URL to pack and append, and events per CPU-second to read and fold.
// Needs a build: npm run build && node bench/micro/journal.bench.mjs [--urls 1000000] [--save]
//
// A batch is one page: its outcome and about 100 new links, as a crawl commits them; a sync after every 100 batches.
// "encode" packs only; "append" packs and writes; "scan" reads and checks batches and walks over their links;
// "fold" builds the state. Events: links admitted and pages done.

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { EventBatch } from "../../build/src/frontier/journal/event-batch.js";
import { EventCursor } from "../../build/src/frontier/journal/event-cursor.js";
import { ShardState } from "../../build/src/frontier/journal/fold.js";
import { readJournal } from "../../build/src/frontier/journal/journal-reader.js";
import { JournalWriter } from "../../build/src/frontier/journal/journal-writer.js";
import { serialiseState } from "../../build/src/frontier/journal/state-bytes.js";
import { fingerprint, lastFingerprint } from "../../build/src/hash/fingerprint.js";
import { keepResult } from "../keep-result.mjs";

const LINKS = 100;
const SYNC_EVERY = 100;
const REPETITIONS = 3;
const ADMIT = 1;
const argument = process.argv.indexOf("--urls");
const urls = argument < 0 ? 1_000_000 : Number(process.argv[argument + 1]);
const pages = Math.floor(urls / LINKS);

/** Links of a page as the parser makes them: flat strings, 55 to 75 characters. */
function linksOf(page) {
  const parent = `https://www.site${page % 997}.example/section/${page}/index.html`;
  const chain = [];
  return Array.from({ length: LINKS }, (_, i) => {
    const text = `https://www.site${page % 997}.example/section/${page}/article-${i * 7919}.html?ref=${i}`;
    const url = Buffer.from(text, "latin1").toString("latin1");
    fingerprint(url, 1, 2);
    const found = { url, parent, depth: 3, via: "link", seed: false, chain };
    // The seen-set has computed the fingerprint before anything is admitted.
    return { found, low: lastFingerprint.low, high: lastFingerprint.high };
  });
}

function measure(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Works on slices of pages, so that making the links is not measured and their memory stays small. */
function overPages(step) {
  let micros = 0;
  for (let from = 0; from < pages; from += 500) {
    const slice = Array.from({ length: Math.min(500, pages - from) }, (_, i) => linksOf(from + i));
    micros += measure(() => {
      for (const links of slice) step(links);
    });
  }
  return micros;
}

function pack(batch, links) {
  batch.clear();
  const [page] = links;
  for (const { found, low, high } of links) batch.admit(found, low, high);
  // The page that is done is the first link of this batch: it is known to the fold.
  batch.done(page.low, page.high, 1, {
    file: "crawl-00001.warc.gz",
    offset: 123_456,
    length: 7890,
  });
}

function repetition() {
  const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-bench-"));
  try {
    const batch = new EventBatch();
    const encode = overPages((links) => pack(batch, links));
    const writer = new JournalWriter({ folder, shard: 0, epoch: 1, seedLow: 1, seedHigh: 2 });
    const append = overPages((links) => {
      pack(batch, links);
      if (writer.append(batch) % SYNC_EVERY === 0) writer.sync();
    });
    writer.close();
    const events = pages * (LINKS + 1);
    let links = 0;
    const scan = measure(() => {
      const cursor = new EventCursor();
      for (const found of readJournal({ folder, shard: 0 })) {
        cursor.open(found);
        while (cursor.next()) {
          if (cursor.kind !== ADMIT) continue;
          const { bytes } = cursor;
          const to = cursor.linksTo();
          for (let at = cursor.linksFrom(); at < to; links++)
            at += 2 + (bytes[at] | (bytes[at + 1] << 8));
        }
      }
    });
    const state = new ShardState(1, 2);
    const fold = measure(() => {
      for (const found of readJournal({ folder, shard: 0 })) state.apply(found);
    });
    if (links !== pages * LINKS || state.waiting !== pages * (LINKS - 1))
      throw new Error("events are missing");
    let snapshotBytes = 0;
    const snapshot = measure(() => {
      for (const piece of serialiseState(state)) snapshotBytes += piece.length;
    });
    const perUrl = (micros) => micros / (pages * LINKS);
    return {
      encodeMicrosPerUrl: perUrl(encode),
      appendMicrosPerUrl: perUrl(append),
      scanMillionEventsPerCpuSecond: events / scan,
      foldMillionEventsPerCpuSecond: events / fold,
      snapshotMicrosPerUrl: perUrl(snapshot),
      queueBytesPerUrl: state.queue.bytes / state.waiting,
      snapshotBytesPerUrl: snapshotBytes / (pages * LINKS),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const runs = Array.from({ length: REPETITIONS }, repetition);
const rows = Object.keys(runs[0]).map((name) => {
  const values = runs.map((run) => run[name]).sort((a, b) => a - b);
  return { name, median: values[1], spread: [values[0], values.at(-1)] };
});
for (const { name, median, spread } of rows) {
  console.log(
    `${name.padEnd(32)} ${median.toFixed(3)}  (${spread.map((v) => v.toFixed(3)).join(" to ")})`,
  );
}
if (process.argv.includes("--save")) {
  keepResult("journal", "bench/micro/journal.bench.mjs", {
    unit: "median, least and most of three repetitions; CPU time of the process, system time included",
    urls,
    rows,
  });
}
