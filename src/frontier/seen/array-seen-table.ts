import { CapacityError } from "../../errors.ts";

/** Slots of a whole page, 128 KiB: splitting one takes a fraction of a millisecond. */
export const PAGE_SLOTS = 1 << 14;

/** A page of a set that is still small. */
const FIRST_SLOTS = 1 << 8;

/** Pages lie side by side in arrays of eight: few arrays stay in the cache, many do not. */
const CHUNK_BITS = 3;
const CHUNK_PAGES = 1 << CHUNK_BITS;

/** A page with more entries per slot is split. Over all pages that makes 0.86 ln 2 = 0.6, or 13.4 bytes per entry. */
const MAX_LOAD = 0.86;

/**
 * One slot in 16 is counted when it is taken, which spares most adds the count. Linear probing gets to these as to any
 * others, and as long as they are not all taken there is an empty slot.
 */
const SAMPLE = 2 * 15;
const MAX_SAMPLED = MAX_LOAD / 16;

/** Halvings of the hash's range; only fingerprints that are not random come so far. */
const MAX_DEPTH = 20;

/**
 * A set of 64-bit fingerprints in arrays, for few of them or where there is no WebAssembly. It grows by one page at a
 * time: extendible hashing (Fagin and others 1979) over pages of open addressing, with shares of the hash made uneven on
 * purpose.
 *
 * The high half, a number x from 0 to 1, gives the place u = 2^x - 1, from 0 to 1 too; the directory maps ranges of u
 * to pages, the low half is the slot in the page. A page that is full is dealt out to itself and a new one, each with
 * half of its range. Fingerprints are twice as dense at u = 0 as at 1, so pages of the same width fill up one after
 * the other, from left to right: at every size some have just been split and some are about to be, and memory per
 * entry stays even. (Spiral storage, Martin 1979, has the same shares and a fixed order.) Where shares are equal all
 * pages fill up at the same moment, and then all memory doubles.
 *
 * A whole page never moves and is never thrown away, so growth leaves nothing to collect.
 */
export class PlainSeenTable {
  /** Page at each place; a page of depth d stands in 2^(depth - d) places side by side. */
  #directory = new Uint32Array(1);
  /** A fingerprint's place is u, with 31 bits, shifted by this: 31 less the directory's depth. */
  #shift = 31;
  #chunks: Int32Array[];
  #pages = 1;
  /** Taken slots among those that are counted, and halvings, per page. */
  #counts = new Uint16Array(CHUNK_PAGES);
  #depths = new Uint8Array(CHUNK_PAGES);
  /** Slots of a page: fewer than `#wholeSlots` only while there is one page. */
  #slots: number;
  #size = 0;
  readonly #wholeSlots: number;
  /** Words of a whole page, as a power of two. */
  readonly #pageBits: number;

  /** Tests take small pages to see every boundary; a power of two from 64. */
  constructor(pageSlots: number = PAGE_SLOTS) {
    this.#wholeSlots = pageSlots;
    this.#pageBits = Math.log2(2 * pageSlots);
    this.#slots = Math.min(FIRST_SLOTS, pageSlots);
    this.#chunks = [new Int32Array(2 * this.#slots)];
  }

  get size(): number {
    return this.#size;
  }

  /** Memory of the pages, empty slots included, and of the directory. Of the last chunk, pages not used yet take none. */
  get bytes(): number {
    return 8 * this.#slots * this.#pages + 4 * this.#directory.length + 3 * this.#counts.length;
  }

  /** How many pages there are; they are numbered from 0. */
  get pageCount(): number {
    return this.#pages;
  }

  /** The page on which a fingerprint with this high half is. */
  pageOf(high: number): number {
    return this.#directory[placeOf(high | 0) >>> this.#shift]!;
  }

