// Journal of a shard: CPU time per URL to pack and append, and events per CPU-second to read and fold.
//
// A batch is one page: its outcome and about 100 new links, as a crawl commits them; a sync after every 100 batches.
// "encode" packs only; "append" packs and writes; "scan" reads and checks batches and walks over their links; "fold"
// builds the state; "compact" folds everything into a snapshot. Events: links admitted and pages done.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { compactShard } from "../../build/src/frontier/fold/compact-shard.js";
import { ShardState } from "../../build/src/frontier/fold/shard-state.js";
import { EventBatch } from "../../build/src/frontier/journal/event-batch.js";
import { EventCursor } from "../../build/src/frontier/journal/event-cursor.js";
import { readJournal } from "../../build/src/frontier/journal/journal-reader.js";
import { JournalWriter } from "../../build/src/frontier/journal/journal-writer.js";
import { fingerprint, lastFingerprint } from "../../build/src/hash/fingerprint.js";
import { readArguments } from "../support/arguments.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { flat, foundLink } from "../support/links.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";
import { spread } from "../support/statistics.mjs";

const { urls, repeat, save } = readArguments({
  result: "journal",
  options: {
    urls: { default: 1e6, smoke: 2e4, help: "URLs in the journal" },
    repeat: { default: 3, smoke: 1, help: "journals" },
  },
});

const LINKS = 100;
const SYNC_EVERY = 100;
const ADMIT = 1;
const SEEDS = { seedLow: 1, seedHigh: 2 };
const pages = Math.floor(urls / LINKS);

/** Links of a page as the parser makes them: flat strings, 55 to 75 characters. */
function linksOf(page) {
  const parent = `https://www.site${page % 997}.example/section/${page}/index.html`;
  return Array.from({ length: LINKS }, (_, i) => {
    const text = `https://www.site${page % 997}.example/section/${page}/article-${i * 7919}.html?ref=${i}`;
    const found = foundLink(flat(text), parent, 3);
    fingerprint(found.url, SEEDS.seedLow, SEEDS.seedHigh);
    // The seen-set has computed the fingerprint before anything is admitted.
    return { found, low: lastFingerprint.low, high: lastFingerprint.high };
  });
}

/** Works on slices of pages, so that making the links is not measured and their memory stays small. */
function overPages(step) {
  let micros = 0;
  for (let from = 0; from < pages; from += 500) {
    const slice = Array.from({ length: Math.min(500, pages - from) }, (_, i) => linksOf(from + i));
    micros += cpuMicros(() => {
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
    const writer = new JournalWriter({ folder, shard: 0, epoch: 1, ...SEEDS });
    const append = overPages((links) => {
      pack(batch, links);
      if (writer.append(batch) % SYNC_EVERY === 0) writer.sync();
    });
    writer.close();
    const events = pages * (LINKS + 1);
    let links = 0;
    const scan = cpuMicros(() => {
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
    const fold = cpuMicros(() => {
      for (const found of readJournal({ folder, shard: 0 })) state.apply(found);
    });
    if (links !== pages * LINKS || state.waiting !== pages * (LINKS - 1))
      throw new Error("events are missing");
    const { segment } = writer;
    const compact = cpuMicros(() => compactShard({ folder, shard: 0, upTo: segment, ...SEEDS }));
    const snapshotBytes = readdirSync(folder)
      .filter((name) => name.endsWith(".snapshot"))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const perUrl = (micros) => micros / (pages * LINKS);
    return {
      encodeMicrosPerUrl: perUrl(encode),
      appendMicrosPerUrl: perUrl(append),
      scanMillionEventsPerCpuSecond: events / scan,
      foldMillionEventsPerCpuSecond: events / fold,
      compactMicrosPerUrl: perUrl(compact),
      snapshotBytesPerUrl: snapshotBytes / (pages * LINKS),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const runs = Array.from({ length: repeat }, repetition);
const rows = Object.keys(runs[0]).map((name) => ({
  name,
  ...spread(runs.map((run) => run[name])),
}));
for (const { name, median, least, most } of rows) {
  console.log(
    `${name.padEnd(32)} ${median.toFixed(3)}  (${least.toFixed(3)} to ${most.toFixed(3)})`,
  );
}
if (save) {
  keepResult("journal", {
    unit: `median, least and most of ${repeat} repetitions; CPU time of the process, system time included`,
    urls,
    rows,
  });
}
