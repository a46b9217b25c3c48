import type { Random } from "./pivot-random.ts";

const NINTHER_FROM = 1024;

/** Comparisons of `pickPivot`, counted as their most: a median of three takes up to 3. */
export function pivotCost(width: number): number {
  return width < NINTHER_FROM ? 3 : 12;
}

/** A value near the middle of `width` keys from position `lo` of circular columns; random, so no input is bad for long. */
export function pickPivot(
  priorities: Float64Array,
  lo: number,
  width: number,
  random: Random,
): number {
  if (width < NINTHER_FROM) return medianOfSample(priorities, lo, width, random);
  return medianOf3(
    medianOfSample(priorities, lo, width, random),
    medianOfSample(priorities, lo, width, random),
    medianOfSample(priorities, lo, width, random),
  );
}

function medianOfSample(
  priorities: Float64Array,
  lo: number,
  width: number,
  random: Random,
): number {
  const capacity = priorities.length;
  const a = lo + random.below(width);
  const b = lo + random.below(width);
  const c = lo + random.below(width);
  return medianOf3(
    priorities[a < capacity ? a : a - capacity]!,
    priorities[b < capacity ? b : b - capacity]!,
    priorities[c < capacity ? c : c - capacity]!,
  );
}

/** The middle one of three priorities. */
export function medianOf3(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : a < c ? c : a;
  return a < c ? a : b < c ? c : b;
}
