import { partition, partitionCost } from "./partition.ts";
import { Random } from "./pivot-random.ts";

const NINTHER_FROM = 1024;

/** Comparisons of `pickPivot`, at most: a median of three takes up to 3. */
export function pivotCost(width: number): number {
  return width < NINTHER_FROM ? 3 : 12;
}

/** A value near the middle of `width` keys, from random samples, so that no input is bad for long. */
export function pickPivot(width: number, sample: () => number): number {
  const three = () => medianOf3(sample(), sample(), sample());
  return width < NINTHER_FROM ? three() : medianOf3(three(), three(), three());
}

function medianOf3(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : a < c ? c : a;
  return a < c ? a : b < c ? c : b;
}

/** Quickselect (the paper's SELECT) that counts its comparisons and remembers where it cut. */
export class Quickselect {
  comparisons = 0;
  /** The pivot of the last split: a value between the keys before it and the others, equal to some of them. */
  cut = 0;
  readonly #random: Random;

  constructor(seed?: number) {
    this.#random = new Random(seed);
  }

  /** Splits [lo, hi] of circular columns near its middle; returns the first position of the right side, above `lo`. */
  split(priorities: Float64Array, ids: Uint32Array, lo: number, hi: number): number {
    const width = hi - lo + 1;
    this.cut = pickPivot(width, () => {
      const at = lo + this.#random.below(width);
      return priorities[at < priorities.length ? at : at - priorities.length]!;
    });
    const split = partition(priorities, ids, lo, hi, this.cut);
    this.comparisons += partitionCost(lo, hi) + pivotCost(width);
    return split === lo ? lo + 1 : split; // the pivot is the strict maximum and lies at lo
  }

  /**
   * Moves the `count` best of the first `length` keys to the front, 0 < count < length. Ties are cut by count: taking
   * "all keys >= the count-th", as figures 1-2 do, would take too many of them.
   */
  top(priorities: Float64Array, ids: Uint32Array, length: number, count: number): void {
    let lo = 0;
    let hi = length - 1;
    while (lo < count) {
      const split = this.split(priorities, ids, lo, hi);
      if (split > count) hi = split - 1;
      else lo = split;
    }
  }
}
