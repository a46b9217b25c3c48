// How soon a crawl can go on after kill -9: wall and CPU time from starting the threads to a lease in every thread.
//
// A process visits pages without network, 100 new links each, and journals and syncs them as a crawl does, with the
// crawl's own compactor. When so many URLs are durable it is killed. Another process opens what it left, in threads, as
// `orbweaver resume` does. A visit and its links are in one batch, so what is found must be seeds + 100 x visits in every
// shard, and not less than was reported as durable. 1e7 URLs take about 1.5 GB of disk.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readArguments } from "../support/arguments.mjs";
import { judgeGoal } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { LINKS } from "../support/links.mjs";
import { SHARDS } from "../support/open-frontier.mjs";

const GOAL = { size: 1e7, seconds: 5 };
const child = fileURLToPath(new URL("recovery.child.mjs", import.meta.url));
const { sizes, threads, hosts, order, repeat, noSnapshots, smoke, save } = readArguments({
  result: "recovery",
  options: {
    sizes: { default: [1e6, 1e7], smoke: [2e4], help: "URLs that are durable when it is killed" },
    threads: { default: 2, help: "crawler threads" },
    hosts: { default: 1e5, smoke: 500, help: "hosts they are on" },
    order: { default: "bfs", choices: ["bfs", "dfs", "opic"], help: "order of the crawl" },
    "no-snapshots": { default: false, help: "keep journals only" },
    repeat: { default: 3, smoke: 1, help: "kills for every size" },
  },
});
const snapshots = !noSnapshots;
const syncMs = smoke ? 100 : 1000;

/** Kills a writing process once so many URLs are durable; answers what it printed last. */
async function writeAndKill(folder, size) {
  const options = JSON.stringify({ folder, order, hosts, snapshots, syncMs });
  const writer = spawn(process.execPath, [child, "write", options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(writer, "exit");
  let last = { known: 0, done: [] };
  for await (const line of createInterface({ input: writer.stdout })) {
    last = JSON.parse(line);
    if (last.known >= size) writer.kill("SIGKILL");
  }
  const [, signal] = await ended;
  if (signal !== "SIGKILL") throw new Error("the writer ended by itself");
  return last;
}

function bytesOf(folder, extension) {
  const names = readdirSync(folder).filter((name) => name.endsWith(extension));
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Throws unless exactly whole batches were found, and all that were reported as durable. */
function check(durable, { shards }) {
  if (shards.length !== SHARDS) throw new Error(`${shards.length} shards were opened`);
  let seeds = 0;
  for (const { number, known, queued, done } of shards) {
    seeds += known - LINKS * done;
    const isWhole = queued === known - done && done >= durable.done[number];
    if (!isWhole)
      throw new Error(`shard ${number}: ${known} known, ${queued} queued, ${done} done`);
  }
  if (seeds !== hosts) throw new Error(`${seeds} of ${hosts} seeds: a batch was cut in two`);
}

async function measure(size) {
  const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-recovery-"));
  try {
    const durable = await writeAndKill(folder, size);
    const journalBytes = bytesOf(folder, ".journal");
    const snapshotBytes = bytesOf(folder, ".snapshot");
    const options = JSON.stringify({ folder, order, threads });
    const output = execFileSync(process.execPath, [child, "open", options], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const opened = JSON.parse(output);
    check(durable, opened);
    const known = opened.shards.reduce((sum, shard) => sum + shard.known, 0);
    const { usableMs, sinceStartMs, cpuMs, rss } = opened;
    return {
      durable: durable.known,
      known,
      journalBytes,
      snapshotBytes,
      usableMs,
      sinceStartMs,
      cpuMs,
      cpuMicrosPerUrl: (1000 * cpuMs) / known,
      rss,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const rows = [];
for (const size of sizes) {
  for (let repetition = 0; repetition < repeat; repetition++) {
    const row = { size, repetition, ...(await measure(size)) };
    rows.push(row);
    const mib = (bytes) => Math.round(bytes / 2 ** 20);
    console.log(
      `killed with ${row.durable} URLs durable: ${row.known} usable after ${Math.round(row.usableMs)} ms ` +
        `(${Math.round(row.sinceStartMs)} ms from the start of the process), ${row.cpuMicrosPerUrl.toFixed(2)} us of CPU per URL; ` +
        `journals ${mib(row.journalBytes)}, snapshots ${mib(row.snapshotBytes)}, resident ${mib(row.rss)} MiB`,
    );
  }
}
const goals = rows.some(({ size }) => size === GOAL.size)
  ? [
      judgeGoal(
        `usable after kill -9 with ${GOAL.size} URLs`,
        rows.filter(({ size }) => size === GOAL.size).map(({ usableMs }) => usableMs / 1000),
        GOAL.seconds,
        "s",
      ),
    ]
  : [];
if (save) {
  keepResult("recovery", {
    unit: "wall milliseconds from starting the threads to a lease in each; CPU of the whole process",
    threads,
    hosts,
    order,
    snapshots,
    goals,
    rows,
  });
}
