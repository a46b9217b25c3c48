import { ArraySeenTable } from "./array-seen-table.ts";
import { WasmSeenTable } from "./wasm-seen-table.ts";

/** A set that gets larger moves to a memory of its own. */
export const MAX_IN_ARRAY = 12_000;
/** Stripes of a large set where that memory cannot be had, as a power of two. */
const STRIPE_BITS = 10;

/** Set once the address space for such a memory was refused, so that it is not asked for again. */
let isRefused = false;

/**
 * The URLs a shard knows, as 64-bit fingerprints: at most 14 bytes each when there are many, and no object per URL. Two of
 * a hundred million URLs share a fingerprint with probability 0.03 %; one of them would be missed. The set begins in an
 * array; when it gets large it moves to a memory of its own, in which most lookups read one cache line.
 */
export class SeenSet {
  #table: ArraySeenTable | WasmSeenTable = new ArraySeenTable();
  #hasMoved = false;
  /** Fingerprints in the set. */
  size = 0;

  /** Memory it holds, empty slots included. */
  get bytes(): number {
    return this.#table.bytes;
  }

  /** How many pages there are; they are numbered from 0. */
  get pageCount(): number {
    return this.#table.pageCount;
  }

  /** The page on which a fingerprint with this high half is. */
  pageOf(high: number): number {
    return this.#table.pageOf(high);
  }

  /** Makes room for so many entries before they come: then hardly any of them moves. */
  reserve(entries: number): void {
    if (entries > MAX_IN_ARRAY && !this.#hasMoved) this.#move();
    this.#table.reserve(entries);
  }

  /** Adds a fingerprint; false when it was there. A low half of 0 counts as 1. */
  addFingerprint(low: number, high: number): boolean {
    const table = this.#table;
    if (!table.add(low, high)) return false;
    this.size++;
    if (this.size >= MAX_IN_ARRAY && !this.#hasMoved) this.#move();
    return true;
  }

  hasFingerprint(low: number, high: number): boolean {
    return this.#table.has(low, high);
  }

  /**
   * Adds the first `count` fingerprints (pairs of low and high half); `isNew` gets a 1 for each that is new, else a 0.
   * Returns how many are. In a large set their cache misses overlap.
   */
  addFingerprints(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    const table = this.#table;
    const added = table.addAll(fingerprints, count, isNew);
    this.size += added;
    if (this.size >= MAX_IN_ARRAY && !this.#hasMoved) this.#move();
    return added;
  }

  /** The same without adding any. */
  searchFingerprints(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    return this.#table.searchAll(fingerprints, count, isNew);
  }

  /**
   * Every fingerprint that was there at the beginning, once, in blocks of pairs (low, high). A block is valid until the
   * next one is asked for. What is added meanwhile may come or not.
   */
  fingerprints(): Generator<Int32Array> {
    return this.#table.pages();
  }

  #move(): void {
    this.#hasMoved = true;
    const small = this.#table;
    this.#table = largeTable();
    for (const pairs of small.pages())
      for (let i = 0; i < pairs.length; i += 2) this.#table.add(pairs[i]!, pairs[i + 1]!);
  }
}

function largeTable(): ArraySeenTable | WasmSeenTable {
  try {
    if (!isRefused) return new WasmSeenTable();
  } catch {
    isRefused = true;
  }
  return new ArraySeenTable(STRIPE_BITS);
}
