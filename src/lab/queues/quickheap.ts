import { CapacityError } from "../../errors.ts";
import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue, whole } from "../../frontier/queue/priority-queue.ts";
import { insertIntoChunks } from "./chunk-insert.ts";
import { copyOut, relocate } from "./circular.ts";
import type { AccessWatch } from "./external-blocks.ts";
import { partitionCircular, partitionCost } from "./partition.ts";
import { pickPivot, pivotCost } from "./pivot.ts";
import { Random } from "./pivot-random.ts";
import { deepestUseful, PivotStack } from "./pivot-stack.ts";

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
 * makes room by moving a key from the front of a chunk to its end (chunk-insert.ts). An extraction takes whole chunks and splits the
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

  readonly #watch: AccessWatch | undefined;

  /** `watch` is for experiments that count block transfers; the capacity must then suffice from the start. */
  constructor(capacity: number = SMALLEST_CAPACITY, seed?: number, watch?: AccessWatch) {
    const places = Math.max(1, whole(capacity, 0, "the capacity of a queue"));
    this.#watch = watch;
    this.#priorities = new Float64Array(places);
    this.#ids = new Uint32Array(places);
    this.#random = new Random(seed);
  }

  get size(): number {
    return this.#stack.ends[0]! - this.#head;
  }

  /** Chunks now; stays logarithmic in the size whatever the order of the input. */
  get chunks(): number {
    return this.#stack.depth;
  }

  /** Where the first key lies. */
  get headPosition(): number {
    return this.#head;
  }

  /** Calls `visit` with the position of every pivot and of the end. */
  boundaries(visit: (position: number) => void): void {
    for (let i = 0; i < this.#stack.depth; i++) visit(this.#stack.ends[i]!);
  }

  insertMany(keys: Keys): void {
    keys.check();
    this.#reserve(keys.length);
    const { ends, pivots, depth } = this.#stack;
    const chunks = {
      priorities: this.#priorities,
      ids: this.#ids,
      head: this.#head,
      ends,
      pivots,
      depth,
      watch: this.#watch,
    };
    this.comparisons += insertIntoChunks(chunks, keys);
  }

  extractTop(count: number, into: Keys = new Keys(available(count, this.size))): Keys {
    const target = this.#head + available(count, this.size);
    this.#settle(target);
    copyOut(this.#priorities, this.#ids, this.#head, target, into);
    this.#watch?.touch(this.#head, target, "read");
    this.#watch?.forget(this.#head, target);
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
      const pivot = pickPivot(this.#priorities, lo, hi - lo + 1, this.#random);
      let split = partitionCircular(this.#priorities, this.#ids, lo, hi, pivot);
      this.#watch?.sweep(lo, hi + 1);
      this.comparisons += partitionCost(lo, hi) + pivotCost(hi - lo + 1);
      if (split === lo) split++; // the pivot is the strict maximum and lies at lo
      if (split > target || (keep && split === target)) stack.push(split, pivot);
      if (split > target) hi = split - 1;
      else lo = split;
    }
    if (stack.depth > deepestUseful(this.size)) stack.prune(this.#head);
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
    if (needed > MAX_KEYS) throw new CapacityError(`a queue holds at most ${MAX_KEYS} keys`);
    const grown = Math.min(MAX_KEYS, Math.max(needed, Math.ceil(capacity * GROWTH)));
    const moved = relocate(this.#priorities, this.#ids, this.#head, this.size, grown);
    this.#priorities = moved.priorities;
    this.#ids = moved.ids;
    this.#slide(-this.#head);
  }
}
