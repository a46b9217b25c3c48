// Operations per CPU-second of every technique of the shared frontier, by threads and size (seed 000's comparison).
//
// "circulate": every thread takes a record and inserts it again; "halves": half of the threads insert, half take. A window
// is measured in CPU time, so other load on the machine hardly counts; `share` is the least busy thread against the busiest.

import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import {
  createTechnique,
  openTechnique,
} from "../../build/src/frontier/shared/techniques/open-technique.js";
import {
  CORRECT_TECHNIQUES,
  TECHNIQUES,
} from "../../build/src/frontier/shared/techniques/record-queue.js";
import { readArguments } from "../support/arguments.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { median } from "../support/statistics.mjs";

const RECORD_BYTES = 60;
const SLOT_BYTES = 64;
const STOP = 0;
const READY = 1;
const COUNTS = 2;
/** Operations of every thread before anything is measured: by then the compiler is done with what they run. */
const WARM_UP_OPERATIONS = 20_000;
/** Operations of every thread before a window opens: all have woken up. */
const UNDER_WAY = 200;
/** A thread that waits for ever (in the wrong techniques some do) must not hold up the rest. */
const MAX_WARM_UP_MS = 10_000;
/** A window is measured in CPU time; it, and its lead-in, also end after this many times as long. */
const MAX_TIMES = 4;
/** Words between two threads' counters: a cache line each. */
const LINE = 16;

/** Takes and inserts until STOP is set, counting where the main thread can see it. */
function work(frontier, role, words, owner) {
  const box = new Uint8Array(SLOT_BYTES);
  const at = COUNTS + owner * LINE;
  for (let operations = 0; Atomics.load(words, STOP) === 0; words[at] = operations) {
    if (role !== "insert") {
      if (frontier.take(box) < 0) return;
      operations++;
    }
    if (role !== "take") {
      if (frontier.insert(box, RECORD_BYTES) !== "inserted") return;
      operations++;
    }
  }
}

/** Works alone on frontiers of its own until the compiler is done with this thread. */
function warmUp(technique) {
  const shape = { size: 30, slotBytes: SLOT_BYTES, owners: 1 };
  const words = new Int32Array(new SharedArrayBuffer((COUNTS + 2 * LINE) * 4));
  const box = new Uint8Array(SLOT_BYTES);
  for (let round = 0; round < 1000; round++) {
    const frontier = openTechnique(technique, createTechnique(technique, shape), shape, 1);
    // The waits end at once, so every path runs: insert until full, take until empty.
    frontier.shutDown();
    work(frontier, "insert", words, 1);
    work(frontier, "take", words, 1);
    frontier.insert(box, RECORD_BYTES);
    for (let i = 0; i < 30; i++) {
      frontier.take(box);
      frontier.insert(box, RECORD_BYTES);
    }
  }
}

if (!isMainThread) {
  warmUp(workerData.technique);
  parentPort.postMessage("warm");
  parentPort.on("message", ({ technique, memory, shape, owner, role, control }) => {
    const words = new Int32Array(control);
    const frontier = openTechnique(technique, memory, shape, owner);
    Atomics.add(words, READY, 1);
    Atomics.wait(words, STOP, -1);
    work(frontier, role, words, owner);
    parentPort.postMessage("done");
  });
} else {
  await main();
}

async function main() {
  const options = readArguments({
    result: "frontier",
    options: {
      techniques: { default: TECHNIQUES, choices: TECHNIQUES, help: "techniques" },
      threads: { default: [1, 2, 4, 8, 16, 32, 64], smoke: [1, 2], help: "threads" },
      sizes: { default: [10, 30, 1024], smoke: [10], help: "records that fit in" },
      ms: { default: 250, smoke: 20, help: "CPU milliseconds of a window" },
      repeat: { default: 3, smoke: 1, help: "windows" },
      require: {
        default: 0,
        help: "exit code 1 if a correct technique has fewer million operations per CPU-second at 8 threads",
      },
    },
  });
  const { techniques, threads: threadCounts, sizes, ms: runMs, repeat, smoke } = options;
  const rows = [];
  for (const technique of techniques) {
    // Threads of their own for every technique: code that has seen one class only is what a crawl runs.
    const pool = await startPool(Math.max(...threadCounts), technique);
    if (!smoke) await untilQuiet();
    // What a thread does only when others are in its way runs, and is compiled, here for the first time.
    for (const mode of ["circulate", "halves"]) {
      await run(pool, technique, mode, 10, pool.length, runMs, smoke ? 200 : WARM_UP_OPERATIONS);
    }
    if (!smoke) await untilQuiet();
    for (const mode of ["circulate", "halves"]) {
      for (const size of sizes) {
        const from = rows.length;
        for (const threads of threadCounts) {
          if (mode === "halves" && threads < 2) continue;
          const runs = [];
          for (let repetition = 0; repetition < repeat; repetition++) {
            runs.push(await run(pool, technique, mode, size, threads, runMs));
          }
          const millions = runs.map((r) => r.millionPerCpuSecond);
          const middle = median(millions);
          rows.push({
            mode,
            size,
            technique,
            threads,
            millionPerCpuSecond: middle,
            cpuNanosecondsPerOperation: middle === 0 ? null : 1000 / middle,
            spread: [Math.min(...millions), Math.max(...millions)],
            share: median(runs.map((r) => r.share)),
          });
        }
        if (rows.length > from) print(rows.slice(from));
      }
    }
    for (const worker of pool) await worker.terminate();
  }
  if (options.require > 0) demand(rows, options.require);
  if (!options.save) return;
  keepResult("frontier", {
    unit: "million operations per CPU-second; median, least and most of the windows; share: least busy thread against busiest",
    windowCpuMs: runMs,
    recordBytes: RECORD_BYTES,
    rows,
  });
}

