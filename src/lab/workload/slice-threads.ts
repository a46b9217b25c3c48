import { runWorker } from "../../runtime/run-worker.ts";
import { Barrier } from "../../sync/barrier.ts";

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
  readonly seed: number;
  readonly barrier: SharedArrayBuffer;
  /** Wall milliseconds of all rounds, by slice. */
  readonly times: SharedArrayBuffer;
}

/**
 * The paper's loop on real threads (figure 10): T queues with A/T keys each; every round each thread extracts its best R/T keys
 * and inserts as many new ones, and all wait for each other. Returns the wall milliseconds of the rounds; filling the
 * queues and starting the threads are not counted.
 */
export async function sliceThreads(
  kind: SliceKind,
  slices: number,
  { keys, batch, rounds, seed }: { keys: number; batch: number; rounds: number; seed: number },
): Promise<number> {
  const barrier = new SharedArrayBuffer(4 * Barrier.words(slices));
  const times = new SharedArrayBuffer(8 * slices);
  const share = Math.max(1, Math.floor(batch / slices));
  const workers = Array.from({ length: slices }, (_, slice) => {
    const workerData: SliceBenchData = {
      ...{ kind, slice, slices, rounds, barrier, times },
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
  return Math.max(...new Float64Array(times));
}
