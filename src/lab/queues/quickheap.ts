import { CapacityError } from "../../errors.ts";
import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue, whole } from "../../frontier/queue/priority-queue.ts";
import type { AccessWatch } from "./block-cache.ts";
import { copyOut, insertIntoChunks } from "./circular-chunks.ts";
import { deepestUseful, PivotStack } from "./pivot-stack.ts";
import { Quickselect } from "./quickselect.ts";

const MIN_CAPACITY = 64;
const GROWTH = 1.5;
const MAX_KEYS = 2 ** 30; // positions run up to twice the capacity and must stay small integers

/*
 * Quickheap (Paredes, Navarro 2006; Marin, Paredes, Bonacic 2008, figures 3-5), best keys first:
 *
 *   head                                             tail
 *   | first chunk | >= p3 … | >= p2 …… | >= p1 ……… | rest ………………… |
 *                end[3]    end[2]     end[1]                    end[0]
 *
 * Chunks are not sorted inside; every key of a chunk is at least its pivot, every key behind it at most. An insert makes
 * room by moving keys from the front of a chunk to its end (circular-chunks.ts). An extraction takes whole chunks and
 * splits the last one by quickselect, which leaves new pivots behind for the next call. The keys slide through a circular
 * array.
 *
 * Unlike figure 5 a pivot is a value between two positions, not a key with a place of its own, so there is no sentinel
 * that could be reported when more keys are asked for than wait.
 */

/** Priority queue of amortised logarithmic cost that works on chunks and never moves a key far. */
export class Quickheap implements PriorityQueue {
  #columns: Keys;
  #head = 0;
  readonly #stack = new PivotStack();
  readonly #select: Quickselect;
  readonly #watch: AccessWatch | undefined;

  /** `watch` is for experiments that count block transfers; the capacity must then suffice from the start. */
  constructor(capacity: number = MIN_CAPACITY, seed?: number, watch?: AccessWatch) {
    this.#columns = new Keys(Math.max(1, whole(capacity, 0, "the capacity of a queue")));
    this.#select = new Quickselect(seed);
    this.#watch = watch;
  }

  get size(): number {
    return this.#stack.ends[0]! - this.#head;
  }

  get comparisons(): number {
    return this.#select.comparisons;
  }

  /** Chunks now; stays logarithmic in the size whatever the order of the input. */
  get chunks(): number {
    return this.#stack.depth;
  }

  /** Where the first key lies. */
  get headPosition(): number {
    return this.#head;
  }

  /** Positions of the end and of every pivot. */
  boundaries(): number[] {
    return [...this.#stack.ends.subarray(0, this.#stack.depth)];
  }

  insertMany(keys: Keys): void {
    keys.check();
    this.#reserve(keys.length);
    const { priorities, ids } = this.#columns;
    const { ends, pivots, depth } = this.#stack;
    this.#select.comparisons += insertIntoChunks(
      { priorities, ids, head: this.#head, ends, pivots, depth, watch: this.#watch },
      keys,
    );
  }

  extractTop(count: number, into: Keys = new Keys(available(count, this.size))): Keys {
    const target = this.#head + available(count, this.size);
    this.#settle(target);
    copyOut(this.#columns, this.#head, target, into);
    this.#watch?.touch(this.#head, target, "read");
    this.#watch?.forget(this.#head, target);
    this.#stack.dropUpTo(target);
    this.#head = target;
    // The head stays below the capacity, so positions stay small.
    if (this.size === 0) this.#slide(-this.#head);
    else if (this.#head >= this.#capacity) this.#slide(-this.#capacity);
    return into;
  }

  peek(): Key | undefined {
    if (this.size === 0) return undefined;
    this.#settle(this.#head + 1, true);
    const { priorities, ids } = this.#columns;
    return { priority: priorities[this.#head]!, id: ids[this.#head]! };
  }

  get #capacity(): number {
    return this.#columns.priorities.length;
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
    const { priorities, ids } = this.#columns;
    while (lo < target) {
      const split = this.#select.split(priorities, ids, lo, hi);
      this.#watch?.sweep(lo, hi + 1);
      if (split > target || (keep && split === target))
        stack.push(split, this.#select.cut, this.#head);
      if (split > target) hi = split - 1;
      else lo = split;
    }
    if (stack.depth > deepestUseful(this.size)) stack.prune(this.#head);
  }

  #slide(by: number): void {
    this.#head += by;
    this.#stack.slide(by);
  }

  #reserve(count: number): void {
    const needed = this.size + count;
    if (needed <= this.#capacity) return;
    if (needed > MAX_KEYS) throw new CapacityError(`a queue holds at most ${MAX_KEYS} keys`);
    const grown = new Keys(
      Math.min(MAX_KEYS, Math.max(needed, Math.ceil(this.#capacity * GROWTH))),
    );
    copyOut(this.#columns, this.#head, this.#head + this.size, grown);
    this.#columns = grown;
    this.#slide(-this.#head);
  }
}
