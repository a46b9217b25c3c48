import { CapacityError } from "../../errors.ts";
import { compiledCode, WASM_PAGE_BYTES } from "../../runtime/compiled-code.ts";
import {
  ADDED_AT,
  BUCKET_BYTES,
  COUNTS_AT,
  DIRECTORY_AT,
  FINGERPRINTS_AT,
  MAX_DEPTH,
  MAX_FINGERPRINTS,
  MAX_PAGES,
  NEW_AT,
  PAGES_AT,
  SHIFT_AT,
} from "./seen-layout.ts";

/** What `assembly/seen-code.ts` exports; halves of fingerprints are taken with a sign or without. */
interface SeenCode {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  setPages(bits: number, maxFull: number): void;
  add(low: number, high: number): 0 | 1 | 2;
  has(low: number, high: number): 0 | 1;
  addAll(from: number, to: number): number;
  searchAll(from: number, to: number): 0;
  pageOf(high: number): number;
  split(page: number, right: number, bit: number): 0;
}

/**
 * A page is split when more of its buckets are full; then 0.86 of its slots are taken. Over all pages that makes
 * 0.86 ln 2 = 0.6, or 13.5 bytes per entry.
 */
const MAX_FULL = 0.57;
const MAX_LOAD = 0.86;
/** The least that memory is asked for at once, and the most it can be, 4 GB. */
const MIN_GROWTH = (1 << 20) / WASM_PAGE_BYTES;
const MAX_MEMORY = 1 << 16;

/** Slots of a page, 128 KiB: splitting one takes a tenth of a millisecond. */
const PAGE_SLOTS = 1 << 14;

/** Compiled once, when the first table is made. */
let makeCode: (() => SeenCode) | undefined;

/**
 * A set of 64-bit fingerprints in a memory of its own, where WebAssembly reads a cache line at once. Throws when there is no
 * address space for it.
 *
 * It grows by one page at a time: extendible hashing (Fagin and others 1979) over pages of open addressing, with shares of
 * the hash made uneven on purpose. The high half, a number x from 0 to 1, gives the place u = 2^x - 1, from 0 to 1 too; the
 * directory maps ranges of u to pages, the low half is the bucket in the page. A page that is full is split with a new one,
 * each with half of its range. Fingerprints are twice as dense at u = 0 as at 1, so pages of the same width fill up one
 * after the other: at every size some have just been split and some are about to be, and memory per entry stays even.
 * (Spiral storage, Martin 1979, has the same shares and a fixed order.) With equal shares all pages would fill up at the
 * same moment, and all memory would double. A page never moves and is never thrown away.
 */
export class WasmSeenTable {
  readonly #code: SeenCode;
  readonly #pageBytes: number;
  readonly #maxFull: number;
  /** Views of the memory, made anew when it has grown. */
  #all!: Int32Array;
  #fingerprints!: Uint32Array;
  #isNew!: Uint8Array;
  #directory!: Uint16Array;
  #counts!: Uint16Array;
  #pages = 1;
  /** Halvings of each page's range. */
  #depths = new Uint8Array(64);
  /** Halvings that the directory tells apart. */
  #depth = 0;
  /** Fingerprints in the set. */
  size = 0;

  /** Tests take small pages to see every boundary; a power of two from 64. */
  constructor(pageSlots: number = PAGE_SLOTS) {
    this.#pageBytes = 8 * pageSlots;
    const buckets = this.#pageBytes / BUCKET_BYTES;
    this.#maxFull = Math.floor(MAX_FULL * buckets);
    makeCode ??= compiledCode<SeenCode>(new URL("./seen-code.wasm", import.meta.url));
    this.#code = makeCode();
    this.#code.setPages(Math.log2(this.#pageBytes), this.#maxFull);
    this.#growMemory();
    this.#all[SHIFT_AT] = 31;
  }

