import { workerData } from "node:worker_threads";
import { PhaseBoard } from "../../sync/phase-board.ts";
import { PivotSlice } from "./pivot-slice.ts";
import { runPhase, type SliceWorkerData } from "./slice-runner.ts";

// The thread of one slice of a ThreadRunner.
const { memory, index, board: words } = workerData as SliceWorkerData;
const slice = new PivotSlice(memory, index);
const board = new PhaseBoard(words, memory.slices.length - 1);
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
