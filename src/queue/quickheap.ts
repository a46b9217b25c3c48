import { copyOut, relocate } from "./circular.ts";
import { type Key, Keys } from "./keys.ts";
import { MEDIAN_COST, medianOf3, partitionCircular, partitionCost } from "./partition.ts";
import { deepestUseful, PivotStack } from "./pivot-stack.ts";
import type { PriorityQueue } from "./priority-queue.ts";
import { Random } from "./random.ts";

const SMALLEST_CAPACITY = 64;
const GROWTH = 1.5;
const MAX_KEYS = 2 ** 30; // positions run up to twice the capacity and must stay small integers

/*
 * Quickheap (Paredes, Navarro 2006; Marin, Paredes, Bonacic 2008, figures 3-5), best keys first:
 *
 *   head                                             tail
 *   | first chunk | >= p3 … | >= p2 …… | >= p1 ……… | rest ………………… |
 *                end[3]    end[2]     end[1]                    end[0]
 *
 * Chunks are not sorted inside; every key of a chunk is at least its pivot, every key behind it at most. An insert
 * opens a hole at the tail and moves it forward by one key per chunk. An extraction takes whole chunks and splits the
 * last one by quickselect, which leaves new pivots behind for the next call. The keys slide through a circular array.
 *
 * Unlike figure 5 a pivot is a value between two positions, not a key with a place of its own, so there is no sentinel
 * that could be reported when more keys are asked for than wait.
 */

/** Priority queue of amortised logarithmic cost that works on chunks and never moves a key far. */
export class Quickheap implements PriorityQueue {
  comparisons = 0;
  #priorities: Float64Array;
  #ids: Uint32Array;
  #head = 0;
  readonly #stack = new PivotStack();
  readonly #random: Random;

  constructor(capacity: number = SMALLEST_CAPACITY, seed?: number) {
    this.#priorities = new Float64Array(Math.max(1, capacity));
    this.#ids = new Uint32Array(Math.max(1, capacity));
    this.#random = new Random(seed);
  }

  get size(): number {
    return this.#stack.ends[0]! - this.#head;
  }

  /** Chunks now; stays logarithmic in the size whatever the order of the input. */
  get chunks(): number {
    return this.#stack.depth;
  }

  insertMany(keys: Keys): void {
    this.#reserve(keys.length);
    const { priorities, ids, length } = keys;
    const own = this.#priorities;
    const ownIds = this.#ids;
    const capacity = own.length;
    const { ends, pivots, depth } = this.#stack;
    const last = depth - 1;
    let compared = 0;
    for (let k = 0; k < length; k++) {
      const priority = priorities[k]!;
      let hole = ends[0]!;
      ends[0] = hole + 1;
      if (hole >= capacity) hole -= capacity;
      let chunk = 0;
      while (chunk < last && priority > pivots[chunk + 1]!) {
        chunk++;
        // The first key of the chunk behind this pivot moves to the hole at its other end.
        const position = ends[chunk]!;
        const first = position >= capacity ? position - capacity : position;
        own[hole] = own[first]!;
        ownIds[hole] = ownIds[first]!;
        hole = first;
        ends[chunk] = position + 1;
      }
      own[hole] = priority;
      ownIds[hole] = ids[k]!;
      compared += chunk < last ? chunk + 1 : chunk;
    }
    this.comparisons += compared;
  }

  extractTop(count: number, into: Keys = new Keys(Math.min(count, this.size))): Keys {
    const target = this.#head + Math.min(count, this.size);
    this.#settle(target);
    copyOut(this.#priorities, this.#ids, this.#head, target, into);
    this.#stack.dropUpTo(target);
    this.#head = target;
    this.#normalise();
    return into;
  }

  peek(): Key | undefined {
    if (this.size === 0) return undefined;
    this.#settle(this.#head + 1, true);
    return { priority: this.#priorities[this.#head]!, id: this.#ids[this.#head]! };
  }

  /** Makes all keys before position `target` at least as good as all others; quickselect on the chunk it lies in. */
  #settle(target: number, keep = false): void {
    const stack = this.#stack;
    let chunk = stack.depth - 1;
    while (chunk > 0 && stack.ends[chunk]! < target) chunk--;
    if (stack.ends[chunk]! <= target) return;
    let lo = chunk === stack.depth - 1 ? this.#head : stack.ends[chunk + 1]!;
    let hi = stack.ends[chunk]! - 1;
    // The chunks before will leave with this call; their pivots only stand in the way of new ones.
    stack.depth = chunk + 1;
    while (lo < target) {
      const pivot = this.#pickPivot(lo, hi);
      let split = partitionCircular(this.#priorities, this.#ids, lo, hi, pivot);
      this.comparisons += partitionCost(lo, hi) + MEDIAN_COST;
      if (split === lo) split++; // the pivot is the strict maximum and lies at lo
      if (split > target || (keep && split === target)) stack.push(split, pivot);
      if (split > target) hi = split - 1;
      else lo = split;
    }
    if (stack.depth > deepestUseful(this.size)) stack.prune(this.#head);
  }

  #pickPivot(lo: number, hi: number): number {
    const width = hi - lo + 1;
    return medianOf3(this.#at(lo, width), this.#at(lo, width), this.#at(lo, width));
  }

  #at(lo: number, width: number): number {
    const capacity = this.#priorities.length;
    const position = lo + this.#random.below(width);
    return this.#priorities[position < capacity ? position : position - capacity]!;
  }

  /** Brings the head back below the capacity; positions stay small. */
  #normalise(): void {
    if (this.size === 0) this.#slide(-this.#head);
    else if (this.#head >= this.#priorities.length) this.#slide(-this.#priorities.length);
  }

  #slide(by: number): void {
    this.#head += by;
    this.#stack.slide(by);
  }

  #reserve(count: number): void {
    const needed = this.size + count;
    const capacity = this.#priorities.length;
    if (needed <= capacity) return;
    const grown = Math.min(MAX_KEYS, Math.max(needed, Math.ceil(capacity * GROWTH)));
    const moved = relocate(this.#priorities, this.#ids, this.#head, this.size, grown);
    this.#priorities = moved.priorities;
    this.#ids = moved.ids;
    this.#slide(-this.#head);
  }
}
