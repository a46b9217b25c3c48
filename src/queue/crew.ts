import type { PivotSlice } from "./pivot-slice.ts";

/** What all slices do at the same time; everything else is done by the coordinator between phases. */
export type Phase = { act: "insert"; depth: number } | { act: "split"; pivot: number };

/** Runs one phase on every slice and returns when all are done. */
export interface Crew {
  run(phase: Phase): void;
}

/** One slice's part of a phase. */
export function runPhase(slice: PivotSlice, phase: Phase): void {
  if (phase.act === "insert") slice.insertInbox(phase.depth);
  else slice.split(phase.pivot);
}

/** One slice after the other, in the calling thread: for counting work, and where threads would cost more than they bring. */
export class SoloCrew implements Crew {
  readonly #slices: readonly PivotSlice[];

  constructor(slices: readonly PivotSlice[]) {
    this.#slices = slices;
  }

  run(phase: Phase): void {
    for (const slice of this.#slices) runPhase(slice, phase);
  }
}
