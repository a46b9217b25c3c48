const FIRST_SLOTS = 1 << 12;
const MAX_LOAD = 0.85;
const GROWTH = 1.5;
const FREE = 0;
/** Smaller tables are in the cache anyway. */
const WORTH_TOUCHING = 1 << 16;
/** Fingerprints lie in pieces of 16,384 pages, low and high half side by side. */
const PIECE_BITS = 14;
const PIECE_MASK = (1 << PIECE_BITS) - 1;
/** Stores the result of `touch`, so that the compiler does not drop the reads. */
const touched = new Int32Array(1);

/**
 * The pages a shard knows, by fingerprint, numbered in the order of their admission: with cash, states and places by
 * number it takes the place of the seen-set. 8 bytes per page and a slot of 5 at a load from 0.57 to 0.85: 14 to 17 in
 * all. A slot's tag is 7 bits of the fingerprint, so that a search seldom leaves the tags.
 */
export class PageTable {
  readonly #fingerprints: Uint32Array[] = [];
  #tags = new Uint8Array(FIRST_SLOTS);
  #numbers = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  /** Pages known. */
  get size(): number {
    return this.#size;
  }

  /** Adds a page; returns its new number, or -1 when it was known. */
  add(low: number, high: number): number {
    if (this.find(low, high) >= 0) return -1;
    const page = this.#size++;
    if ((page & PIECE_MASK) === 0) this.#fingerprints.push(new Uint32Array(2 << PIECE_BITS));
    const piece = this.#fingerprints[page >>> PIECE_BITS]!;
    piece[2 * (page & PIECE_MASK)] = low;
    piece[2 * (page & PIECE_MASK) + 1] = high;
    this.#enter(page, low >>> 0, high);
    if (this.#size > MAX_LOAD * this.#tags.length) this.#grow();
    return page;
  }

  /** The number of a page; -1 when it is not known. */
  find(low: number, high: number): number {
    const tags = this.#tags;
    const tag = tagOf(high);
    for (let slot = this.#home(low >>> 0); ; slot = slot + 1 === tags.length ? 0 : slot + 1) {
      const found = tags[slot];
      if (found === FREE) return -1;
      if (found !== tag) continue;
      const page = this.#numbers[slot]!;
      const piece = this.#fingerprints[page >>> PIECE_BITS]!;
      const at = 2 * (page & PIECE_MASK);
      if (piece[at] === low >>> 0 && piece[at + 1] === high >>> 0) return page;
    }
  }

  hasFingerprint(low: number, high: number): boolean {
    return this.find(low, high) >= 0;
  }

  /** Reads the slots where searches for the first `count` fingerprints begin: cache misses that overlap cost little more than one. */
  touch(fingerprints: Uint32Array, count: number): void {
    if (this.#tags.length < WORTH_TOUCHING) return;
    let read = 0;
    for (let i = 0; i < count; i++) {
      const slot = this.#home(fingerprints[2 * i]!);
      read ^= this.#tags[slot]! ^ this.#numbers[slot]!;
    }
    touched[0] = read;
  }

  /** Half of a page's fingerprint. */
  low(page: number): number {
    return this.#fingerprints[page >>> PIECE_BITS]![2 * (page & PIECE_MASK)]!;
  }

  /** The other half. */
  high(page: number): number {
    return this.#fingerprints[page >>> PIECE_BITS]![2 * (page & PIECE_MASK) + 1]!;
  }

  /** Puts a page into the first free slot for it. */
  #enter(page: number, low: number, high: number): void {
    const tags = this.#tags;
    let slot = this.#home(low);
    while (tags[slot] !== FREE) slot = slot + 1 === tags.length ? 0 : slot + 1;
    tags[slot] = tagOf(high);
    this.#numbers[slot] = page;
  }

  /** The slot as a fraction of the table, whose length need not be a power of two. */
  #home(low: number): number {
    return (low * this.#tags.length * 2 ** -32) >>> 0;
  }

  #grow(): void {
    const slots = Math.ceil(GROWTH * this.#tags.length);
    this.#tags = new Uint8Array(slots);
    this.#numbers = new Uint32Array(slots);
    for (let page = 0; page < this.#size; page++) {
      this.#enter(page, this.low(page), this.high(page));
    }
  }
}

function tagOf(high: number): number {
  return (high >>> 25) | 0x80;
}
