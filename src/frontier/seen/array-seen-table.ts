/** Entries per slot before a stripe grows. */
const MAX_LOAD = 0.75;
/** Slots of an empty table, and how a stripe grows: a single one quickly, one of many so that an entry takes 10.7 to 13.4 bytes. */
const SINGLE = { slots: 128, growth: 2 };
const ONE_OF_MANY = { slots: 16, growth: 1.25 };

/**
 * A set of 64-bit fingerprints in arrays: for few of them, or for many where there is no WebAssembly. The high half leads
 * to a stripe, the low half to a slot in it, from which on the first empty one ends a search. A stripe that is full moves
 * to a longer array by itself: so with many stripes memory stays even, and no growth takes long.
 */
export class ArraySeenTable {
  /** Pairs of low and high half; a low half of 0 marks an empty slot. */
  readonly #stripes: Int32Array[];
  readonly #counts: Uint32Array;
  readonly #shift: number;
  readonly #growth: number;
  /** Fingerprints in the set. */
  size = 0;
  /** Memory of the stripes, empty slots included. */
  #bytes: number;

  /** 2 to the power of `stripeBits` stripes. */
  constructor(stripeBits = 0) {
    const { slots, growth } = stripeBits === 0 ? SINGLE : ONE_OF_MANY;
    this.#shift = 31 - stripeBits;
    this.#growth = growth;
    this.#counts = new Uint32Array(2 ** stripeBits);
    this.#stripes = Array.from(this.#counts, () => new Int32Array(2 * slots));
    this.#bytes = 8 * slots * this.#stripes.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many stripes there are; they are numbered from 0. */
  get pageCount(): number {
    return this.#stripes.length;
  }

  /** The stripe on which a fingerprint with this high half is. */
  pageOf(high: number): number {
    return (high >>> 1) >>> this.#shift;
  }

  /** Makes room for so many entries before they come: then hardly any of them moves. */
  reserve(entries: number): void {
    const slots = Math.ceil(entries / this.pageCount / MAX_LOAD) + 1;
    for (const [stripe, words] of this.#stripes.entries())
      if (2 * slots > words.length) this.#resize(stripe, slots);
  }

  /** Adds a fingerprint; false when it was there. A low half of 0 counts as 1. */
  add(low: number, high: number): boolean {
    const one = low === 0 ? 1 : low | 0;
    const two = high | 0;
    const stripe = (two >>> 1) >>> this.#shift;
    const words = this.#stripes[stripe]!;
    const at = placeIn(words, one, two);
    if (words[at] !== 0) return false;
    words[at] = one;
    words[at + 1] = two;
    this.size++;
    if (2 * ++this.#counts[stripe]! > MAX_LOAD * words.length)
      this.#resize(stripe, Math.ceil((this.#growth * words.length) / 2));
    return true;
  }

  has(low: number, high: number): boolean {
    const words = this.#stripes[this.pageOf(high)]!;
    return words[placeIn(words, low === 0 ? 1 : low | 0, high | 0)] !== 0;
  }

  /**
   * Adds the first `count` fingerprints (pairs of low and high half); `isNew` gets a 1 for each that is new, else a 0.
   * Returns how many are.
   */
  addAll(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    const before = this.size;
    for (let i = 0; i < count; i++)
      isNew[i] = this.add(fingerprints[2 * i]!, fingerprints[2 * i + 1]!) ? 1 : 0;
    return this.size - before;
  }

  /** The same without adding any. */
  searchAll(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    let missing = 0;
    for (let i = 0; i < count; i++) {
      const low = fingerprints[2 * i]! | 0;
      const high = fingerprints[2 * i + 1]! | 0;
      const words = this.#stripes[(high >>> 1) >>> this.#shift]!;
      isNew[i] = words[placeIn(words, low === 0 ? 1 : low, high)] === 0 ? 1 : 0;
      missing += isNew[i]!;
    }
    return missing;
  }

  /**
   * Stripe by stripe, every fingerprint that was there at the beginning, once: pairs of low and high half. A block is
   * valid until the next one is asked for. What is added meanwhile may come or not.
   */
  *pages(): Generator<Int32Array> {
    for (const [stripe, count] of this.#counts.entries()) {
      const words = this.#stripes[stripe]!;
      const pairs = new Int32Array(2 * count);
      for (let at = 0, used = 0; at < words.length; at += 2) {
        if (words[at] === 0) continue;
        pairs[used++] = words[at]!;
        pairs[used++] = words[at + 1]!;
      }
      if (count > 0) yield pairs;
    }
  }

  #resize(stripe: number, slots: number): void {
    const old = this.#stripes[stripe]!;
    const words = new Int32Array(2 * slots);
    for (let from = 0; from < old.length; from += 2) {
      if (old[from] === 0) continue;
      const at = placeIn(words, old[from]!, old[from + 1]!);
      words[at] = old[from]!;
      words[at + 1] = old[from + 1]!;
    }
    this.#stripes[stripe] = words;
    this.#bytes += words.byteLength - old.byteLength;
  }
}

/** Spreads low halves that are close to each other: without it they would share one run of slots. */
const SPREAD = 0x9e3779b1;

/** Where a fingerprint is, or the empty slot where it belongs. Any number of slots: its home is the low half as a fraction. */
function placeIn(words: Int32Array, one: number, two: number): number {
  let at = 2 * (((Math.imul(one, SPREAD) >>> 0) * (words.length / 2) * 2 ** -32) >>> 0);
  while (words[at] !== 0 && (words[at] !== one || words[at + 1] !== two))
    at = at + 2 === words.length ? 0 : at + 2;
  return at;
}
