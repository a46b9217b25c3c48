import { word } from "../link/words.ts";
import type { SeenSet } from "./seen-set.ts";

const FIRST_SIZE = 1 << 10;
/** Together 20 MiB. */
const MAX_SIZE = 1 << 20;

/** What is known of a URL: it was found, it is done, or it is in a snapshot. */
export const MARK = { found: 0, done: 1, known: 2 } as const;
export type Mark = (typeof MARK)[keyof typeof MARK];

/** Called for each fingerprint, its halves signed, with its mark and whether it was new. */
export type SeenFingerprint = (low: number, high: number, mark: Mark, isNew: boolean) => void;

type FingerprintSet = Pick<SeenSet, "size" | "pageCount" | "reserve" | "pageOf" | "addFingerprint">;

/**
 * Fingerprints to be added to a set together. One by one, each costs a cache miss; sorted by page of the set first, a page
 * is in the cache while all its fingerprints are added. Equal ones keep their order. The memory is reused.
 */
export class BulkAdd {
  #fingerprints = new Int32Array(2 * FIRST_SIZE);
  #marks = new Uint8Array(FIRST_SIZE);
  /** Room to sort them in. */
  #dealt = new Int32Array(0);
  #dealtMarks = new Uint8Array(0);
  #pages = new Uint16Array(0);
  #size = 0;
  /** Those that may be new. */
  #maybeNew = 0;

  /** True when they should be added before there are more. */
  get isFull(): boolean {
    return this.#size >= MAX_SIZE;
  }

  add(low: number, high: number, mark: Mark): void {
    if (this.#size === this.#marks.length) this.#grow();
    const at = this.#size++;
    this.#fingerprints[2 * at] = low;
    this.#fingerprints[2 * at + 1] = high;
    this.#marks[at] = mark;
    if (mark !== MARK.done) this.#maybeNew++;
  }

  /** Those whose bytes lie between `from` and `to`. */
  addAll(bytes: Buffer, from: number, to: number, mark: Mark): void {
    for (let at = from; at < to; at += 8) this.add(word(bytes, at), word(bytes, at + 4), mark);
  }

  /** Adds all of them to a set and forgets them. */
  empty(set: FingerprintSet, onAdded: SeenFingerprint): void {
    const [size, fingerprints, marks] = [this.#size, this.#fingerprints, this.#marks];
    set.reserve(set.size + this.#maybeNew);
    this.#reserve();
    const [dealt, dealtMarks, pages] = [this.#dealt, this.#dealtMarks, this.#pages];
    const next = this.#starts(set);
    for (let i = 0; i < size; i++) {
      const to = next[pages[i]!]!++;
      dealt[2 * to] = fingerprints[2 * i]!;
      dealt[2 * to + 1] = fingerprints[2 * i + 1]!;
      dealtMarks[to] = marks[i]!;
    }
    for (let i = 0; i < size; i++) {
      const low = dealt[2 * i]!;
      const high = dealt[2 * i + 1]!;
      // Signed halves are small integers: no object is allocated.
      onAdded(low, high, dealtMarks[i] as Mark, set.addFingerprint(low, high));
    }
    this.#size = 0;
    this.#maybeNew = 0;
  }

  /** Notes the page of each, modulo 2^16, and computes where each page's fingerprints begin when sorted. */
  #starts(set: FingerprintSet): Uint32Array {
    const [size, fingerprints, pages] = [this.#size, this.#fingerprints, this.#pages];
    const starts = new Uint32Array(Math.min(set.pageCount, 2 ** 16));
    for (let i = 0; i < size; i++) {
      const page = set.pageOf(fingerprints[2 * i + 1]!) & 0xffff;
      pages[i] = page;
      starts[page]!++;
    }
    let sum = 0;
    for (let page = 0; page < starts.length; page++) {
      const count = starts[page]!;
      starts[page] = sum;
      sum += count;
    }
    return starts;
  }

  #reserve(): void {
    if (this.#pages.length >= this.#size) return;
    this.#dealt = new Int32Array(this.#fingerprints.length);
    this.#dealtMarks = new Uint8Array(this.#marks.length);
    this.#pages = new Uint16Array(this.#marks.length);
  }

  #grow(): void {
    const [fingerprints, marks] = [this.#fingerprints, this.#marks];
    this.#fingerprints = new Int32Array(2 * fingerprints.length);
    this.#fingerprints.set(fingerprints);
    this.#marks = new Uint8Array(2 * marks.length);
    this.#marks.set(marks);
  }
}
