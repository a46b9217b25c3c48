import type { Phase } from "../../sync/phase-board.ts";
import type { PivotSlice } from "./pivot-slice.ts";

/** Runs one phase on every slice and returns when all are done. */
export interface SliceRunner {
  run(phase: Phase): void;
}

/** One slice's part of a phase. */
export function runPhase(slice: PivotSlice, phase: Phase): void {
  if (phase.act === "insert") slice.insertInbox(phase.depth);
  else slice.split(phase.pivot);
}

/** One slice after the other, in the calling thread: for counting work, and where threads would cost more than they bring. */
export class SoloRunner implements SliceRunner {
  readonly #slices: readonly PivotSlice[];

  constructor(slices: readonly PivotSlice[]) {
    this.#slices = slices;
  }

  run(phase: Phase): void {
    for (const slice of this.#slices) runPhase(slice, phase);
  }
}