  /** Makes the pages that so many entries will need, before they come: then none of them moves. */
  reserve(entries: number): void {
    while (this.#slots < this.#wholeSlots && entries > MAX_LOAD * this.#slots) this.#widen();
    for (let page = 0; page < this.#pages; page++)
      while (this.#expected(page, entries) > MAX_LOAD * this.#slots) this.#split(page);
  }

  /** How many of so many entries belong on a page. */
  #expected(page: number, entries: number): number {
    const from = 1 + this.#directory.indexOf(page) / this.#directory.length;
    return entries * Math.log2(1 + 2 ** -this.#depths[page]! / from);
  }

  /** Adds a fingerprint; false when it was there. A low half of 0 marks an empty slot, so it counts as 1. */
  add(low: number, high: number): boolean {
    const one = low === 0 ? 1 : low | 0;
    const two = high | 0;
    const page = this.#directory[placeOf(two) >>> this.#shift]!;
    const words = this.#chunks[page >>> CHUNK_BITS]!;
    const base = (page & (CHUNK_PAGES - 1)) << this.#pageBits;
    const mask = 2 * this.#slots - 1;
    let at = (2 * one) & mask;
    for (let found = words[base + at]!; found !== 0; found = words[base + at]!) {
      if (found === one && words[base + at + 1] === two) return false;
      at = (at + 2) & mask;
    }
    words[base + at] = one;
    words[base + at + 1] = two;
    this.#size++;
    if ((at & SAMPLE) === 0 && ++this.#counts[page]! > MAX_SAMPLED * this.#slots) this.#grow(page);
    return true;
  }

  has(low: number, high: number): boolean {
    const one = low === 0 ? 1 : low | 0;
    const two = high | 0;
    const page = this.#directory[placeOf(two) >>> this.#shift]!;
    const words = this.#chunks[page >>> CHUNK_BITS]!;
    const base = (page & (CHUNK_PAGES - 1)) << this.#pageBits;
    const mask = 2 * this.#slots - 1;
    let at = (2 * one) & mask;
    for (let found = words[base + at]!; found !== 0; found = words[base + at]!) {
      if (found === one && words[base + at + 1] === two) return true;
      at = (at + 2) & mask;
    }
    return false;
  }

  /**
   * Page by page, every fingerprint that was there at the beginning, once: pairs of low and high half. A page is valid
   * until the next one is asked for. What is added meanwhile may come or not: a split halves a range that is wholly
   * behind the reader or wholly before it.
   */
  *pages(): Generator<Int32Array> {
    const pairs = new Int32Array(2 * this.#wholeSlots);
    // In units of the finest range a directory can tell apart.
    for (let from = 0; from < 2 ** MAX_DEPTH; ) {
      const page = this.#directory[from >>> (this.#shift - (31 - MAX_DEPTH))]!;
      from += 2 ** (MAX_DEPTH - this.#depths[page]!);
      const used = this.#copyEntries(page, pairs);
      if (used > 0) yield pairs.subarray(0, used);
    }
  }

  /** Makes room until there is an empty slot among the counted ones; a split may leave everything in one half. */
  #grow(page: number): void {
    if (this.#slots < this.#wholeSlots) this.#widen();
    else this.#split(page);
    const newest = this.#pages - 1;
    if (this.#isFull(page)) this.#grow(page);
    if (newest !== page && this.#isFull(newest)) this.#grow(newest);
  }

  #isFull(page: number): boolean {
    return this.#counts[page]! > MAX_SAMPLED * this.#slots;
  }

  /** Doubles the only page of a small table. */
  #widen(): void {
    const used = this.#gather(0);
    this.#slots *= 2;
    this.#chunks = [new Int32Array(2 * this.#slots)];
    this.#counts[0] = 0;
    this.#putAll(0, scratch, used);
  }

  #split(page: number): void {
    const depth = this.#depths[page]!;
    if (depth === MAX_DEPTH) {
      throw new CapacityError(
        `more than ${this.#wholeSlots / 2} URLs have nearly the same fingerprint`,
      );
    }
    if (depth === 31 - this.#shift) this.#doubleDirectory();
    const right = this.#append();
    const used = this.#gather(page);
    this.#depths[page] = depth + 1;
    this.#depths[right] = depth + 1;
    // The page's places are side by side; the right half of them is the new page's.
    const places = 2 ** (31 - this.#shift - depth);
    const first = this.#directory.indexOf(page);
    this.#directory.fill(right, first + places / 2, first + places);
    const base = (page & (CHUNK_PAGES - 1)) << this.#pageBits;
    this.#chunks[page >>> CHUNK_BITS]!.fill(0, base, base + 2 * this.#slots);
    this.#counts[page] = 0;
    const bit = 30 - depth;
    if (moved.length < used) moved = new Int32Array(scratch.length);
    let [stay, move] = [0, 0];
    for (let i = 0; i < used; i += 2) {
      // Written to both and counted in one: which half it is nobody can guess.
      const low = scratch[i]!;
      const high = scratch[i + 1]!;
      const step = 2 * ((placeOf(high) >>> bit) & 1);
      scratch[stay] = low;
      scratch[stay + 1] = high;
      moved[move] = low;
      moved[move + 1] = high;
      stay += 2 - step;
      move += step;
    }
    this.#putAll(page, scratch, stay);
    this.#putAll(right, moved, move);
  }

  /** Makes a page; its number. */
  #append(): number {
    const page = this.#pages++;
    const chunkWords = CHUNK_PAGES << this.#pageBits;
    if (page === 1) {
      // The first page has got whole in an array of its own.
      const words = new Int32Array(chunkWords);
      words.set(this.#chunks[0]!);
      this.#chunks = [words];
    } else if ((page & (CHUNK_PAGES - 1)) === 0) {
      this.#chunks.push(new Int32Array(chunkWords));
    }
    if (page === this.#counts.length) {
      const [counts, depths] = [this.#counts, this.#depths];
      this.#counts = new Uint16Array(2 * page);
      this.#counts.set(counts);
      this.#depths = new Uint8Array(2 * page);
      this.#depths.set(depths);
    }
    return page;
  }

  #doubleDirectory(): void {
    const old = this.#directory;
    this.#directory = new Uint32Array(2 * old.length);
    for (let i = 0; i < this.#directory.length; i++) this.#directory[i] = old[i >>> 1]!;
    this.#shift--;
  }

  /** Puts entries that are not there, `used` words of them, into a page that has room. */
  #putAll(page: number, entries: Int32Array, used: number): void {
    const words = this.#chunks[page >>> CHUNK_BITS]!;
    const base = (page & (CHUNK_PAGES - 1)) << this.#pageBits;
    const mask = 2 * this.#slots - 1;
    let sampled = 0;
    for (let i = 0; i < used; i += 2) {
      const low = entries[i]!;
      let at = (2 * low) & mask;
      while (words[base + at] !== 0) at = (at + 2) & mask;
      words[base + at] = low;
      words[base + at + 1] = entries[i + 1]!;
      sampled += (at & SAMPLE) === 0 ? 1 : 0;
    }
    this.#counts[page]! += sampled;
  }

  #gather(page: number): number {
    if (scratch.length < 2 * this.#slots) scratch = new Int32Array(2 * this.#slots);
    return this.#copyEntries(page, scratch);
  }

  /** Copies the entries of a page to the beginning of `to`; how many words that makes. */
  #copyEntries(page: number, to: Int32Array): number {
    const words = this.#chunks[page >>> CHUNK_BITS]!;
    const base = (page & (CHUNK_PAGES - 1)) << this.#pageBits;
    const end = base + 2 * this.#slots;
    let used = 0;
    for (let at = base; at < end; at += 2) {
      // Written always and counted only if it was one: a branch here would be guessed wrong too often.
      const low = words[at]!;
      to[used] = low;
      to[used + 1] = words[at + 1]!;
      used += low === 0 ? 0 : 2;
    }
    return used;
  }
}

/** Shared by all tables of the thread: they are empty between two calls. */
let scratch = new Int32Array(0);
let moved = new Int32Array(0);

/** u with 31 bits behind the point: a cubic, within 0.02 % of 2^x - 1, that gets from 0 to just below 1. */
function placeOf(high: number): number {
  const x = high >>> 0;
  return (x * (LINEAR + x * (SQUARE + x * CUBE))) | 0;
}
const LINEAR = 0.6951 / 2;
const SQUARE = 0.2276 / 2 ** 33;
const CUBE = 0.0773 / 2 ** 65;
