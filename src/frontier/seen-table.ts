import { PageStore } from "./seen-pages.ts";

/** Slots of a page in a crawl; tests take small pages to see every boundary. */
export const PAGE_SLOTS = 1024;

/** Entries per slot over the whole table: 8 / 0.59 = 13.6 bytes each. The fullest page has 0.59 / ln 2 = 0.85. */
const LOAD = 0.59;

/** High halves are kept with this bit flipped, so that comparing signed numbers orders them like unsigned ones. */
const SIGN = 0x80000000 | 0;

/**
 * A set of 64-bit fingerprints that grows by one page at a time: spiral storage (Martin 1979) over pages of ordered
 * open addressing (Amble, Knuth 1974).
 *
 * The high half, a number x from 0 to 1, gives u = 2^x; page q takes what lies from q to q + 1 in u * 2^k. The pages
 * are `first` to 2 * first - 1: k is the power that brings u there. To grow, page `first` is dealt out to the pages
 * 2 * first and 2 * first + 1. A page's share of the hash falls with its number, so the page to be split is always
 * the fullest, at twice the load of the last: the table is in the same state at every size, only larger. Where
 * shares are even (doubling, linear hashing), all pages fill up at the same moment.
 *
 * Page 2q lies where q lay, page 2q + 1 is appended: no page ever moves, and page q is found at q without its
 * trailing zeros and the one before them. One add moves the entries of one page.
 *
 * Within a page entries are sorted by their high half: a search ends at the first greater one, full as the page may
 * be, and a split is one sequential pass. With 2^32 places, a table is good for some 1e9 entries.
 */
export class SeenTable {
  readonly #pages: PageStore;
  readonly #slots: number;
  /** Probing starts in the first 15/16 of a page and never wraps around: what is pushed on stays sorted. */
  readonly #homes: number;
  #first = 1;
  /** u has 30 bits behind the point; what is left of them behind the page number if page `first` is in reach of u. */
  #shift = 30;
  #size = 0;
  #limit: number;
  #moved = 0;
  /** Pairs (low, high) that were pushed off the end of their page. They are not less than any entry in it. */
  #overflow: number[] = [];

  /** `pageSlots` is a power of two from 16 to 1024. */
  constructor(pageSlots: number = PAGE_SLOTS) {
    this.#slots = pageSlots;
    this.#homes = pageSlots - pageSlots / 16;
    this.#pages = new PageStore(pageSlots);
    this.#pages.append();
    this.#limit = LOAD * pageSlots;
  }

  get size(): number {
    return this.#size;
  }

  /** Entries that growth has moved so far; one add never moves more than a page holds. */
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

