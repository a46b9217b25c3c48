/**
 * The termination counter: URLs that are known and not yet committed, in all threads together.
 *
 * +n before a block of URLs becomes visible anywhere, -1 after a page's commit. Children are counted before their
 * parent is released, so the counter is 0 if and only if nothing is left. (Scanning idle flags instead is a race.)
 */
export class Pending {
  readonly #words: Int32Array;
  readonly #index: number;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#index = index;
  }

  /** Counts URLs that are about to become visible. */
  add(count: number): void {
    Atomics.add(this.#words, this.#index, count);
  }

  /** Releases URLs; true for the one caller that released the last. */
  release(count: number): boolean {
    return Atomics.sub(this.#words, this.#index, count) === count;
  }

  /** How many URLs are known and not yet committed. */
  get value(): number {
    return Atomics.load(this.#words, this.#index);
  }
}
