/** Words of shared memory: how many are left, and whether somebody waits for one. */
export const PERMITS_WORDS = 2;
const LEFT = 0;
const WANTED = 1;

/**
 * Page slots of `--max-pages`: one is taken before a fetch and given back on any outcome that is not a page,
 * so that a crawl ends at exactly its limit.
 *
 * Who finds none says that it wants one and then looks again; who gives one back makes it visible and then looks
 * whether one is wanted. Whoever comes second sees what the other one did, so nobody has to be woken in vain.
 */
export class Permits {
  readonly #words: Int32Array;
  readonly #index: number;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#index = index;
  }

  /** Takes one; false when none is left (one may come back later). */
  tryTake(): boolean {
    for (;;) {
      const left = Atomics.load(this.#words, this.#index + LEFT);
      if (left === 0) return false;
      if (Atomics.compareExchange(this.#words, this.#index + LEFT, left, left - 1) === left)
        return true;
    }
  }

  /** Says that one is wanted; true when there is one now. To be called before every sleep: one call wakes everybody. */
  want(): boolean {
    Atomics.store(this.#words, this.#index + WANTED, 1);
    return Atomics.load(this.#words, this.#index + LEFT) > 0;
  }

  /** Gives one back; true when somebody may sleep that wants it. */
  giveBack(): boolean {
    Atomics.add(this.#words, this.#index + LEFT, 1);
    return Atomics.exchange(this.#words, this.#index + WANTED, 0) === 1;
  }

  /** How many are left now. */
  get left(): number {
    return Atomics.load(this.#words, this.#index + LEFT);
  }
}
