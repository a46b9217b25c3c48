import type { PhaseBoard } from "../../sync/phase-board.ts";
import { report } from "../scenario.ts";

/** A queue in slices that does nothing but add: every slice is a plain word, whose owner changes it in a phase. */
export interface PhaseThreads {
  readonly board: PhaseBoard;
  readonly slices: Int32Array;
}

/** The coordinator: posts phases 1, 2, …, works on slice 0 itself, and adds up all slices between phases. */
export function coordinate({ board, slices }: PhaseThreads, phases: number): void {
  for (let depth = 1; depth <= phases; depth++) {
    board.post({ act: "insert", depth });
    slices[0] = slices[0]! + depth;
    board.awaitAll();
    let sum = 0;
    for (let slice = 0; slice < slices.length; slice++) sum += slices[slice]!;
    report(sum);
  }
  board.stop();
}

/** The thread of a slice, as `slice-worker.ts` runs it. */
export function work({ board, slices }: PhaseThreads, slice: number): void {
  for (let seen = 0; ; seen++) {
    const phase = board.next(seen);
    if (phase === undefined) return;
    if (phase.act === "insert") slices[slice] = slices[slice]! + phase.depth;
    board.report(false);
  }
}
