import { CapacityError } from "../../errors.ts";
import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue } from "../../frontier/queue/priority-queue.ts";
import type { Phase } from "../../sync/phase-board.ts";
import { deal } from "./deal-keys.ts";
import { Random } from "./pivot-random.ts";
import { makeSliceMemory, type PivotSlice, type SliceMemory, slicesOf } from "./pivot-slice.ts";
import { boundariesToKeep, deepestUseful, MAX_PIVOTS } from "./pivot-stack.ts";
import { pickPivot, pivotCost } from "./quickselect.ts";
import { runPhase, type SliceRunner } from "./slice-runner.ts";
import { WorkBalance } from "./work-balance.ts";

/*
 * T slices, ONE stack of pivot values:
 *
 *   slice 0   | …… | >= p2 …… | >= p1 ………… | rest …………… |
 *   slice 1   | … | >= p2 ……… | >= p1 ………… | rest ………………… |
 *   slice 2   | …… | >= p2 …… | >= p1 ……… | rest ……………… |
 *
 * Every slice splits its part by the same values at the same time, and only the sums of the counts decide how the
 * quickselect goes on. So the answer is the exact global top-R, and as the slices hold random samples of the same keys
 * their parts are nearly equal and so is their work. Independent Quickheaps partition at different times, unevenly.
 */

/** Quickheap in T slices that work in lock-step and give the exact best R keys of all. Its capacity is fixed. */
export class GlobalQuickheap implements PriorityQueue {
  readonly insertWork = new WorkBalance();
  readonly extractWork = new WorkBalance();
  readonly #keysPerSlice: number;
  readonly #slices: readonly PivotSlice[];
  readonly #pivots: Float64Array;
  /** Undefined when the calling thread works on one slice after the other. */
  readonly #runner: SliceRunner | undefined;
  readonly #random: Random;
  #depth = 1;
  #serial = 0;
  #size = 0;

  constructor(memory: SliceMemory, runner?: SliceRunner, seed?: number) {
    this.#keysPerSlice = memory.keysPerSlice;
    this.#slices = slicesOf(memory);
    this.#pivots = memory.pivots;
    this.#runner = runner;
    this.#random = new Random(seed);
  }

  /** All slices in the calling thread. */
  static solo(slices: number, capacity: number, seed?: number): GlobalQuickheap {
    return new GlobalQuickheap(makeSliceMemory(slices, capacity, false), undefined, seed);
  }

  get size(): number {
    return this.#size;
  }

  get comparisons(): number {
    return this.#slices.reduce((sum, slice) => sum + slice.comparisons, this.#serial);
  }

  insertMany(keys: Keys): void {
    keys.check();
    const capacity = this.#slices.length * this.#keysPerSlice;
    if (this.#size + keys.length > capacity) {
      throw new CapacityError(`this queue holds at most ${capacity} keys`);
    }
    for (let from = 0; from < keys.length; ) {
      from = deal(keys, from, this.#slices, this.#keysPerSlice);
      this.#run({ act: "insert", depth: this.#depth }, this.insertWork);
    }
    this.#size += keys.length;
  }

  extractTop(count: number, into: Keys = new Keys(available(count, this.#size))): Keys {
    let missing = available(count, this.#size);
    this.#size -= missing;
    while (missing > 0) {
      const chunk = this.#sum((slice) => slice.prefix(this.#depth - 1));
      if (chunk > missing) {
        this.#settle(chunk, missing);
        for (const slice of this.#slices) slice.takeBeforeActive(into, this.#depth);
        return into;
      }
      for (const slice of this.#slices) slice.takeChunk(into, this.#depth);
      if (this.#depth > 1) this.#depth--;
      missing -= chunk;
    }
    return into;
  }

  peek(): Key | undefined {
    if (this.#size === 0) return undefined;
    this.#dropEmptyChunks();
    this.#settle(
      this.#sum((slice) => slice.prefix(this.#depth - 1)),
      1,
    );
    const holder = this.#slices.find((slice) => slice.beforeActive === 1)!;
    return holder.head;
  }

  /** Moves the active parts so that exactly `target` keys lie before them, all at least as good as all others. */
  #settle(chunk: number, target: number): void {
    for (const slice of this.#slices) slice.open(this.#depth);
    let missing = target;
    let active = chunk;
    while (missing > 0 && missing < active) {
      const pivot = this.#pickPivot(active);
      this.#run({ act: "split", pivot }, this.extractWork);
      const left = this.#sum((slice) => slice.left);
      if (left === 0) {
        // The pivot is the maximum and every slice has at most one key equal to it, at the front of its part.
        const passed = this.#passEqual(pivot, missing);
        missing -= passed;
        active -= passed;
      } else if (left > missing) {
        this.#pushPivot(pivot);
        for (const slice of this.#slices) slice.keepLeft(this.#depth - 1);
        active = left;
      } else {
        for (const slice of this.#slices) slice.keepRight();
        missing -= left;
        active -= left;
      }
    }
    if (missing > 0) for (const slice of this.#slices) slice.passActive();
    if (this.#depth > deepestUseful(this.#size + target)) this.#prune();
  }

  #passEqual(pivot: number, most: number): number {
    let passed = 0;
    for (const slice of this.#slices) {
      if (passed < most && slice.skipEqual(pivot)) passed++;
    }
    this.#addSerialWork(this.#slices.length);
    return passed;
  }

  /** A value near the middle of the active parts of all slices together. */
  #pickPivot(active: number): number {
    // A better pivot pays only when the slices have much to split by it.
    const perSlice = active / this.#slices.length;
    this.#addSerialWork(pivotCost(perSlice));
    return pickPivot(perSlice, () => {
      let rest = this.#random.below(active);
      let slice = 0;
      while (rest >= this.#slices[slice]!.active) rest -= this.#slices[slice++]!.active;
      return this.#slices[slice]!.sample(rest);
    });
  }

  #pushPivot(pivot: number): void {
    if (this.#depth === MAX_PIVOTS) this.#prune();
    this.#pivots[this.#depth++] = pivot;
  }

  /** As PivotStack.prune, on the sums of all slices. */
  #prune(): void {
    const kept = boundariesToKeep(this.#depth, (index) =>
      this.#sum((slice) => slice.prefix(index)),
    );
    this.#depth = 1;
    for (const index of kept) {
      this.#pivots[this.#depth] = this.#pivots[index]!;
      for (const slice of this.#slices) slice.renumber(index, this.#depth);
      this.#depth++;
    }
  }

  #dropEmptyChunks(): void {
    while (this.#depth > 1 && this.#sum((slice) => slice.prefix(this.#depth - 1)) === 0) {
      this.#depth--;
    }
  }

  #run(phase: Phase, balance: WorkBalance): void {
    const before = this.#slices.map((slice) => slice.comparisons);
    if (this.#runner === undefined) for (const slice of this.#slices) runPhase(slice, phase);
    else this.#runner.run(phase);
    balance.add(this.#slices.map((slice, i) => slice.comparisons - before[i]!));
  }

  /** What the coordinator does alone counts against the balance: everybody waits for it. */
  #addSerialWork(comparisons: number): void {
    this.#serial += comparisons;
    this.extractWork.add(this.#slices.map((_, i) => (i === 0 ? comparisons : 0)));
  }

  #sum(of: (slice: PivotSlice) => number): number {
    let sum = 0;
    for (const slice of this.#slices) sum += of(slice);
    return sum;
  }
}
