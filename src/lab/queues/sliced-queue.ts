import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue, whole } from "../../frontier/queue/priority-queue.ts";
import { WorkBalance } from "./work-balance.ts";

/**
 * T independent queues side by side, as in section 3.1 of the paper: each takes a T-th of a batch and gives a T-th of an
 * extraction. Fast to share out, but NOT a PriorityQueue: the answer is not exactly the best R, because the best may lie
 * unevenly. The exact one is GlobalQuickheap.
 */
export class SlicedQueue {
  readonly insertWork = new WorkBalance();
  readonly extractWork = new WorkBalance();
  readonly #slices: readonly PriorityQueue[];
  readonly #hands: readonly Keys[];
  #next = 0;

  constructor(slices: number, create: (slice: number) => PriorityQueue) {
    const length = whole(slices, 1, "the number of slices");
    this.#slices = Array.from({ length }, (_, slice) => create(slice));
    this.#hands = this.#slices.map(() => new Keys());
  }

  get size(): number {
    return this.#slices.reduce((sum, slice) => sum + slice.size, 0);
  }

  get comparisons(): number {
    return this.#slices.reduce((sum, slice) => sum + slice.comparisons, 0);
  }

  /** Deals the keys out like cards, so that sorted input is no worse than random. */
  insertMany(keys: Keys): void {
    keys.check();
    const hands = this.#hands;
    for (const hand of hands) hand.clear();
    for (let i = 0; i < keys.length; i++) {
      hands[this.#next]!.add(keys.priorities[i]!, keys.ids[i]!);
      this.#next = this.#next + 1 === hands.length ? 0 : this.#next + 1;
    }
    this.#measure(this.insertWork, (slice, i) => slice.insertMany(hands[i]!));
  }

  /** The best count / T of each slice; slices that run out are made up for by the others. */
  extractTop(count: number, into: Keys = new Keys(available(count, this.size))): Keys {
    let missing = available(count, this.size);
    while (missing > 0) {
      const filled = this.#slices.filter((slice) => slice.size > 0).length;
      const share = Math.ceil(missing / filled);
      this.#measure(this.extractWork, (slice) => {
        const take = Math.min(share, slice.size, missing);
        slice.extractTop(take, into);
        missing -= take;
      });
    }
    return into;
  }

  /** The best key of all slices, which stays. */
  peek(): Key | undefined {
    let best: Key | undefined;
    for (const slice of this.#slices) {
      const key = slice.peek();
      if (key !== undefined && !(best !== undefined && best.priority >= key.priority)) best = key;
    }
    return best;
  }

  #measure(balance: WorkBalance, act: (slice: PriorityQueue, index: number) => void): void {
    balance.add(
      this.#slices.map((slice, i) => {
        const before = slice.comparisons;
        act(slice, i);
        return slice.comparisons - before;
      }),
    );
  }
}
