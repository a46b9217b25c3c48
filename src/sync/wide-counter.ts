/** A counter beyond 32 bits: two words of a control block, at an even position. */
export class WideCounter {
  readonly #words: BigInt64Array;

  constructor(memory: SharedArrayBuffer, index: number) {
    this.#words = new BigInt64Array(memory, 4 * index, 1);
  }

  /** Adds a whole number. */
  add(amount: number): void {
    Atomics.add(this.#words, 0, BigInt(amount));
  }

  /** Sets it, while nobody else touches it. */
  set(value: number): void {
    Atomics.store(this.#words, 0, BigInt(value));
  }

  get value(): number {
    return Number(Atomics.load(this.#words, 0));
  }
}
