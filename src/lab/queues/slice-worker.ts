import { workerData } from "node:worker_threads";
import { PhaseBoard } from "../../sync/phase-board.ts";
import { type SliceMemory, sliceOf } from "./slice-memory.ts";
import { runPhase } from "./slice-runner.ts";

/** What a thread of a ThreadRunner is told: which slice of which memory it works on. */
export interface SliceWorkerData {
  readonly memory: SliceMemory;
  readonly index: number;
  readonly board: SharedArrayBuffer;
}

const { memory, index, board: words } = workerData as SliceWorkerData;
const slice = sliceOf(memory, index);
const board = new PhaseBoard(words, memory.slices - 1);
// Phase numbers start at 0 and go up by one; a worker that starts late finds the first one waiting for it.
for (let seen = 0; ; seen = (seen + 1) | 0) {
  const phase = board.next(seen);
  if (phase === undefined) break;
  let failed = true;
  try {
    runPhase(slice, phase);
    failed = false;
  } finally {
    board.report(failed);
  }
}
