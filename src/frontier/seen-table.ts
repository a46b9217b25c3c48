import { PageStore } from "./seen-pages.ts";

/** Slots of a page in a crawl; tests take small pages to see every boundary. */
export const PAGE_SLOTS = 1024;

/** A group starts a round with this many pages, or with fewer while the table is small, and ends with twice as many. */
const FIRST_PAGES = 4;
const LAST_PAGES = 2 * FIRST_PAGES;

/** Entries per slot over the whole table: 8 / 0.66 = 12.1 bytes each. The fullest pages reach 0.66 * 5 / 4 = 0.83. */
const LOAD = 0.66;

/**
 * A set of 64-bit fingerprints that grows by one page at a time: linear hashing with partial expansions (Larson
 * 1980) over pages of open addressing.
 *
 * The low half's low bits name a group of pages, the high half's high bits one page of the group, its low bits the
 * slot where probing starts. Group after group, in order, gets one more page, from 4 to 8; then a group of 8 counts
 * as two groups of 4, told apart by one more bit of the low half, and the next round begins.
 *
 *     groups = 4, pages = 5, split = 2:     page 0  1  2  3 | 4  5  6  7 | ... | 16 17
 *                                           group 0  1  2  3 | 0  1  2  3 | ... |  0  1   (0 and 1 have 5 pages)
 *
 * Page j of group i is at `j * groups + i`, so new pages are appended and none ever moves. Groups fill evenly; what
 * waits for its page is at most 5/4 fuller than the rest, where plain linear hashing or doubling would make it twice
 * as full. One add moves the entries of one group: at most 7 pages.
 */
export class SeenTable {
  readonly #pages: PageStore;
  readonly #slots: number;
  /** Always a power of two. */
  #groups = 1;
  /** Pages of a group from `split` on; the groups before it have one more. */
  #perGroup = 1;
  #split = 0;
  #size = 0;
  #limit: number;
  #moved = 0;
  /** Pairs (low, high) whose page is full. Entries are here only while that holds. */
  #overflow: number[] = [];

  constructor(pageSlots: number = PAGE_SLOTS) {
    this.#slots = pageSlots;
    this.#pages = new PageStore(pageSlots);
    this.#pages.append();
    this.#limit = LOAD * pageSlots;
  }

  get size(): number {
    return this.#size;
  }

  /** Entries that growth has moved so far; one add never moves more than 7 pages hold. */
  get moved(): number {
    return this.#moved;
  }

  /** Entries that found their page full; they are searched one by one, and hardly ever there are any. */
  get overflowing(): number {
    return this.#overflow.length / 2;
  }

  /** Memory of the slots, allocated ones that are not in use yet included. */
  get bytes(): number {
    return this.#pages.bytes + 8 * this.#overflow.length;
  }

