/** Where to take from and where to put next; then the slots themselves. */
const TAKEN = 0;
const PUT = 1;
const SLOTS = 2;

/** A ring of numbers in plain words that its user has to guard: the explorer looks for races on it. */
export class PlainSlots {
  readonly #plain: Int32Array;
  readonly capacity: number;

  constructor(plain: Int32Array) {
    this.#plain = plain;
    this.capacity = plain.length - SLOTS;
  }

  /** Words for that many slots. */
  static words(capacity: number): number {
    return SLOTS + capacity;
  }

  put(item: number): void {
    const put = this.#plain[PUT]!;
    this.#plain[SLOTS + put] = item;
    this.#plain[PUT] = (put + 1) % this.capacity;
  }

  take(): number {
    const taken = this.#plain[TAKEN]!;
    this.#plain[TAKEN] = (taken + 1) % this.capacity;
    return this.#plain[SLOTS + taken]!;
  }
}
