/** No key is 0: that one is taken for 1. */
const FREE = 0n;
const NO_KEY_BUT_ONE = 1n;

/** Bytes of one slot. */
export const KEY_BYTES = 8;

/** Which slot of a table belongs to a 64-bit fingerprint. A slot gets its key in one atomic step and keeps it. */
export class KeySlots {
  readonly #keys: BigInt64Array;

  /** `slots` is a power of two. */
  constructor(memory: SharedArrayBuffer, offset: number, slots: number) {
    this.#keys = new BigInt64Array(memory, offset, slots);
  }

  /** The slot of a key, by the halves of its fingerprint; a new one gets a free slot. -1 when none is left. */
  of(low: number, high: number): number {
    const wide = (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
    const key = wide === FREE ? NO_KEY_BUT_ONE : wide;
    const mask = this.#keys.length - 1;
    for (let i = 0; i <= mask; i++) {
      const slot = (low + i) & mask;
      const found = Atomics.compareExchange(this.#keys, slot, FREE, key);
      if (found === FREE || found === key) return slot;
    }
    return -1;
  }
}
