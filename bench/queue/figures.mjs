// Seed 002's experiments, counted instead of timed wherever possible, and their plots.
import {
  externalQuickheap,
  externalTournament,
} from "../../build/src/lab/queues/external-queues.js";
import { GlobalQuickheap } from "../../build/src/lab/queues/global-quickheap.js";
import { Heap } from "../../build/src/lab/queues/heap.js";
import { Quickheap } from "../../build/src/lab/queues/quickheap.js";
import { ThreadRunner } from "../../build/src/lab/queues/slice-runner.js";
import { SlicedQueue } from "../../build/src/lab/queues/sliced-queue.js";
import { Tournament } from "../../build/src/lab/queues/tournament.js";
import { STREAMS } from "../../build/src/lab/workload/key-streams.js";
import { comparisons, measure, spread } from "./measure.mjs";
import { rangeQueue } from "./range-queue.mjs";

const round = (value, digits = 2) => Number(value.toFixed(digits));

/** Figure 8: comparisons against R. */
export function figure8({ size }) {
  const keys = size.figureKeys;
  const queues = {
    "binary heap (BH)": () => new Heap(2),
    "Quickheap (QH)": () => new Quickheap(),
    "tournament (CBT)": (batch) => new Tournament(batch),
  };
  const series = {};
  const table = [];
  for (const batch of [100, 300, 1000, 2000, 4000, 8000, 16_000, 32_000].filter(
    (r) => r <= keys / 8,
  )) {
    const row = { R: batch };
    const rounds = Math.ceil((2 * keys) / batch / (size.isShort ? 4 : 1));
    for (const [name, create] of Object.entries(queues)) {
      const count = comparisons(create(batch), STREAMS["OPIC-like"](), { keys, batch, rounds });
      row[name] = round(count, 1);
      series[name] ??= [];
      series[name].push([batch, count]);
    }
    row["QH / BH"] = round(row["Quickheap (QH)"] / row["binary heap (BH)"]);
    table.push(row);
  }
  const title = `Figure 8: comparisons per extracted and inserted key, ${keys} OPIC-like keys`;
  return { title, table, data: { series } };
}

/** Comparisons for every kind of keys: goals for R >= 1000 are 16, and 0.45 of the binary heap's unless all are equal. */
export function comparisonsByKeys({ size }) {
  const keys = size.figureKeys;
  const table = [];
  for (const [stream, start] of Object.entries(STREAMS)) {
    for (const batch of [1000, 8000]) {
      const rounds = Math.ceil((2 * keys) / batch);
      const of = (queue) => comparisons(queue, start(), { keys, batch, rounds });
      const quick = of(new Quickheap(keys + 2 * batch));
      const heap = of(new Heap(2, keys + 2 * batch));
      table.push({
        keys: stream,
        R: batch,
        Quickheap: round(quick, 1),
        "binary heap": round(heap, 1),
        "QH / BH": round(quick / heap),
      });
    }
  }
  const isReached = table.every(
    (row) => row.Quickheap <= 16 && (row.keys === "all equal" || row["QH / BH"] <= 0.45),
  );
  const title = `comparisons per pair by kind of keys, ${keys} keys`;
  return { title, table, data: { goals: { quickheap: 16, ratio: 0.45 }, isReached } };
}

const THREADS = [1, 2, 4, 8, 16, 32, 64];

/** Figure 10 and table 1: how T slices share the work. Work is comparisons; slices wait for the slowest in every phase. */
export function slices({ size }) {
  const { batch } = size;
  const keys = size.figureKeys;
  const rounds = Math.ceil((2 * keys) / batch / (size.isShort ? 2 : 1));
  const kinds = {
    "global-pivot Quickheap (exact)": (t) => GlobalQuickheap.solo(t, keys + 2 * batch),
    "CBT slices": (t) => new SlicedQueue(t, () => new Tournament(batch / t)),
    "independent Quickheaps": (t) =>
      new SlicedQueue(t, (slice) => new Quickheap(undefined, slice + 1)),
  };
  const table = [];
  for (const [name, create] of Object.entries(kinds)) {
    let alone;
    for (const t of THREADS) {
      const { work, comparisonsPerPair } = measure(create(t), STREAMS.uniform(), {
        keys,
        batch,
        rounds,
      });
      const longest = work.insert[1] + work.extract[1];
      alone ??= longest;
      table.push({
        slices: name,
        T: t,
        "R/T": batch / t,
        ...efficiencies(work, t),
        "speed-up": round(alone / longest),
        "comparisons per pair": round(comparisonsPerPair, 1),
      });
    }
  }
  const title = `Figure 10, table 1: work efficiency of T slices, ${keys} uniform keys, R = ${batch}`;
  return { title, table, data: {} };
}

