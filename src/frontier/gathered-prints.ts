import { word } from "./journal/journal-format.ts";
import type { SeenTable } from "./seen-table.ts";

const FIRST_PRINTS = 1 << 10;
/** 9 MiB; twice that while they are dealt out. */
const MAX_PRINTS = 1 << 20;

/** What is said of a URL: it was found, it is done, or a snapshot knows it. */
export const MARK = { found: 0, done: 1, known: 2 } as const;
export type Mark = (typeof MARK)[keyof typeof MARK];

/** Told of a fingerprint that was added or was there, with the mark it was gathered with. */
export type MetPrint = (low: number, high: number, mark: Mark, isNew: boolean) => void;

/**
 * Fingerprints that are to be added to a set together. One by one each waits for memory, as it may be anywhere; dealt
 * out to the pages of the set first, a page is in the cache while all its fingerprints are added. Those that are equal
 * keep their order.
 */
export class GatheredPrints {
  #prints = new Int32Array(2 * FIRST_PRINTS);
  #marks = new Uint8Array(FIRST_PRINTS);
  #size = 0;
  /** Those that may be new. */
  #news = 0;

  /** True when they should be added before there are more. */
  get isFull(): boolean {
    return this.#size >= MAX_PRINTS;
  }

  add(low: number, high: number, mark: Mark): void {
    if (this.#size === this.#marks.length) this.#grow();
    const at = this.#size++;
    this.#prints[2 * at] = low;
    this.#prints[2 * at + 1] = high;
    this.#marks[at] = mark;
    if (mark !== MARK.done) this.#news++;
  }

  /** Those whose bytes lie between `from` and `to`. */
  addAll(bytes: Buffer, from: number, to: number, mark: Mark): void {
    for (let at = from; at < to; at += 8) this.add(word(bytes, at), word(bytes, at + 4), mark);
  }

  /** Adds all of them to a table and forgets them. */
  empty(table: SeenTable, met: MetPrint): void {
    const [size, prints, marks] = [this.#size, this.#prints, this.#marks];
    table.reserve(table.size + this.#news);
    const next = this.#starts(table);
    const dealt = new Int32Array(2 * size);
    const dealtMarks = new Uint8Array(size);
    for (let i = 0; i < size; i++) {
      const high = prints[2 * i + 1]!;
      const to = next[table.pageOf(high)]!++;
      dealt[2 * to] = prints[2 * i]!;
      dealt[2 * to + 1] = high;
      dealtMarks[to] = marks[i]!;
    }
    for (let i = 0; i < size; i++) {
      const low = dealt[2 * i]!;
      const high = dealt[2 * i + 1]!;
      met(low >>> 0, high >>> 0, dealtMarks[i] as Mark, table.add(low, high));
    }
    this.#size = 0;
    this.#news = 0;
  }

  /** Where the fingerprints of each page begin when they are dealt out. */
  #starts(table: SeenTable): Uint32Array {
    const starts = new Uint32Array(table.pageCount);
    for (let i = 0; i < this.#size; i++) starts[table.pageOf(this.#prints[2 * i + 1]!)]!++;
    let sum = 0;
    for (let page = 0; page < starts.length; page++) {
      const count = starts[page]!;
      starts[page] = sum;
      sum += count;
    }
    return starts;
  }

  #grow(): void {
    const [prints, marks] = [this.#prints, this.#marks];
    this.#prints = new Int32Array(2 * prints.length);
    this.#prints.set(prints);
    this.#marks = new Uint8Array(2 * marks.length);
    this.#marks.set(marks);
  }
}
