import type { PageLocation } from "../../frontier/finish.ts";
import type { WaitingLink } from "../../frontier/link/waiting-run.ts";
import { lastFingerprint } from "../../hash/fingerprint.ts";
import { urlFingerprint } from "../../hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { UNKEPT } from "../capture.ts";

/** A URL and the page it was found on, "" for seeds. */
export interface FoundUrl {
  readonly url: string;
  readonly source: string;
}

/** A URL whose visit is over, as a journal keeps it. */
export interface EndedUrl {
  /** Its fingerprint. */
  readonly low: number;
  readonly high: number;
  /** Its record; undefined when there was no answer to store. */
  readonly where: PageLocation | undefined;
}

/** The content of the journals of a crawl, which decide which record counts. */
export interface JournalView {
  readonly seedLow: number;
  readonly seedHigh: number;
  ended(): Iterable<EndedUrl>;
  /** Calls `use` for each URL that was admitted and has not ended; the link is valid during the call only. */
  eachWaiting(use: (link: WaitingLink) => void): void;
}

/** The committed records of a file: where they begin, sorted once all are known, and which of them were found. */
interface Records {
  offsets: Float64Array;
  count: number;
  found: Uint8Array;
}

const NONE = { offsets: new Float64Array(0) };

/**
 * Which records and which ends of URLs were committed, in 8 bytes per record and some 40 per URL without one. Without a
 * journal everything that is on disk counts.
 */
export class Committed {
  readonly #view: JournalView | undefined;
  readonly #files = new Map<string, Records>();
  /** How far each file must reach. */
  readonly ends = new Map<string, number>();
  /** Ended without a record and not listed yet; without a journal, those that are listed. */
  readonly #unstored = new Set<number>();

  constructor(view: JournalView | undefined) {
    this.#view = view;
    for (const { low, high, where } of view?.ended() ?? []) {
      if (where === undefined) this.#unstored.add(key(low, high));
      else this.#keep(where);
    }
    for (const records of this.#files.values()) {
      records.offsets = records.offsets.subarray(0, records.count).sort();
      records.found = new Uint8Array(records.count);
    }
  }

  /**
   * Answers whether the record at a place counts, true once per record, however often it is listed: a page of a tree
   * that was stored before a crash and fetched again after it has two lines and one place.
   */
  once(): (file: string, offset: number) => boolean {
    const taken = new Map<Records, Uint8Array>();
    return (file, offset) => {
      if (this.#view === undefined) return true;
      const records = this.#files.get(file);
      const at = indexOf(records, offset);
      if (records === undefined || at < 0) return false;
      const marks = taken.get(records) ?? new Uint8Array(records.count);
      taken.set(records, marks);
      return marks[at]!++ === 0;
    };
  }

  /** Where the last committed record of a file begins; -1 when it holds none. */
  lastOffset(file: string): number {
    return this.#files.get(file)?.offsets.at(-1) ?? -1;
  }

  /** Whether the record at this place counts; remembers that it is there. */
  find(file: string, offset: number): boolean {
    const records = this.#files.get(file);
    const at = indexOf(records, offset);
    if (at >= 0) records!.found[at] = 1;
    return this.#view === undefined || at >= 0;
  }

  /** Places of committed records that `find` was not asked for. */
  *missing(): Generator<{ readonly file: string; readonly offset: number }, void> {
    for (const [file, { offsets, found }] of this.#files)
      if (file !== UNKEPT)
        for (const [i, is] of found.entries()) if (is === 0) yield { file, offset: offsets[i]! };
  }

  /** Whether this URL ended without a record; true once, so that it is not listed twice. */
  takeUnstored(url: string): boolean {
    urlFingerprint(url as CrawlUrl, this.#view?.seedLow ?? 0, this.#view?.seedHigh ?? 0);
    const id = key(lastFingerprint.low, lastFingerprint.high);
    if (this.#view !== undefined) return this.#unstored.delete(id);
    if (this.#unstored.has(id)) return false;
    this.#unstored.add(id);
    return true;
  }

  /** Whether there may be a URL that `takeUnstored` is true for. */
  get mayNameUnstored(): boolean {
    return this.#view === undefined || this.#unstored.size > 0;
  }

  /** Whether there is a committed record that some store must hold. */
  get keepsRecords(): boolean {
    return this.#files.size > (this.#files.has(UNKEPT) ? 1 : 0);
  }

  /** How many URLs ended without a record and are in no list. */
  get unnamed(): number {
    return this.#view === undefined ? 0 : this.#unstored.size;
  }

  #keep({ file, offset, length }: PageLocation): void {
    if (offset + length > (this.ends.get(file) ?? 0)) this.ends.set(file, offset + length);
    let records = this.#files.get(file);
    if (records === undefined) {
      records = { offsets: new Float64Array(4), count: 0, found: new Uint8Array(0) };
      this.#files.set(file, records);
    }
    if (records.count === records.offsets.length) {
      const more = new Float64Array(2 * records.count);
      more.set(records.offsets);
      records.offsets = more;
    }
    records.offsets[records.count++] = offset;
  }
}

/** The place of an offset among the records of a file; -1 when there is no such record. */
function indexOf({ offsets }: Pick<Records, "offsets"> = NONE, offset: number): number {
  let low = 0;
  for (let high = offsets.length - 1; low < high; ) {
    const middle = (low + high) >> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return offsets[low] === offset ? low : -1;
}

/** 53 of the 64 bits of a fingerprint: what a number holds. */
function key(low: number, high: number): number {
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
