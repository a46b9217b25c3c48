// What a snapshot costs the crawl beside it: memory while the compactor's thread folds a shard, and the longest pause.
//
// The pause is the longest time another thread of the process is kept waiting; `idleMs` is the longest wait of the same
// thread in as much time without a snapshot: what the machine itself costs. Every second page is done.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { EventBatch } from "../../build/src/frontier/journal/event-batch.js";
import { listJournals } from "../../build/src/frontier/journal/journal-listing.js";
import { JournalWriter } from "../../build/src/frontier/journal/journal-writer.js";
import { lastFingerprint } from "../../build/src/hash/fingerprint.js";
import { urlFingerprint } from "../../build/src/hash/url-fingerprint.js";
import { runWorker } from "../../build/src/runtime/run-worker.js";
import { readArguments } from "../support/arguments.mjs";
import { collectGarbage } from "../support/collect-garbage.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { median } from "../support/statistics.mjs";

const { urls, repeat, smoke, save } = readArguments({
  result: "compaction",
  options: {
    urls: { default: 1e6, smoke: 2e4, help: "URLs in the journal" },
    repeat: { default: 3, smoke: 1, help: "snapshots" },
  },
});
const MAX_EXTRA_MIB = 64;
const MAX_PAUSE_MS = 50;
const PER_BATCH = 500;
const seeds = { seedLow: 5, seedHigh: 6 };

function writeJournal(folder) {
  const journal = new JournalWriter({ folder, shard: 0, epoch: 1, ...seeds });
  for (let n = 0; n < urls; ) {
    const batch = new EventBatch(1 << 20);
    for (let i = 0; i < PER_BATCH; i++, n++) {
      const parent = `http://host${n % 100}.example/`;
      const url = `${parent}some/path/of/usual/length/${n}.html`;
      urlFingerprint(url, seeds.seedLow, seeds.seedHigh);
      const found = { url, parent, depth: 1, via: "link", seed: false, chain: [] };
      batch.admit(found, lastFingerprint.low, lastFingerprint.high);
      const where = { file: "a.warc.gz", offset: n, length: 9 };
      if (n % 2 === 1) batch.done(lastFingerprint.low, lastFingerprint.high, 1, where);
    }
    journal.append(batch);
  }
  journal.sync();
  journal.close();
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-bench-"));
  try {
    writeJournal(folder);
    const bytes = readdirSync(folder).reduce(
      (sum, name) => sum + statSync(join(folder, name)).size,
      0,
    );
    // The last file is empty.
    const upTo = listJournals(folder)(0).segments.at(-2);
    collectGarbage();
    const before = process.memoryUsage.rss();
    let peak = before;
    const looks = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 2);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startMs = performance.now();
    const module = new URL("../../build/src/crawl/workers/compact-worker.js", import.meta.url);
    await runWorker(module, "compactor", { workerData: { folder, shard: 0, upTo, ...seeds } })
      .ended;
    const seconds = (performance.now() - startMs) / 1000;
    delay.disable();
    const idle = monitorEventLoopDelay({ resolution: 1 });
    idle.enable();
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    idle.disable();
    clearInterval(looks);
    return {
      journalMiB: Math.round(bytes / 2 ** 20),
      seconds: Number(seconds.toFixed(2)),
      extraMiB: Math.round((peak - before) / 2 ** 20),
      pauseMs: Math.round(delay.max / 1e6),
      idleMs: Math.round(idle.max / 1e6),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const runs = [];
for (let n = 0; n < repeat; n++) runs.push(await measure());
console.table(runs);
const of = (name) => median(runs.map((run) => run[name]));
console.log(
  `extra memory ${of("extraMiB")} MiB (at most ${MAX_EXTRA_MIB}), longest pause ${of("pauseMs")} ms (at most ${MAX_PAUSE_MS}; without a snapshot ${of("idleMs")})`,
);
if (save) keepResult("compaction", { urls, runs });
const problems = [];
if (of("extraMiB") > MAX_EXTRA_MIB) problems.push(`${of("extraMiB")} MiB of extra memory`);
if (of("pauseMs") > MAX_PAUSE_MS) problems.push(`a pause of ${of("pauseMs")} ms`);
judgeProblems(problems, { smoke });
