/**
 * Page slots of `--max-pages`: one is taken before a fetch and given back on any outcome that is not a page,
 * so that a crawl ends at exactly its limit.
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
      const left = Atomics.load(this.#words, this.#index);
      if (left === 0) return false;
      if (Atomics.compareExchange(this.#words, this.#index, left, left - 1) === left) return true;
    }
  }

  /** Gives one back. */
  giveBack(): void {
    Atomics.add(this.#words, this.#index, 1);
  }

  /** How many are left now. */
  get left(): number {
    return Atomics.load(this.#words, this.#index);
  }
}