async function startPool(threads, technique) {
  const pool = [];
  for (let i = 0; i < threads; i++) {
    pool.push(new Worker(new URL(import.meta.url), { workerData: { technique } }));
  }
  await Promise.all(
    pool.map((worker) => new Promise((resolve) => worker.once("message", resolve))),
  );
  return pool;
}

/** What the compiler still does behind the threads' backs would be counted as theirs. */
async function untilQuiet() {
  for (let quiet = 0; quiet < 3; ) {
    const before = process.cpuUsage();
    await sleep(100);
    quiet = cpuMsSince(before) < 5 ? quiet + 1 : 0;
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function cpuMsSince(before) {
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
}

async function run(pool, technique, mode, size, threads, runMs, leadIn = UNDER_WAY) {
  const shape = { size, slotBytes: SLOT_BYTES, owners: threads + 1 };
  const memory = createTechnique(technique, shape);
  const own = openTechnique(technique, memory, shape, threads + 1);
  const control = new SharedArrayBuffer((COUNTS + (threads + 2) * LINE) * 4);
  const words = new Int32Array(control);
  words[STOP] = -1;
  if (mode === "circulate") {
    for (let i = 0; i < size / 2; i++) own.tryInsert(new Uint8Array(SLOT_BYTES), RECORD_BYTES);
  }
  const done = pool.slice(0, threads).map((worker, i) => {
    const role = mode === "circulate" ? "both" : i % 2 === 0 ? "insert" : "take";
    const ended = new Promise((resolve) => worker.once("message", resolve));
    worker.postMessage({ technique, memory, shape, owner: i + 1, role, control });
    return ended;
  });
  while (Atomics.load(words, READY) < threads) await sleep(1);
  Atomics.store(words, STOP, 0);
  Atomics.notify(words, STOP);
  const counted = () => Array.from({ length: threads }, (_, i) => words[COUNTS + (i + 1) * LINE]);
  // Steered by progress and CPU time, not by the clock: on a busy machine a quarter of a second may be nothing.
  const started = performance.now();
  const longestMs = leadIn === WARM_UP_OPERATIONS ? MAX_WARM_UP_MS : runMs * MAX_TIMES;
  while (performance.now() - started < longestMs) {
    await sleep(5);
    if (counted().every((n) => n >= leadIn)) break;
  }
  const opened = performance.now();
  const from = counted();
  const before = process.cpuUsage();
  let cpuMs = 0;
  while (cpuMs < runMs && performance.now() - opened < runMs * MAX_TIMES) {
    await sleep(20);
    cpuMs = cpuMsSince(before);
  }
  const counts = counted().map((n, i) => n - from[i]);
  Atomics.store(words, STOP, 1);
  own.shutDown();
  await Promise.all(done);
  const operations = counts.reduce((sum, n) => sum + n, 0);
  return {
    millionPerCpuSecond: operations / cpuMs / 1000,
    share: Math.max(...counts) === 0 ? 0 : Math.min(...counts) / Math.max(...counts),
  };
}

function print(rows) {
  const [{ mode, size, technique }] = rows;
  const cells = rows.map(
    ({ threads, millionPerCpuSecond, cpuNanosecondsPerOperation, share }) =>
      `${threads}: ${millionPerCpuSecond.toFixed(2)} ${cpuNanosecondsPerOperation?.toFixed(0) ?? "-"} ns (${share.toFixed(2)})`,
  );
  console.log(`${mode} ${String(size).padStart(4)} ${technique.padEnd(22)} ${cells.join("  ")}`);
}

/** Every correct technique must reach this many million operations per CPU-second with eight threads. */
function demand(rows, millions) {
  for (const { technique, mode, size, threads, millionPerCpuSecond } of rows) {
    if (threads !== 8 || !CORRECT_TECHNIQUES.includes(technique)) continue;
    if (millionPerCpuSecond >= millions) continue;
    console.log(`too slow: ${technique}, ${mode}, size ${size}: ${millionPerCpuSecond.toFixed(2)}`);
    process.exitCode = 1;
  }
}