  /** Adds a fingerprint; false when it was there. (0, 0) marks an empty slot, so it counts as (1, 0). */
  add(low: number, high: number): boolean {
    const one = (low | high) === 0 ? 1 : low | 0;
    if (!this.#insert(one, high | 0)) return false;
    this.#size++;
    if (this.#size > this.#limit) this.#grow();
    return true;
  }

  has(low: number, high: number): boolean {
    const one = (low | high) === 0 ? 1 : low | 0;
    const two = high | 0;
    const page = this.#pageOf(one, two);
    const words = this.#pages.wordsOf(page);
    const at = this.#pages.offsetOf(page);
    const mask = 2 * this.#slots - 1;
    let step = (2 * two) & mask;
    for (let probes = this.#slots; probes > 0; probes--) {
      const foundLow = words[at + step]!;
      const foundHigh = words[at + step + 1]!;
      if (foundLow === one && foundHigh === two) return true;
      if ((foundLow | foundHigh) === 0) return false;
      step = (step + 2) & mask;
    }
    return this.#overflows(one, two);
  }

  /**
   * Prepares an empty table for so many entries. Entries that come from another table come in its order, page by
   * page; a small table that grew while it took them would put them all into the same few pages.
   */
  reserve(entries: number): void {
    while (this.#limit < entries) this.#grow();
  }

  /** Hands every entry to `take`, in the order of the pages. */
  *pages(): Generator<Int32Array> {
    for (let page = 0; page < this.#pages.count; page++) {
      const at = this.#pages.offsetOf(page);
      yield this.#pages.wordsOf(page).subarray(at, at + 2 * this.#slots);
    }
    if (this.#overflow.length > 0) yield Int32Array.from(this.#overflow);
  }

  #insert(low: number, high: number): boolean {
    const page = this.#pageOf(low, high);
    const words = this.#pages.wordsOf(page);
    const at = this.#pages.offsetOf(page);
    const mask = 2 * this.#slots - 1;
    let step = (2 * high) & mask;
    for (let probes = this.#slots; probes > 0; probes--) {
      const foundLow = words[at + step]!;
      const foundHigh = words[at + step + 1]!;
      if (foundLow === low && foundHigh === high) return false;
      if ((foundLow | foundHigh) === 0) {
        words[at + step] = low;
        words[at + step + 1] = high;
        return true;
      }
      step = (step + 2) & mask;
    }
    if (this.#overflows(low, high)) return false;
    this.#overflow.push(low, high);
    return true;
  }

  #overflows(low: number, high: number): boolean {
    for (let i = 0; i < this.#overflow.length; i += 2) {
      if (this.#overflow[i] === low && this.#overflow[i + 1] === high) return true;
    }
    return false;
  }

  #pageOf(low: number, high: number): number {
    const groups = this.#groups;
    const group = low & (groups - 1);
    const pages = group < this.#split ? this.#perGroup + 1 : this.#perGroup;
    const part = high >>> 16;
    if (pages < LAST_PAGES) return ((part * pages) >>> 16) * groups + group;
    // A full group already counts as two of the next round: page j of group i is page 2j or 2j + 1 of the old one.
    return ((part * FIRST_PAGES) >>> 16) * 2 * groups + (low & (2 * groups - 1));
  }

  /** Gives the next group one more page and deals its entries out again. */
  #grow(): void {
    const group = this.#split;
    const entries = this.#empty(group);
    this.#pages.append();
    this.#split++;
    if (this.#split === this.#groups) {
      this.#split = 0;
      this.#perGroup++;
      if (this.#perGroup === LAST_PAGES) {
        this.#perGroup = FIRST_PAGES;
        this.#groups *= 2;
      }
    }
    this.#limit = LOAD * this.#slots * this.#pages.count;
    for (let i = 0; i < entries; i += 2) this.#insert(scratch[i]!, scratch[i + 1]!);
    this.#moved += entries / 2;
    // Some of these have room now; the others come back here. Their number is next to nothing.
    const waiting = this.#overflow;
    if (waiting.length === 0) return;
    this.#overflow = [];
    for (let i = 0; i < waiting.length; i += 2) this.#insert(waiting[i]!, waiting[i + 1]!);
  }

  /** Takes all entries of a group out of its pages into `scratch`; how many numbers that makes. */
  #empty(group: number): number {
    const length = 2 * this.#slots;
    if (scratch.length < (LAST_PAGES - 1) * length) {
      scratch = new Int32Array((LAST_PAGES - 1) * length);
    }
    let taken = 0;
    for (let j = 0; j < this.#perGroup; j++) {
      const page = j * this.#groups + group;
      const words = this.#pages.wordsOf(page);
      const at = this.#pages.offsetOf(page);
      for (let i = at; i < at + length; i += 2) {
        const low = words[i]!;
        const high = words[i + 1]!;
        // Written always and counted only if it was one: half of the slots or more are full, in no order.
        scratch[taken] = low;
        scratch[taken + 1] = high;
        taken += (low | high) === 0 ? 0 : 2;
      }
      words.fill(0, at, at + length);
    }
    return taken;
  }
}

/** Shared by all tables of the thread: it is empty between two calls. */
let scratch = new Int32Array(0);
