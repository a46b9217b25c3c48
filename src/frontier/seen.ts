import { fingerprint, print } from "./fingerprint.ts";

const FIRST_CAPACITY = 1 << 12;
const MAX_LOAD = 0.7;

/**
 * The URLs a shard has met, as 64-bit fingerprints in open addressing: 8 bytes a slot, no object per URL.
 * Two of a hundred million URLs share a fingerprint with probability 0.03 %; that URL would be missed.
 */
export class SeenSet {
  readonly #seedLow: number;
  readonly #seedHigh: number;
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #mask = FIRST_CAPACITY - 1;
  #size = 0;

  constructor(seedLow: number, seedHigh: number) {
    this.#seedLow = seedLow;
    this.#seedHigh = seedHigh;
  }

  /** How many distinct URLs were added. */
  get size(): number {
    return this.#size;
  }

  /** Adds the URL, leaving its fingerprint in `print`; false when it was there. */
  add(url: string): boolean {
    fingerprint(url, this.#seedLow, this.#seedHigh);
    return this.addPrint(print.low, print.high);
  }

  hasPrint(low: number, high: number): boolean {
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const foundLow = this.#slots[2 * slot]!;
      const foundHigh = this.#slots[2 * slot + 1]!;
      if (foundLow === low && foundHigh === high) return true;
      if (foundLow === 0 && foundHigh === 0) return false;
    }
  }

  /** Every fingerprint once, in blocks of pairs (low, high). */
  *prints(): Generator<Int32Array> {
    for (let i = 0; i < this.#slots.length; i += 2) {
      const pair = this.#slots.subarray(i, i + 2);
      if (pair[0] !== 0 || pair[1] !== 0) yield new Int32Array(pair);
    }
  }

  /** Adds a URL of which only the fingerprint is known; false when it was there. */
  addPrint(lowOrZero: number, high: number): boolean {
    // (0, 0) marks an empty slot, so that fingerprint is moved to its neighbour.
    const low = lowOrZero === 0 && high === 0 ? 1 : lowOrZero;
    if (!this.#insert(low, high)) return false;
    this.#size++;
    if (this.#size > MAX_LOAD * (this.#mask + 1)) this.#grow();
    return true;
  }

  #insert(low: number, high: number): boolean {
    let slot = low & this.#mask;
    for (;;) {
      const foundLow = this.#slots[2 * slot]!;
      const foundHigh = this.#slots[2 * slot + 1]!;
      if (foundLow === low && foundHigh === high) return false;
      if (foundLow === 0 && foundHigh === 0) {
        this.#slots[2 * slot] = low;
        this.#slots[2 * slot + 1] = high;
        return true;
      }
      slot = (slot + 1) & this.#mask;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    this.#mask = 2 * this.#mask + 1;
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] !== 0 || old[i + 1] !== 0) this.#insert(old[i]!, old[i + 1]!);
    }
  }
}
