import { medianOf3 } from "./pivot.ts";
import type { Random } from "./pivot-random.ts";
import type { PivotSlice } from "./pivot-slice.ts";

const NINTHER_FROM_PER_SLICE = 1024;

/** Comparisons of `pivotOfSlices`; a better pivot pays only when the slices have much to split by it. */
export function pivotOfSlicesCost(active: number, slices: number): number {
  return active < NINTHER_FROM_PER_SLICE * slices ? 3 : 12;
}

/** A value near the middle of the active parts of all slices together. */
export function pivotOfSlices(
  slices: readonly PivotSlice[],
  active: number,
  random: Random,
): number {
  const one = () => sampleOf(slices, random.below(active));
  const three = () => medianOf3(one(), one(), one());
  if (pivotOfSlicesCost(active, slices.length) === 3) return three();
  return medianOf3(three(), three(), three());
}

function sampleOf(slices: readonly PivotSlice[], index: number): number {
  let rest = index;
  for (const slice of slices) {
    const { active } = slice;
    if (rest < active) return slice.sample(rest);
    rest -= active;
  }
  throw new RangeError("no such active key"); // the parts always add up to `active`
}