  /** Adds a fingerprint; false when it was there. A low half of 0 marks an empty slot, so it counts as 1. */
  add(low: number, high: number): boolean {
    if (!this.#insert(low === 0 ? 1 : low | 0, high ^ SIGN)) return false;
    this.#size++;
    if (this.#size > this.#limit) this.#grow();
    return true;
  }

  has(low: number, high: number): boolean {
    const one = low === 0 ? 1 : low | 0;
    const two = high ^ SIGN;
    const u = spiral(two);
    // One less if the page is before the first: arithmetic, because a branch would be guessed wrong half of the time.
    const shift = this.#shift - (((u >>> this.#shift) - this.#first) >>> 31);
    const page = pageAt(u >>> shift);
    const words = this.#pages.wordsOf(page);
    const start = this.#pages.offsetOf(page);
    const end = start + 2 * this.#slots;
    for (let at = start + 2 * slotOf(u, shift, this.#homes); at < end; at += 2) {
      const found = words[at]!;
      if (found === 0 || words[at + 1]! > two) return false;
      if (found === one && words[at + 1] === two) return true;
    }
    return this.#overflows(one, two);
  }

  /**
   * Reads the first word a search for the fingerprint would read. Many such reads in a row wait for memory together,
   * and searches that follow find it in the cache; the sum of the words is for the compiler to keep them.
   */
  touch(low: number, high: number): number {
    const two = high ^ SIGN;
    const u = spiral(two);
    const shift = this.#shift - (((u >>> this.#shift) - this.#first) >>> 31);
    const page = pageAt(u >>> shift);
    return (
      this.#pages.wordsOf(page)[this.#pages.offsetOf(page) + 2 * slotOf(u, shift, this.#homes)]! ^
      low
    );
  }

  /**
   * Prepares an empty table for so many entries. Entries that come from another table come in its order, page by
   * page; a small table that grew while it took them would put them all into the same few pages.
   */
  reserve(entries: number): void {
    while (this.#limit < entries) this.#grow();
  }

  /** Calls `take` with every fingerprint of the page; pages are numbered from 0, the overflow is the last one. */
  visit(page: number, take: (low: number, high: number) => void): void {
    const start = page < this.#pages.count ? this.#pages.offsetOf(page) : 0;
    const words = page < this.#pages.count ? this.#pages.wordsOf(page) : this.#overflow;
    const end = page < this.#pages.count ? start + 2 * this.#slots : words.length;
    for (let at = start; at < end; at += 2) {
      if (words[at] !== 0) take(words[at]!, words[at + 1]! ^ SIGN);
    }
  }

  /** How many pages `visit` knows. */
  get pages(): number {
    return this.#pages.count + 1;
  }

  #insert(low: number, high: number): boolean {
    const u = spiral(high);
    const shift = this.#shift - (((u >>> this.#shift) - this.#first) >>> 31);
    const page = pageAt(u >>> shift);
    const words = this.#pages.wordsOf(page);
    const start = this.#pages.offsetOf(page);
    const end = start + 2 * this.#slots;
    let at = start + 2 * slotOf(u, shift, this.#homes);
    while (at < end && words[at] !== 0 && words[at + 1]! <= high) {
      if (words[at] === low && words[at + 1] === high) return false;
      at += 2;
    }
    if (at === end && this.#overflows(low, high)) return false;
    // The greater ones move on by one slot, up to the next empty one.
    let carriedLow = low;
    let carriedHigh = high;
    for (; at < end; at += 2) {
      const nextLow = words[at]!;
      const nextHigh = words[at + 1]!;
      words[at] = carriedLow;
      words[at + 1] = carriedHigh;
      if (nextLow === 0) return true;
      carriedLow = nextLow;
      carriedHigh = nextHigh;
    }
    this.#overflow.push(carriedLow, carriedHigh);
    return true;
  }

  #overflows(low: number, high: number): boolean {
    for (let i = 0; i < this.#overflow.length; i += 2) {
      if (this.#overflow[i] === low && this.#overflow[i + 1] === high) return true;
    }
    return false;
  }

  /** Splits the first page, the fullest one. */
  #grow(): void {
    const first = this.#first;
    const taken = this.#empty(pageAt(first));
    this.#pages.append();
    // Both halves of the split page are one power of two further out.
    const shift = this.#shift - 1;
    this.#first++;
    if (this.#first === 2 ** (31 - this.#shift)) this.#shift--;
    this.#limit = LOAD * this.#slots * this.#pages.count;
    const waiting = this.#overflow;
    this.#overflow = [];
    const rest = this.#deal(0, taken, 2 * first, shift);
    this.#deal(rest, taken, 2 * first + 1, shift);
    this.#moved += taken / 2;
    // Some of these have room now; the others come back here. Their number is next to nothing.
    for (let i = 0; i < waiting.length; i += 2) this.#insert(waiting[i]!, waiting[i + 1]!);
  }

  /** Takes all entries of a page into `scratch`, in order; how many numbers that makes. */
  #empty(page: number): number {
    if (scratch.length < 2 * this.#slots + 2) scratch = new Int32Array(2 * this.#slots + 2);
    const to = scratch;
    const words = this.#pages.wordsOf(page);
    const start = this.#pages.offsetOf(page);
    const end = start + 2 * this.#slots;
    let taken = 0;
    for (let at = start; at < end; at += 2) {
      // Written always and counted only if it was one: a branch here would be guessed wrong too often.
      const low = words[at]!;
      to[taken] = low;
      to[taken + 1] = words[at + 1]!;
      taken += low === 0 ? 0 : 2;
    }
    words.fill(0, start, end);
    return taken;
  }

  /** Puts entries of `scratch` into the empty page q, sorted, so each behind the last; where those of the next page start. */
  #deal(from: number, taken: number, q: number, shift: number): number {
    const homes = this.#homes;
    const slots = this.#slots;
    const words = this.#pages.wordsOf(pageAt(q));
    const start = this.#pages.offsetOf(pageAt(q));
    let free = 0;
    for (let i = from; i < taken; i += 2) {
      const low = scratch[i]!;
      const high = scratch[i + 1]!;
      const u = spiral(high);
      if (u >>> shift !== q) return i;
      const slot = Math.max(slotOf(u, shift, homes), free);
      free = slot + 1;
      if (slot < slots) {
        words[start + 2 * slot] = low;
        words[start + 2 * slot + 1] = high;
      } else {
        this.#overflow.push(low, high);
      }
    }
    return taken;
  }
}

/** Shared by all tables of the thread: it is empty between two calls. */
let scratch = new Int32Array(0);

/** 2^x with 30 bits behind the point, at 257 values of x; straight lines between them are exact to 1 in 1,000,000. */
const POWERS = Float64Array.from({ length: 257 }, (_, i) => 2 ** (30 + i / 256));
const SLOPES = Float64Array.from(
  { length: 256 },
  (_, i) => (POWERS[i + 1]! - POWERS[i]!) / 2 ** 24,
);

/** u = 2^x of a high half, from 2^30 to 2^31; rises with it. */
function spiral(high: number): number {
  const line = (high ^ SIGN) >>> 24;
  return (POWERS[line]! + (high & 0xffffff) * SLOPES[line]!) | 0;
}

/** Where page q lies. */
function pageAt(q: number): number {
  return q >>> (32 - Math.clz32(q & -q));
}

/** The first 20 bits of u behind the page number, as one of the slots (1024 at most) where probing starts. */
function slotOf(u: number, shift: number, homes: number): number {
  return (((u << (32 - shift)) >>> 12) * homes) >>> 20;
}
