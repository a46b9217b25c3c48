import { join } from "node:path";
import { RangeQueue } from "../../frontier/queue/range-queue.ts";
import { openScratchFile } from "../../runtime/scratch-file.ts";
import { externalQuickheap, externalTournament } from "../queues/external-queues.ts";
import { GlobalQuickheap } from "../queues/global-quickheap.ts";
import { Heap } from "../queues/heap.ts";
import { Quickheap } from "../queues/quickheap.ts";
import { ThreadRunner } from "../queues/slice-runner.ts";
import { Tournament } from "../queues/tournament.ts";
import { type NextKey, STREAMS } from "../workload/key-streams.ts";
import type { RecordedKeys } from "../workload/recorded-keys.ts";
import { sliceThreads } from "../workload/slice-threads.ts";
import {
  efficiencyOf,
  measureQueue,
  type TestedQueue,
  type Workload,
  type WorkloadCost,
} from "../workload/workload.ts";

/** 12 bytes per key, blocks of 4 KiB. */
export const BLOCK_KEYS = 341;

/** Queues of figure 8, by the name in tables. */
export const FIGURE_8 = {
  "binary heap": (_batch: number, _seed: number): TestedQueue => new Heap(2),
  Quickheap: (_batch: number, seed: number): TestedQueue => new Quickheap(undefined, seed),
  CBT: (batch: number, seed: number): TestedQueue => new Tournament(batch, seed),
};
export type Figure8Queue = keyof typeof FIGURE_8;
export const FIGURE_8_NAMES = Object.keys(FIGURE_8) as Figure8Queue[];

/** Comparisons per pair of every queue for keys that are drawn. */
export function drawnComparisons(
  next: () => NextKey,
  { keys, batch, rounds }: Workload,
  seed: number,
): Record<Figure8Queue, number> {
  return byQueue(
    (name) =>
      measureQueue(FIGURE_8[name](batch, seed), next(), { keys, batch, rounds }).comparisonsPerPair,
  );
}

/** The same for recorded keys. */
export function replayedComparisons(
  recorded: RecordedKeys,
  batch: number,
  seed: number,
): Record<Figure8Queue, number> {
  return byQueue((name) => recorded.replay(FIGURE_8[name](batch, seed), batch).comparisonsPerPair);
}

function byQueue(of: (name: Figure8Queue) => number): Record<Figure8Queue, number> {
  return Object.fromEntries(FIGURE_8_NAMES.map((name) => [name, of(name)])) as Record<
    Figure8Queue,
    number
  >;
}

/** Queues of figure 9, by the name in tables. */
export const FIGURE_9_NAMES = [
  "Quickheap, the document's pinning",
  "Quickheap, LRU",
  "CBT, LRU",
  "ranges, as shipped",
] as const;
export type Figure9Queue = (typeof FIGURE_9_NAMES)[number];

/** Block transfers per 1,000 pairs with so much of the queue in memory; filling is not counted. */
export function blockTransfers(
  name: Figure9Queue,
  { keys, batch, rounds }: Workload,
  share: number,
  { seed, scratch }: { seed: number; scratch: string },
): number {
  const cacheBlocks = Math.max(4, Math.round((keys / BLOCK_KEYS) * share));
  const room = keys + 2 * batch;
  const file = name === "ranges, as shipped" ? openScratchFile(join(scratch, "queue")) : undefined;
  try {
    const { queue, cache } = (() => {
      if (file !== undefined) {
        const ranges = new RangeQueue(() => file, cacheBlocks);
        return { queue: ranges as TestedQueue, cache: ranges };
      }
      if (name === "CBT, LRU") return externalTournament(batch, BLOCK_KEYS, cacheBlocks);
      const caching = name === "Quickheap, LRU" ? "lru" : "paper";
      return externalQuickheap(room, BLOCK_KEYS, cacheBlocks, caching);
    })();
    const next = STREAMS["OPIC-like"](seed);
    measureQueue(queue, next, { keys, batch, rounds: 1 });
    const before = cache.transfers;
    measureQueue(queue, next, { keys: 0, batch, rounds });
    return ((cache.transfers - before) * 1000) / (batch * (rounds + 1));
  } finally {
    file?.close();
  }
}

/** Ways to share a queue among threads. */
export const SLICES = ["CBT slices", "independent Quickheaps", "global-pivot Quickheap"] as const;
export type Slices = (typeof SLICES)[number];

/** T slices on T real threads. */
export interface SliceCost {
  /** Mean work in parts of the maximum, counted in comparisons. */
  readonly extract: number;
  readonly insert: number;
  /** Comparisons on the critical path: what T threads would have to wait for. */
  readonly longest: number;
  /** Wall milliseconds of the rounds, by repetition. */
  readonly times: readonly number[];
}

/** Runs the document's loop on T real threads, as often as told after filling once, and counts what each compares. */
export async function sliceCost(
  kind: Slices,
  slices: number,
  workload: Workload,
  options: { readonly repeats: number; readonly seed: number },
): Promise<SliceCost> {
  if (kind === "global-pivot Quickheap") return globalCost(slices, workload, options);
  const queue = kind === "CBT slices" ? "CBT" : "Quickheap";
  const { extract, insert, times } = await sliceThreads(queue, slices, workload, options);
  return {
    extract: extract.efficiency,
    insert: insert.efficiency,
    longest: extract.longest + insert.longest,
    times,
  };
}

async function globalCost(
  slices: number,
  { keys, batch, rounds }: Workload,
  { repeats, seed }: { readonly repeats: number; readonly seed: number },
): Promise<SliceCost> {
  const runner = new ThreadRunner(slices, keys + 3 * batch);
  try {
    const queue = new GlobalQuickheap(runner.memory, runner);
    const next = STREAMS.uniform(seed);
    measureQueue(queue, next, { keys, batch, rounds: 1 }); // starts the threads
    const times: number[] = [];
    let work: WorkloadCost["work"];
    for (let i = 0; i < repeats; i++) {
      const start = performance.now();
      const cost = measureQueue(queue, next, { keys: 0, batch, rounds });
      times.push(performance.now() - start);
      work ??= cost.work;
    }
    const { extract, insert } = work!;
    return {
      extract: efficiencyOf(extract, slices),
      insert: efficiencyOf(insert, slices),
      longest: extract[1] + insert[1],
      times,
    };
  } finally {
    await runner.close();
  }
}
