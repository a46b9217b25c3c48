import { OrbweaverError } from "../../errors.ts";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import { BOARD_BYTES, type Phase, PhaseBoard } from "../../sync/phase-board.ts";
import type { PivotSlice } from "./pivot-slice.ts";
import { makeSliceMemory, type SliceMemory, sliceOf } from "./slice-memory.ts";
import { runPhase, type SliceRunner } from "./slice-runner.ts";
import type { SliceWorkerData } from "./slice-worker.ts";

const WORKER = new URL(
  `./slice-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

/** One thread per slice over shared memory; the calling thread, which must own no sockets, works on slice 0 itself. */
export class ThreadRunner implements SliceRunner {
  /** For the GlobalQuickheap that uses this runner. */
  readonly memory: SliceMemory;
  readonly #board: PhaseBoard;
  readonly #own: PivotSlice;
  readonly #workers: readonly RunningWorker[];
  #isClosed = false;

  constructor(slices: number, capacity: number) {
    this.memory = makeSliceMemory(slices, capacity, true);
    const board = new SharedArrayBuffer(BOARD_BYTES);
    this.#board = new PhaseBoard(board, slices - 1);
    this.#own = sliceOf(this.memory, 0);
    this.#workers = Array.from({ length: slices - 1 }, (_, i) => {
      const data: SliceWorkerData = { memory: this.memory, index: i + 1, board };
      return runWorker(WORKER, `queue slice ${i + 1}`, { workerData: data });
    });
    // Whoever forgets to close the queue can still end.
    for (const { worker } of this.#workers) worker.unref();
  }

  run(phase: Phase): void {
    if (this.#isClosed)
      throw new OrbweaverError("OW_SLICE_LOST", "the threads of the queue are closed");
    this.#board.post(phase);
    runPhase(this.#own, phase);
    this.#board.awaitAll();
  }

  /** Ends the threads; the queue cannot be used afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { worker } of this.#workers) worker.ref();
    this.#board.stop();
    await Promise.all(this.#workers.map((worker) => worker.ended));
  }
}
