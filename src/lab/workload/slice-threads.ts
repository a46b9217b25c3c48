import { runWorker } from "../../runtime/run-worker.ts";
import { Barrier } from "../../sync/barrier.ts";
import { WorkBalance } from "../queues/work-balance.ts";
import type { Workload } from "./workload.ts";

const WORKER = new URL(
  `./slice-bench-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

/** Which queues run side by side. */
export type SliceKind = "CBT" | "Quickheap";

/** What the thread of one slice gets. */
export interface SliceBenchData {
  readonly kind: SliceKind;
  readonly slice: number;
  readonly slices: number;
  /** Of this slice. */
  readonly keys: number;
  readonly batch: number;
  readonly rounds: number;
  readonly repeats: number;
  readonly seed: number;
  readonly barrier: SharedArrayBuffer;
  /** Wall milliseconds of all rounds, by repetition and slice. */
  readonly times: SharedArrayBuffer;
  /** Comparisons in the rounds of the first repetition: by round, extraction before insertion, by slice. */
  readonly work: SharedArrayBuffer;
}

/** What the rounds of T slices cost: the work depends on the seed alone. */
export interface SliceRounds {
  /** Wall milliseconds of all rounds, by repetition. */
  readonly times: readonly number[];
  readonly extract: WorkBalance;
  readonly insert: WorkBalance;
}

/**
 * The paper's loop on real threads (figure 10): T queues with A/T keys each; every round each thread extracts its best R/T keys
 * and inserts as many new ones, and all wait for each other. Starting the threads and filling the queues are not
 * measured; as filling takes longest, all repetitions use the same queues, which keep their size.
 */
export async function sliceThreads(
  kind: SliceKind,
  slices: number,
  { keys, batch, rounds }: Workload,
  { repeats, seed }: { readonly repeats: number; readonly seed: number },
): Promise<SliceRounds> {
  const barrier = new SharedArrayBuffer(4 * Barrier.words(slices));
  const times = new SharedArrayBuffer(8 * repeats * slices);
  const work = new SharedArrayBuffer(8 * 2 * rounds * slices);
  const share = Math.max(1, Math.floor(batch / slices));
  const workers = Array.from({ length: slices }, (_, slice) => {
    const workerData: SliceBenchData = {
      ...{ kind, slice, slices, rounds, repeats, barrier, times, work },
      keys: Math.floor(keys / slices),
      batch: share,
      seed: seed + slice,
    };
    // A queue of the document's size does not fit into the memory that a crawler's thread may have.
    const resourceLimits = { maxOldGenerationSizeMb: 8192 };
    return runWorker(WORKER, `queue slice ${slice}`, { workerData, resourceLimits });
  });
  await Promise.all(
    workers.map(({ ended }, slice) =>
      ended.catch((error) => {
        // Nobody waits for a thread that has died; its error is told.
        Barrier.reclaim(new Int32Array(barrier), 0, slices, slice + 1);
        throw error;
      }),
    ),
  );
  const row = (of: SharedArrayBuffer, i: number) => new Float64Array(of, 8 * i * slices, slices);
  const extract = new WorkBalance();
  const insert = new WorkBalance();
  for (let round = 0; round < rounds; round++) {
    extract.add(row(work, 2 * round));
    insert.add(row(work, 2 * round + 1));
  }
  return {
    times: Array.from({ length: repeats }, (_, repeat) => Math.max(...row(times, repeat))),
    extract,
    insert,
  };
}
