import type { PageLocation } from "../../frontier/journal/event-batch.ts";
import type { WaitingLink } from "../../frontier/journal/waiting-run.ts";
import { lastFingerprint } from "../../hash/fingerprint.ts";
import { urlFingerprint } from "../../hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { UNKEPT } from "../capture.ts";

/** A URL somebody found, and where: "" for seeds. */
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

/** What the journals of a crawl say: the truth about which record counts. */
export interface JournalView {
  readonly seedLow: number;
  readonly seedHigh: number;
  ended(): Iterable<EndedUrl>;
  /** Calls `meet` for each URL that was admitted and has not ended. One view serves them all: it is valid during the call. */
  eachWaiting(meet: (link: WaitingLink) => void): void;
}

/**
 * Which records and which ends of URLs were committed: 8 bytes per record, some 40 per URL without one. Without a
 * journal (a frontier that keeps none) everything that is on disk counts.
 */
export class Committed {
  readonly #view: JournalView | undefined;
  readonly #offsets = new Map<string, Float64Array>();
  readonly #sizes = new Map<string, number>();
  /** How far each file must reach. */
  readonly ends = new Map<string, number>();
  readonly #found = new Map<string, Uint8Array>();
  /** Those that nobody has named yet; without a journal those that somebody has. */
  readonly #unstored = new Set<number>();

  constructor(view: JournalView | undefined) {
    this.#view = view;
    if (view === undefined) return;
    for (const { low, high, where } of view.ended()) {
      if (where === undefined) this.#unstored.add(key(low, high));
      else this.#keep(where);
    }
    for (const [file, offsets] of this.#offsets) {
      const size = this.#sizes.get(file)!;
      this.#offsets.set(file, offsets.subarray(0, size).sort());
      this.#found.set(file, new Uint8Array(size));
    }
  }

  /** Whether the record at this place counts. */
  has(file: string, offset: number): boolean {
    return this.#view === undefined || this.#indexOf(file, offset) >= 0;
  }

  /**
   * As `has`, and true once per record, however often it is listed: a page of a tree that was stored before a crash and
   * fetched again after it has two lines and one place.
   */
  once(): (file: string, offset: number) => boolean {
    const taken = new Map<string, Uint8Array>();
    return (file, offset) => {
      if (this.#view === undefined) return true;
      const at = this.#indexOf(file, offset);
      if (at < 0) return false;
      const marks = taken.get(file) ?? new Uint8Array(this.#offsets.get(file)!.length);
      taken.set(file, marks);
      const isFirst = marks[at] === 0;
      marks[at] = 1;
      return isFirst;
    };
  }

  /** Where the last committed record of a file begins; -1 when it holds none. */
  lastOffset(file: string): number {
    return this.#offsets.get(file)?.at(-1) ?? -1;
  }

  /** As `has`, and remembers that the record is there. */
  find(file: string, offset: number): boolean {
    const at = this.#indexOf(file, offset);
    if (at >= 0) this.#found.get(file)![at] = 1;
    return this.#view === undefined || at >= 0;
  }

  /** Places of committed records that `find` was not asked for. */
  *missing(): Generator<{ readonly file: string; readonly offset: number }, void> {
    for (const [file, found] of this.#found)
      if (file !== UNKEPT)
        for (const [i, is] of found.entries())
          if (is === 0) yield { file, offset: this.#offsets.get(file)![i]! };
  }

  /** Whether this URL ended without a record; true once, so that nobody lists it twice. */
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

  /** Whether a record is committed that some store must hold, as far as a journal tells. */
  get keepsRecords(): boolean {
    return this.#offsets.size > (this.#offsets.has(UNKEPT) ? 1 : 0);
  }

  /** URLs that ended without a record and that nobody has named. */
  get unnamed(): number {
    return this.#view === undefined ? 0 : this.#unstored.size;
  }

  #indexOf(file: string, offset: number): number {
    const offsets = this.#offsets.get(file);
    if (offsets === undefined) return -1;
    let low = 0;
    let high = offsets.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offsets[low] === offset ? low : -1;
  }

  #keep({ file, offset, length }: PageLocation): void {
    if (offset + length > (this.ends.get(file) ?? 0)) this.ends.set(file, offset + length);
    const size = this.#sizes.get(file) ?? 0;
    let offsets = this.#offsets.get(file);
    if (offsets === undefined || size === offsets.length) {
      const more = new Float64Array(Math.max(4, 2 * size));
      if (offsets !== undefined) more.set(offsets);
      offsets = more;
      this.#offsets.set(file, offsets);
    }
    offsets[size] = offset;
    this.#sizes.set(file, size + 1);
  }
}

/** 53 of the 64 bits of a fingerprint: what a number holds. */
function key(low: number, high: number): number {
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
