const FIRST_CAPACITY = 1 << 12;
const MAX_LOAD = 0.75;

/**
 * Fingerprints in the order of their admission, and what became of each: 8 bytes, 1 byte, and a slot of 5 bytes at a
 * load below 0.75. A slot's tag is 7 bits of the fingerprint, so that a search seldom leaves the tags. The number of an admission is its place; it is never written to a journal, so a lost batch does
 * not shift the meaning of others.
 */
export class PrintTable {
  #prints = new Uint32Array(2 * FIRST_CAPACITY);
  #outcomes = new Uint8Array(FIRST_CAPACITY);
  /** 0 is a free slot. */
  #tags = new Uint8Array(2 * FIRST_CAPACITY);
  /** Admission numbers. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #mask = 2 * FIRST_CAPACITY - 1;
  #size = 0;

  /** Admissions so far. */
  get size(): number {
    return this.#size;
  }

  /** Takes a fingerprint in; answers its new number, or -1 when it was there. */
  add(low: number, high: number): number {
    const slot = this.#find(low, high);
    if (this.#tags[slot] !== 0) return -1;
    const number = this.#size++;
    if (2 * number === this.#prints.length) this.#lengthen();
    this.#prints[2 * number] = low;
    this.#prints[2 * number + 1] = high;
    this.#tags[slot] = tagOf(high);
    this.#slots[slot] = number;
    if (this.#size > MAX_LOAD * this.#slots.length) this.#rehash();
    return number;
  }

  /** Number of a fingerprint; -1 when it was never admitted. */
  find(low: number, high: number): number {
    const slot = this.#find(low, high);
    return this.#tags[slot] === 0 ? -1 : this.#slots[slot]!;
  }

  low(number: number): number {
    return this.#prints[2 * number]!;
  }

  high(number: number): number {
    return this.#prints[2 * number + 1]!;
  }

  /** What became of an admission; 0 while it waits. */
  outcome(number: number): number {
    return this.#outcomes[number]!;
  }

  setOutcome(number: number, outcome: number): void {
    this.#outcomes[number] = outcome;
  }

  /** The slot that holds the fingerprint, or the free one where it belongs. */
  #find(low: number, high: number): number {
    const tags = this.#tags;
    const tag = tagOf(high);
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const found = tags[slot];
      if (found === 0) return slot;
      if (found !== tag) continue;
      const number = this.#slots[slot]!;
      if (this.#prints[2 * number] === low && this.#prints[2 * number + 1] === high) return slot;
    }
  }

  #lengthen(): void {
    const prints = new Uint32Array(2 * this.#prints.length);
    prints.set(this.#prints);
    this.#prints = prints;
    const outcomes = new Uint8Array(2 * this.#outcomes.length);
    outcomes.set(this.#outcomes);
    this.#outcomes = outcomes;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    this.#tags = new Uint8Array(this.#slots.length);
    this.#mask = this.#slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = this.low(number) & this.#mask;
      while (this.#tags[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#tags[slot] = tagOf(this.high(number));
      this.#slots[slot] = number;
    }
  }
}

function tagOf(high: number): number {
  return (high >>> 25) | 0x80;
}