  /** Memory of the pages, empty slots included, and of the directory. */
  get bytes(): number {
    return this.#pageBytes * this.#pages + 2 * 2 ** this.#depth + 3 * this.#pages;
  }

  /** How many pages there are; they are numbered from 0. */
  get pageCount(): number {
    return this.#pages;
  }

  /** The page on which a fingerprint with this high half is. */
  pageOf(high: number): number {
    return this.#code.pageOf(high | 0);
  }

  /** Makes the pages that so many entries will need, before they come: then none of them moves. */
  reserve(entries: number): void {
    for (let page = 0; page < this.#pages; page++)
      while (this.#expected(page, entries) > (MAX_LOAD * this.#pageBytes) / 8) this.#split(page);
  }

  /** How many of so many entries belong on a page. */
  #expected(page: number, entries: number): number {
    const from = 1 + this.#firstPlace(page) / 2 ** this.#depth;
    return entries * Math.log2(1 + 2 ** -this.#depths[page]! / from);
  }

  /** Adds a fingerprint; false when it was there. A low half of 0 marks an empty slot, so it counts as 1. */
  add(low: number, high: number): boolean {
    const answer = this.#code.add(low | 0, high | 0);
    if (answer === 0) return false;
    this.size++;
    if (answer === 2) this.#grow(this.pageOf(high));
    return true;
  }

  has(low: number, high: number): boolean {
    return this.#code.has(low | 0, high | 0) === 1;
  }

  /**
   * Adds the first `count` fingerprints (pairs of low and high half); `isNew` gets a 1 for each that is new, else a 0.
   * Returns how many are. Their cache misses overlap.
   */
  addAll(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    // A single one need not be copied.
    if (count === 1) {
      isNew[0] = this.add(fingerprints[0]!, fingerprints[1]!) ? 1 : 0;
      return isNew[0];
    }
    const before = this.size;
    for (let from = 0; from < count; from += MAX_FINGERPRINTS) {
      const some = this.#bring(fingerprints, from, count);
      for (let at = 0; at < some; ) {
        const stopped = this.#code.addAll(at, some);
        this.size += this.#all[ADDED_AT / 4]!;
        at = stopped === 0 ? some : ~stopped + 1;
        if (stopped !== 0) this.#grow(this.pageOf(this.#fingerprints[2 * at - 1]!));
      }
      isNew.set(this.#isNew.subarray(0, some), from);
    }
    return this.size - before;
  }

  /** The same without adding any. */
  searchAll(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    if (count === 1) {
      isNew[0] = this.has(fingerprints[0]!, fingerprints[1]!) ? 0 : 1;
      return isNew[0];
    }
    let missing = 0;
    for (let from = 0; from < count; from += MAX_FINGERPRINTS) {
      const some = this.#bring(fingerprints, from, count);
      this.#code.searchAll(0, some);
      missing += this.#all[ADDED_AT / 4]!;
      isNew.set(this.#isNew.subarray(0, some), from);
    }
    return missing;
  }

  /** Copies the next fingerprints to where the code expects them; returns how many. */
  #bring(fingerprints: Uint32Array, from: number, count: number): number {
    const some = Math.min(MAX_FINGERPRINTS, count - from);
    this.#fingerprints.set(fingerprints.subarray(2 * from, 2 * (from + some)));
    return some;
  }

  /**
   * Page by page, every fingerprint that was there at the beginning, once: pairs of low and high half. A page is valid
   * until the next one is asked for. What is added meanwhile may come or not: a split halves a range that is wholly
   * behind the reader or wholly before it.
   */
  *pages(): Generator<Int32Array> {
    const pairs = new Int32Array(this.#pageBytes / 4);
    // In units of the finest range a directory can tell apart.
    for (let from = 0; from < 2 ** MAX_DEPTH; ) {
      const page = this.#directory[from >>> (MAX_DEPTH - this.#depth)]!;
      from += 2 ** (MAX_DEPTH - this.#depths[page]!);
      const used = this.#copyEntries(page, pairs);
      if (used > 0) yield pairs.subarray(0, used);
    }
  }

  /** Splits until neither half has too many full buckets; a split may leave everything in one. */
  #grow(page: number): void {
    this.#split(page);
    const newest = this.#pages - 1;
    if (this.#counts[page]! > this.#maxFull) this.#grow(page);
    if (this.#counts[newest]! > this.#maxFull) this.#grow(newest);
  }

  #split(page: number): void {
    const depth = this.#depths[page]!;
    if (depth === MAX_DEPTH) {
      const many = this.#pageBytes / 16;
      throw new CapacityError(`more than ${many} URLs have nearly the same fingerprint`);
    }
    if (depth === this.#depth) this.#doubleDirectory();
    const right = this.#append();
    this.#depths[page] = depth + 1;
    this.#depths[right] = depth + 1;
    // The page's places are side by side; the right half of them is the new page's.
    const places = 2 ** (this.#depth - depth);
    const first = this.#firstPlace(page);
    this.#directory.fill(right, first + places / 2, first + places);
    this.#code.split(page, right, 30 - depth);
  }

  /** Where the places of a page begin. */
  #firstPlace(page: number): number {
    return this.#directory.subarray(0, 2 ** this.#depth).indexOf(page);
  }

  /** Makes a page; its number. */
  #append(): number {
    const page = this.#pages;
    if (page === MAX_PAGES) throw new CapacityError(`${this.size} URLs fill a shard`);
    if (PAGES_AT + (page + 1) * this.#pageBytes > this.#all.byteLength) this.#growMemory();
    if (page === this.#depths.length) {
      const depths = this.#depths;
      this.#depths = new Uint8Array(2 * page);
      this.#depths.set(depths);
    }
    return this.#pages++;
  }

  /** Doubles the addresses, if there are so many; memory is taken when a page is first written, so only that counts. */
  #growMemory(): void {
    const { memory } = this.#code;
    // Each growth makes the garbage collector look at everything, so there must be few.
    const before = memory.buffer.byteLength / WASM_PAGE_BYTES;
    const pages = Math.max(MIN_GROWTH, Math.min(before, MAX_MEMORY - before));
    if (!this.#tryGrow(pages) && !this.#tryGrow(MIN_GROWTH))
      throw new CapacityError(`no memory for more than ${this.size} URLs in a shard`);
    const { buffer } = memory;
    this.#all = new Int32Array(buffer);
    this.#fingerprints = new Uint32Array(buffer, FINGERPRINTS_AT, 2 * MAX_FINGERPRINTS);
    this.#isNew = new Uint8Array(buffer, NEW_AT, MAX_FINGERPRINTS);
    this.#counts = new Uint16Array(buffer, COUNTS_AT, MAX_PAGES);
    this.#directory = new Uint16Array(buffer, DIRECTORY_AT, 2 ** MAX_DEPTH);
  }

  #tryGrow(pages: number): boolean {
    try {
      this.#code.memory.grow(pages);
      return true;
    } catch {
      return false;
    }
  }

  #doubleDirectory(): void {
    for (let i = 2 ** ++this.#depth - 1; i > 0; i--) this.#directory[i] = this.#directory[i >>> 1]!;
    this.#all[SHIFT_AT] = 31 - this.#depth;
  }

  /** Copies the entries of a page to the beginning of `to`; how many words that makes. */
  #copyEntries(page: number, to: Int32Array): number {
    const all = this.#all;
    const from = (PAGES_AT + page * this.#pageBytes) / 4;
    const end = from + this.#pageBytes / 4;
    let used = 0;
    for (let at = from; at < end; at += 2) {
      // Always written, and counted only if the slot was taken: a branch would be mispredicted too often.
      const low = all[at]!;
      to[used] = low;
      to[used + 1] = all[at + 1]!;
      used += low === 0 ? 0 : 2;
    }
    return used;
  }
}
