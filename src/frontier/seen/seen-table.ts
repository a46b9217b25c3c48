import { PlainSeenTable } from "./array-seen-table.ts";
import { WasmSeenTable } from "./wasm-seen-table.ts";

/** A page of either table has room for them, so none is split before they move. */
export const MAX_PLAIN = 12_000;

/** Once there was no room for the addresses that a memory reserves, asking again would only cost time. */
let isRefused = false;

/**
 * A set of 64-bit fingerprints, 13 to 14 bytes each at every size. It begins in an array; where it gets large it
 * moves to a memory of its own, in which one read tells of most fingerprints whether they are there.
 */
export class SeenTable {
  #table: PlainSeenTable | WasmSeenTable = new PlainSeenTable();

  get size(): number {
    return this.#table.size;
  }

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

  /** Makes room for so many entries before they come: then none of them moves. */
  reserve(entries: number): void {
    if (entries > MAX_PLAIN) this.#move();
    this.#table.reserve(entries);
  }

  /** Adds a fingerprint; false when it was there. A low half of 0 counts as 1. */
  add(low: number, high: number): boolean {
    const table = this.#table;
    if (!table.add(low, high)) return false;
    if (table.size === MAX_PLAIN) this.#move();
    return true;
  }

  has(low: number, high: number): boolean {
    return this.#table.has(low, high);
  }

  /**
   * Adds the first `count` fingerprints (pairs of low and high half); `news` gets a 1 for each that is new, else a 0.
   * Answers how many are. Beyond the cache they wait for memory together.
   */
  addAll(fingerprints: Uint32Array, count: number, news: Uint8Array): number {
    const table = this.#table;
    // What comes alone need not be copied.
    if (count > 1 && table instanceof WasmSeenTable) return table.addAll(fingerprints, count, news);
    let added = 0;
    for (let i = 0; i < count; i++) {
      news[i] = this.add(fingerprints[2 * i]!, fingerprints[2 * i + 1]!) ? 1 : 0;
      added += news[i]!;
    }
    return added;
  }

  /** The same, and adds none. */
  searchAll(fingerprints: Uint32Array, count: number, news: Uint8Array): number {
    const table = this.#table;
    if (count > 1 && table instanceof WasmSeenTable)
      return table.searchAll(fingerprints, count, news);
    let missing = 0;
    for (let i = 0; i < count; i++) {
      news[i] = table.has(fingerprints[2 * i]!, fingerprints[2 * i + 1]!) ? 0 : 1;
      missing += news[i]!;
    }
    return missing;
  }

  /**
   * Every fingerprint that was there at the beginning, once, in blocks of pairs (low, high). A block is valid until the
   * next one is asked for. What is added meanwhile may come or not.
   */
  pages(): Generator<Int32Array> {
    return this.#table.pages();
  }

  #move(): void {
    const plain = this.#table;
    if (isRefused || plain instanceof WasmSeenTable) return;
    try {
      this.#table = new WasmSeenTable();
    } catch {
      isRefused = true;
      return;
    }
    for (const pairs of plain.pages()) {
      for (let i = 0; i < pairs.length; i += 2) this.#table.add(pairs[i]!, pairs[i + 1]!);
    }
  }
}
