import { lastFingerprint } from "../../hash/fingerprint.ts";
import { urlFingerprint } from "../../hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { BulkAdd, SeenFingerprint } from "./bulk-add.ts";
import { SeenTable } from "./seen-table.ts";

/**
 * The URLs a shard has met, as 64-bit fingerprints: 13 to 14 bytes a URL at every size and no object per URL.
 * Two of a hundred million URLs share a fingerprint with probability 0.03 %; that URL would be missed.
 */
export class SeenSet {
  readonly #seedLow: number;
  readonly #seedHigh: number;
  readonly #table = new SeenTable();

  /** The seed is random per crawl; `urlFingerprint` with the same seed gives the fingerprints of this set. */
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

  /** Adds the URL, leaving its fingerprint in `lastFingerprint`; false when it was there. */
  add(url: CrawlUrl): boolean {
    urlFingerprint(url, this.#seedLow, this.#seedHigh);
    return this.#table.add(lastFingerprint.low, lastFingerprint.high);
  }

  /**
   * Adds URLs of which only the fingerprints are known, the first `count` pairs of low and high half; `news` gets a 1 for
   * each that is new, else a 0. Answers how many are. Beyond the cache one costs less among many than alone.
   */
  addFingerprints(fingerprints: Uint32Array, count: number, news: Uint8Array): number {
    return this.#table.addAll(fingerprints, count, news);
  }

  /** The same, and adds none. */
  searchFingerprints(fingerprints: Uint32Array, count: number, news: Uint8Array): number {
    return this.#table.searchAll(fingerprints, count, news);
  }

  /** Adds a URL of which only the fingerprint is known, as recovery does; false when it was there. */
  addFingerprint(low: number, high: number): boolean {
    return this.#table.add(low, high);
  }

  /** Adds fingerprints in the order of their places in memory, so that it is read and written page by page. */
  addGathered(fingerprints: BulkAdd, met: SeenFingerprint): void {
    fingerprints.empty(this.#table, met);
  }

  has(url: CrawlUrl): boolean {
    urlFingerprint(url, this.#seedLow, this.#seedHigh);
    return this.#table.has(lastFingerprint.low, lastFingerprint.high);
  }

  hasFingerprint(low: number, high: number): boolean {
    return this.#table.has(low, high);
  }

  /**
   * Every fingerprint that was there when the first block is asked for, once, in blocks of pairs (low, high). A block
   * is valid until the next one is asked for. URLs may be added meanwhile; they may come or not.
   */
  fingerprints(): Generator<Int32Array> {
    return this.#table.pages();
  }
}
