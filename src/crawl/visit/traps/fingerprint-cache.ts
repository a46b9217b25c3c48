/** Recent fingerprints, one per slot: memory is bounded, and losing one only delays a verdict. */
export class FingerprintCache {
  readonly #slots: Uint32Array;

  /** The number of slots is a power of two. */
  constructor(slots: number) {
    this.#slots = new Uint32Array(slots);
  }

  /** Adds a fingerprint; true when it was there already. */
  sawBefore(value: number): boolean {
    const kept = value === 0 ? 1 : value >>> 0;
    const slot = kept & (this.#slots.length - 1);
    const isKnown = this.#slots[slot] === kept;
    this.#slots[slot] = kept;
    return isKnown;
  }
}
