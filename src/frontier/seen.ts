import { OrbweaverError, StoreCorruptError } from "../errors.ts";
import { fingerprint, print } from "./fingerprint.ts";
import { PAGE_SLOTS, SeenTable } from "./seen-table.ts";

/** A fingerprint in a block: low half, high half, both little-endian. */
const ENTRY_BYTES = 8;
const BLOCK_BYTES = 64 * 1024;

/** URLs whose memory is asked for at once; their fingerprints, and one place more for what was read. */
const BATCH = 64;
const batch = new Int32Array(2 * BATCH + 1);

/**
 * The URLs a shard has met, as 64-bit fingerprints: 13.6 bytes a URL at every size and no object per URL.
 * Two of a hundred million URLs share a fingerprint with probability 0.03 %; that URL would be missed.
 */
export class SeenSet {
  readonly #seedLow: number;
  readonly #seedHigh: number;
  readonly #table = new SeenTable();

  constructor(seedLow: number, seedHigh: number) {
    this.#seedLow = seedLow;
    this.#seedHigh = seedHigh;
  }

  /**
   * The set whose `blocks` were kept. Blocks of several sets with the same seed may follow each other, whatever is in
   * two of them counts once; `entries` is the number of fingerprints in all of them and is checked.
   */
  static from(
    seedLow: number,
    seedHigh: number,
    entries: number,
    blocks: Iterable<Uint8Array>,
  ): SeenSet {
    const seen = new SeenSet(seedLow, seedHigh);
    seen.#table.reserve(entries);
    let read = 0;
    for (const block of blocks) {
      if (block.length % ENTRY_BYTES !== 0) {
        throw new StoreCorruptError(`a seen-set block of ${block.length} bytes ends in an entry`);
      }
      read += block.length / ENTRY_BYTES;
      // Checked before they are added: a table that was not prepared for them would fill unevenly.
      if (read > entries) break;
      const view = new DataView(block.buffer, block.byteOffset, block.length);
      for (let i = 0; i < block.length; i += ENTRY_BYTES) {
        seen.#table.add(view.getInt32(i, true), view.getInt32(i + 4, true));
      }
    }
    if (read !== entries) {
      const found = read > entries ? "more" : `${read}`;
      throw new StoreCorruptError(`the seen-set should have ${entries} entries and has ${found}`);
    }
    return seen;
  }

  /** How many distinct URLs were added. */
  get size(): number {
    return this.#table.size;
  }

  /** Memory it holds. */
  get bytes(): number {
    return this.#table.bytes;
  }

  /** Adds the URL; false when it was there. */
  add(url: string): boolean {
    fingerprint(url, this.#seedLow, this.#seedHigh);
    return this.#table.add(print.low, print.high);
  }

  /**
   * Adds the URLs in order; `fresh[i]` becomes 1 where the i-th was not there, else 0. How many were not.
   * Beyond the cache this is about a third cheaper than `add` for each: memory is asked for 64 URLs at once.
   */
  addMany(urls: readonly string[], fresh: Uint8Array): number {
    const before = this.#table.size;
    for (let from = 0; from < urls.length; from += BATCH) {
      const count = Math.min(BATCH, urls.length - from);
      for (let i = 0; i < count; i++) {
        fingerprint(urls[from + i]!, this.#seedLow, this.#seedHigh);
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

  /** Adds a URL of which only the fingerprint (with the seed of this set) is known; false when it was there. */
  addFingerprint(low: number, high: number): boolean {
    return this.#table.add(low, high);
  }

  has(url: string): boolean {
    fingerprint(url, this.#seedLow, this.#seedHigh);
    return this.#table.has(print.low, print.high);
  }

  /**
   * All fingerprints, 8 bytes each, in blocks of at most 64 KiB, for `from`. A block is valid until the next one is
   * asked for. Nothing may be added meanwhile: growth moves entries past the reader, so that is a fault.
   */
  *blocks(): Generator<Uint8Array> {
    const size = this.size;
    const block = new Uint8Array(BLOCK_BYTES);
    const view = new DataView(block.buffer);
    let used = 0;
    const take = (low: number, high: number): void => {
      view.setInt32(used, low, true);
      view.setInt32(used + 4, high, true);
      used += ENTRY_BYTES;
    };
    for (let page = 0; page < this.#table.pages; page++) {
      this.#table.visit(page, take);
      if (used + PAGE_SLOTS * ENTRY_BYTES <= BLOCK_BYTES) continue;
      yield block.subarray(0, used);
      used = 0;
      if (this.size !== size) {
        throw new OrbweaverError("OW_SEEN_CHANGED", "the seen-set grew while it was being saved");
      }
    }
    if (used > 0) yield block.subarray(0, used);
  }
}
