import type { CrawlUrl } from "../url/crawl-url.ts";
import { print } from "./fingerprint.ts";
import { SeenTable } from "./seen-table.ts";
import { urlPrint } from "./url-print.ts";

/** URLs whose memory is asked for at once; their fingerprints, and one place more for what was read. */
const BATCH = 64;
const batch = new Int32Array(2 * BATCH + 1);

/**
 * The URLs a shard has met, as 64-bit fingerprints: 13 to 14 bytes a URL at every size and no object per URL.
 * Two of a hundred million URLs share a fingerprint with probability 0.03 %; that URL would be missed.
 */
export class SeenSet {
  readonly #seedLow: number;
  readonly #seedHigh: number;
  readonly #table = new SeenTable();

  /** The seed is random per crawl; `urlPrint` with the same seed gives the fingerprints of this set. */
  constructor(seedLow: number, seedHigh: number) {
    this.#seedLow = seedLow;
    this.#seedHigh = seedHigh;
  }

  /** How many distinct URLs were added. */
  get size(): number {
    return this.#table.size;
  }

  /** Memory it holds. */
  get bytes(): number {
    return this.#table.bytes;
  }

  /** Adds the URL, leaving its fingerprint in `print`; false when it was there. */
  add(url: CrawlUrl): boolean {
    urlPrint(url, this.#seedLow, this.#seedHigh);
    return this.#table.add(print.low, print.high);
  }

  /**
   * Adds the URLs in order; `fresh[i]` becomes 1 where the i-th was not there, else 0. How many were not.
   * Beyond the cache this is cheaper than `add` for each: memory is asked for 64 URLs at once.
   */
  addMany(urls: readonly CrawlUrl[], fresh: Uint8Array): number {
    const before = this.#table.size;
    for (let from = 0; from < urls.length; from += BATCH) {
      const count = Math.min(BATCH, urls.length - from);
      for (let i = 0; i < count; i++) {
        urlPrint(urls[from + i]!, this.#seedLow, this.#seedHigh);
        batch[2 * i] = print.low;
        batch[2 * i + 1] = print.high;
      }
      let touched = 0;
      for (let i = 0; i < count; i++)
        touched ^= this.#table.touch(batch[2 * i]!, batch[2 * i + 1]!);
      batch[2 * BATCH] = touched;
      for (let i = 0; i < count; i++) {
        fresh[from + i] = this.#table.add(batch[2 * i]!, batch[2 * i + 1]!) ? 1 : 0;
      }
    }
    return this.#table.size - before;
  }

  /** Adds a URL of which only the fingerprint is known, as recovery does; false when it was there. */
  addPrint(low: number, high: number): boolean {
    return this.#table.add(low, high);
  }

  has(url: CrawlUrl): boolean {
    urlPrint(url, this.#seedLow, this.#seedHigh);
    return this.#table.has(print.low, print.high);
  }

  hasPrint(low: number, high: number): boolean {
    return this.#table.has(low, high);
  }

  /**
   * Every fingerprint that was there when the first block is asked for, once, in blocks of pairs (low, high). A block
   * is valid until the next one is asked for. URLs may be added meanwhile; they may come or not.
   */
  prints(): Generator<Int32Array> {
    return this.#table.pages();
  }
}
