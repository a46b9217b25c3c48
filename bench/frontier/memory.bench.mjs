// The sharded frontier when it is large: resident memory and CPU per URL with many URLs known and queued.
//
// A small frontier in the same process is the measure of the CPU; the two are measured in turns, 30 windows of 64 pages
// each, of which the median counts. One process, one thread, 16 shards, no network. "add": new links, 100 a page, from the
// end of the visit to the synced journal: key, hash, dedup, queue, journal. "known": the same links once more. "take": a
// URL leaves the queue, its end is journalled and synced. Queued URLs went through all of that; of URLs known and not
// queued, which are done, only the fingerprints are put in (with --order opic that leaves out 10 bytes each for their last
// place in the queue: order/simulated --only memory has them). Goals: at 1e8 known and 1e7 queued 2.5 GB of resident memory
// (--order opic: 4 GB) and no rate above 1.5 times that of the small one. Disk: about 170 bytes per queued URL.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments } from "../support/arguments.mjs";
import { keepResult } from "../support/keep-result.mjs";

const { known, queued, hosts, order, repeat, smoke, save } = readArguments({
  result: "frontier-memory",
  options: {
    known: { default: 1e7, smoke: 2e4, help: "URLs known" },
    queued: { default: 1e6, smoke: 5e3, help: "of them in the queue" },
    hosts: { default: 1e5, smoke: 500, help: "hosts they are on" },
    order: { default: "bfs", choices: ["bfs", "dfs", "opic"], help: "order of the crawl" },
    repeat: { default: 3, smoke: 1, help: "processes that measure it" },
  },
});
const SMALL = smoke ? { known: 1e4, queued: 2e3 } : { known: 1e6, queued: 1e5 };
const large = { known, queued };
const windows = smoke ? 2 : 30;
const DISK_BYTES_PER_QUEUED = 400;
const child = fileURLToPath(new URL("memory.child.mjs", import.meta.url));
const RATES = ["add", "known", "take"];
const GOALS = { known: 1e8, queued: 1e7, bytes: order === "opic" ? 4e9 : 2.5e9, ratio: 1.5 };

const { bavail, bsize } = statfsSync(os.tmpdir());
const need = (smoke ? 2 ** 26 : 2 ** 31) + DISK_BYTES_PER_QUEUED * large.queued;
if (bavail * bsize < need) throw new Error(`${os.tmpdir()} has less than ${need} bytes free`);

const rows = [];
for (let repetition = 0; repetition < repeat; repetition++) {
  const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-memory-"));
  try {
    const options = JSON.stringify({ folder, order, hosts, small: SMALL, large, windows });
    const output = execFileSync(process.execPath, [child, options], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const row = { repetition, ...JSON.parse(output) };
    row.ratios = Object.fromEntries(
      RATES.map((name) => [
        name,
        row.large[`${name}MicrosPerUrl`] / row.small[`${name}MicrosPerUrl`],
      ]),
    );
    rows.push(row);
    for (const size of ["small", "large"]) {
      const at = row[size];
      const rates = RATES.map((name) => `${name} ${at[`${name}MicrosPerUrl`].toFixed(2)}`);
      console.log(`${size}: ${at.known} known, ${at.queued} queued: ${rates.join(", ")} us of CPU`);
    }
    const { rss, known: all } = row.large;
    console.log(
      `both: resident ${Math.round(rss / 2 ** 20)} MiB, ${(rss / all).toFixed(1)} bytes per known URL of the large one`,
    );
    const ratios = RATES.map((name) => `${name} ${row.ratios[name].toFixed(2)}`);
    console.log(`large against small: ${ratios.join(", ")}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One line per goal; that of the memory holds only for the size it was set for. */
function judge() {
  const worst = (values) => Math.max(...values);
  const goals = RATES.map((name) => {
    const ratio = worst(rows.map((row) => row.ratios[name]));
    const what = `${name}: at ${large.known} known at most ${GOALS.ratio} times the CPU at ${SMALL.known}`;
    return { what, holds: ratio <= GOALS.ratio, found: ratio.toFixed(2) };
  });
  const bytes = worst(rows.map((row) => row.large.rss));
  const isWhole = large.known >= GOALS.known && large.queued >= GOALS.queued;
  goals.push({
    what: `resident memory at ${GOALS.known} known, ${GOALS.queued} queued at most ${GOALS.bytes / 1e9} GB`,
    holds: isWhole ? bytes <= GOALS.bytes : undefined,
    found: `${(bytes / 1e9).toFixed(2)} GB${isWhole ? "" : ` at ${large.known} known, ${large.queued} queued`}`,
  });
  for (const { what, holds, found } of goals) {
    const verdict = { true: "holds", false: "DOES NOT HOLD", undefined: "not measured" }[holds];
    console.log(`${what}: ${verdict} (worst of ${rows.length}: ${found})`);
  }
  return goals;
}
const goals = judge();
if (save) {
  keepResult(order === "opic" ? "frontier-memory-opic" : "frontier-memory", {
    unit: "microseconds of CPU (user and system, all threads) per URL, median of 30 windows in turns; bytes",
    hosts,
    order,
    small: SMALL,
    large,
    goals,
    rows,
  });
}