/** Average work of T slices in parts of the longest. */
function efficiencies({ insert, extract }, t) {
  return {
    extract: round(extract[0] / (t * extract[1])),
    insert: round(insert[0] / (t * insert[1])),
    both: round((insert[0] + extract[0]) / (t * (insert[1] + extract[1])), 3),
  };
}

const SLICE_ROUNDS = 250;

/** Table 1 for CBT slices by the size of the queue: the paper's has 80 million keys, and they balance better then. */
export function slicesByKeys({ size }) {
  const { batch, largeKeys } = size;
  const sizes = [size.figureKeys, ...(largeKeys === undefined ? [] : [1e7, largeKeys])];
  const table = [];
  for (const keys of sizes) {
    for (const t of [2, 4, 8]) {
      const queue = new SlicedQueue(t, () => new Tournament(batch / t));
      const rounds = size.isShort ? 4 : SLICE_ROUNDS;
      const { work } = measure(queue, STREAMS.uniform(), { keys, batch, rounds });
      table.push({ keys, T: t, "R/T": batch / t, ...efficiencies(work, t) });
    }
  }
  const title = `Table 1 by the size of the queue: work efficiency of CBT slices, uniform keys, R = ${batch}`;
  return { title, table, data: {} };
}

/** The global-pivot Quickheap on real threads: wall time, which needs free cores, and CPU time, which shows the waiting. */
export async function threads({ size }) {
  const { batch, repetitions } = size;
  const keys = size.figureKeys;
  const rounds = size.isShort ? 20 : 150;
  const counts = [1, 2, 4];
  const wall = Object.fromEntries(counts.map((t) => [t, []]));
  const cpu = Object.fromEntries(counts.map((t) => [t, []]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const t of counts) {
      const runner = new ThreadRunner(t, keys + 2 * batch);
      const queue = new GlobalQuickheap(runner.memory, runner);
      measure(queue, STREAMS.uniform(), { keys, batch, rounds: 10 }); // starts and warms the threads
      while (queue.size > keys) queue.extractTop(queue.size - keys);
      const start = performance.now();
      const { nsPerPair } = measure(queue, STREAMS.uniform(), { keys: 0, batch, rounds });
      wall[t].push(((performance.now() - start) * 1e6) / (batch * rounds));
      cpu[t].push(nsPerPair);
      await runner.close();
    }
  }
  const table = counts.map((t) => ({
    threads: t,
    "wall ns per pair": round(spread(wall[t]).median, 1),
    from: round(spread(wall[t]).min, 1),
    to: round(spread(wall[t]).max, 1),
    "CPU ns per pair": round(spread(cpu[t]).median, 1),
  }));
  return {
    title: `global-pivot Quickheap on real threads, ${keys} keys, R = ${batch}`,
    table,
    data: { wall, cpu },
  };
}

const BLOCK_KEYS = 341; // 12 bytes per key, blocks of 4 KiB

/** Figure 9: block transfers against R, with 10 % and 30 % of the keys in RAM. */
export function figure9({ size }) {
  const keys = size.figureKeys;
  const series = {};
  const table = [];
  for (const batch of [1000, 2000, 4000, 8000, 16_000, 32_000].filter((r) => r <= keys / 8)) {
    const rounds = Math.ceil((2 * keys) / batch / (size.isShort ? 4 : 1));
    const row = { R: batch };
    for (const percent of [10, 30]) {
      const cacheBlocks = Math.round((keys / BLOCK_KEYS) * (percent / 100));
      const room = keys + 2 * batch;
      const queues = {
        "QH, paper's pinning": () => externalQuickheap(room, BLOCK_KEYS, cacheBlocks, "paper"),
        "QH, LRU": () => externalQuickheap(room, BLOCK_KEYS, cacheBlocks, "lru"),
        "CBT, LRU": () => externalTournament(batch, BLOCK_KEYS, cacheBlocks),
        ranges: () => {
          const queue = rangeQueue(cacheBlocks);
          return { queue, cache: queue };
        },
      };
      for (const [name, create] of Object.entries(queues)) {
        const perThousand = transfers(create(), STREAMS["OPIC-like"](), { keys, batch, rounds });
        row[`${name} ${percent} %`] = round(perThousand, 1);
        series[`${name} ${percent} %`] ??= [];
        series[`${name} ${percent} %`].push([batch, perThousand]);
      }
    }
    table.push(row);
  }
  const title = `Figure 9: block transfers per 1000 pairs, ${keys} OPIC-like keys, blocks of ${BLOCK_KEYS} keys`;
  return { title, table, data: { series } };
}

/** Transfers per 1000 pairs, filling not counted. */
function transfers({ queue, cache }, next, { keys, batch, rounds }) {
  measure(queue, next, { keys, batch, rounds: 1 });
  const before = cache.transfers;
  measure(queue, next, { keys: 0, batch, rounds });
  return ((cache.transfers - before) * 1000) / (batch * (rounds + 1));
}
