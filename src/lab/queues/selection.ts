import { partition, partitionCost } from "./partition.ts";
import { pickPivot, pivotCost } from "./pivot.ts";
import { Random } from "./pivot-random.ts";

/** Quickselect (the paper's SELECT) that counts its comparisons and tells where it cut. */
export class Selection {
  comparisons = 0;
  /** After `top`: a value between the keys selected and the others, equal to some of them. */
  cut = 0;
  readonly #random: Random;

  constructor(seed?: number) {
    this.#random = new Random(seed);
  }

  /**
   * Moves the `count` best of the first `length` keys to the front, 0 < count < length. Ties are cut by count: taking
   * "all keys >= the count-th", as figures 1-2 do, would take too many of them.
   */
  top(priorities: Float64Array, ids: Uint32Array, length: number, count: number): void {
    let lo = 0;
    let hi = length - 1;
    while (lo < count) {
      const pivot = pickPivot(priorities, lo, hi - lo + 1, this.#random);
      let split = partition(priorities, ids, lo, hi, pivot);
      this.comparisons += partitionCost(lo, hi) + pivotCost(hi - lo + 1);
      if (split === lo) split++; // the pivot is the strict maximum and lies at lo
      if (split > count) hi = split - 1;
      else lo = split;
      this.cut = pivot;
    }
  }
}
