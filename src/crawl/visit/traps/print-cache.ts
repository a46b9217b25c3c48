/** The prints met lately, one per slot: bounded memory, and what is forgotten only delays a verdict. */
export class FingerprintCache {
  readonly #slots: Uint32Array;

  /** The number of slots is a power of two. */
  constructor(slots: number) {
    this.#slots = new Uint32Array(slots);
  }

  /** Whether the print was met; it is now. */
  meet(value: number): boolean {
    const kept = value === 0 ? 1 : value >>> 0;
    const slot = kept & (this.#slots.length - 1);
    const met = this.#slots[slot] === kept;
    this.#slots[slot] = kept;
    return met;
  }
}
