import { OrbweaverError } from "../../errors.ts";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import { BOARD_BYTES, type Phase, PhaseBoard } from "../../sync/phase-board.ts";
import { makeSliceMemory, PivotSlice, type SliceMemory } from "./pivot-slice.ts";

const WORKER = new URL(
  `./slice-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

/** Runs one phase on every slice and returns when all are done. */
export interface SliceRunner {
  run(phase: Phase): void;
}

/** One slice's part of a phase. */
export function runPhase(slice: PivotSlice, phase: Phase): void {
  if (phase.act === "insert") slice.insertInbox(phase.depth);
  else slice.split(phase.pivot);
}

/** What a thread of a ThreadRunner gets: its slice of the memory, and the board that posts phases. */
export interface SliceWorkerData {
  readonly memory: SliceMemory;
  readonly index: number;
  readonly board: SharedArrayBuffer;
}

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
    this.#own = new PivotSlice(this.memory, 0);
    this.#workers = Array.from({ length: slices - 1 }, (_, i) => {
      const workerData: SliceWorkerData = { memory: this.memory, index: i + 1, board };
      return runWorker(WORKER, `queue slice ${i + 1}`, { workerData });
    });
    // A program that forgets to close its queue can still end.
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
