/*
 * Hoare's partition of keys around a pivot value, best keys to the front:
 *
 *   lo                split              hi
 *   | all >= pivot    | all <= pivot     |
 *
 * Both scans stop on keys equal to the pivot, so equal keys are dealt to both sides and many of them cost no more than
 * different ones. The pivot needs not be among the keys: slices of one queue are split by a common value.
 *
 * Progress. If the pivot is among the keys the right side is never empty: of the equal keys it gets half, rounded up.
 * The left side is empty only if the pivot is the strict maximum; then it lies at `lo`, and `lo + 1` is as good a split.
 */

/** Comparisons of one partition, never under-counted: each key once, and at most two again where the scans meet. */
export function partitionCost(lo: number, hi: number): number {
  return hi - lo + 3;
}

/** Splits [lo, hi] of two plain columns; returns the first position of the right side. */
export function partition(
  priorities: Float64Array,
  ids: Uint32Array,
  lo: number,
  hi: number,
  pivot: number,
): number {
  let i = lo;
  let j = hi;
  // Only the first scans can run out of keys: afterwards each side holds a key that stops the other scan.
  while (i <= hi && priorities[i]! > pivot) i++;
  while (j >= lo && priorities[j]! < pivot) j--;
  while (i < j) {
    const priority = priorities[i]!;
    priorities[i] = priorities[j]!;
    priorities[j] = priority;
    const id = ids[i]!;
    ids[i] = ids[j]!;
    ids[j] = id;
    i++;
    j--;
    while (priorities[i]! > pivot) i++;
    while (priorities[j]! < pivot) j--;
  }
  return i;
}

/** The same on circular columns: positions run on beyond the capacity and lie at position mod capacity. */
export function partitionCircular(
  priorities: Float64Array,
  ids: Uint32Array,
  lo: number,
  hi: number,
  pivot: number,
): number {
  const capacity = priorities.length;
  if (hi < capacity) return partition(priorities, ids, lo, hi, pivot);
  if (lo >= capacity) {
    return partition(priorities, ids, lo - capacity, hi - capacity, pivot) + capacity;
  }
  // The range runs over the end of the columns: at most one chunk of a queue does, so this slower loop is rare.
  let i = lo;
  let j = hi;
  while (i <= hi && priorities[i < capacity ? i : i - capacity]! > pivot) i++;
  while (j >= lo && priorities[j < capacity ? j : j - capacity]! < pivot) j--;
  while (i < j) {
    const a = i < capacity ? i : i - capacity;
    const b = j < capacity ? j : j - capacity;
    const priority = priorities[a]!;
    priorities[a] = priorities[b]!;
    priorities[b] = priority;
    const id = ids[a]!;
    ids[a] = ids[b]!;
    ids[b] = id;
    i++;
    j--;
    while (priorities[i < capacity ? i : i - capacity]! > pivot) i++;
    while (priorities[j < capacity ? j : j - capacity]! < pivot) j--;
  }
  return i;
}

/** Comparisons of `medianOf3`, counted as its most. */
export const MEDIAN_COST = 3;

/** The middle one of three priorities. */
export function medianOf3(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : a < c ? c : a;
  return a < c ? a : b < c ? c : b;
}
