import type { Discovery } from "../../frontier/discovery.ts";
import type { WaitingLink } from "../../frontier/link/waiting-run.ts";
import { type AdmissionRules, admissionFingerprint } from "../../frontier/seen/admission-key.ts";
import { lastFingerprint } from "../../hash/fingerprint.ts";
import { UNKEPT } from "../capture.ts";
import {
  EndedRecords,
  type EndedUrl,
  groupOf,
  idOf,
  numberOf,
  type Records,
  TREE,
} from "./ended-records.ts";

/** A URL and the page it was found on, "" for seeds. */
export interface FoundUrl {
  readonly url: string;
  readonly source: string;
}

/** A URL that has ended; as failed counts what is neither a page nor a redirect, a sitemap or an unchanged page. */
export interface ListedUrl extends FoundUrl {
  readonly failed?: boolean;
}

/** What decides under which fingerprint a URL was admitted. */
export type LoggedUrl = { readonly url: string } & Partial<
  Readonly<Record<"parent" | "via", string>>
>;

/** The content of the journals of a crawl, which decide which record counts. */
export interface JournalView {
  /** How URLs become the fingerprints in the journals. */
  readonly rules: AdmissionRules;
  /** Calls `use` for each URL that has ended. */
  eachEnded(use: (ended: EndedUrl) => void): void;
  /** Calls `use` for each URL that was admitted and has not ended; the link is valid during the call only. */
  eachWaiting(use: (link: WaitingLink) => void): void;
}

const NONE = { offsets: new Float64Array(0) };
const NO_MARKS = new Uint8Array(0);

const NO_SEEDS: AdmissionRules = { seedLow: 0, seedHigh: 0 };

/**
 * Which records and which ends of URLs were committed. Without a journal everything that is on disk counts.
 */
export class Committed {
  readonly #view: JournalView | undefined;
  readonly #files: ReadonlyMap<string, Records>;
  /** How far each file of the archive must reach. */
  readonly ends: ReadonlyMap<string, number>;
  /** Ended without a record, and whether they are listed; without a journal, those that are listed. */
  readonly #unstored: Map<number, boolean>;
  #listed = 0;
  #archived: number | undefined;
  /** How many URLs ended with each outcome. */
  readonly outcomes: Float64Array;

  /** `ended` is what was found when the journals were opened; without it they are read again. */
  constructor(view: JournalView | undefined, ended?: EndedRecords) {
    this.#view = view;
    const all = ended ?? new EndedRecords();
    if (ended === undefined) view?.eachEnded(all.add);
    all.sort();
    this.#files = all.files;
    this.ends = all.ends;
    this.#unstored = all.unstored;
    this.outcomes = all.outcomes;
  }

  /**
   * Answers whether the record at a place counts, true once per record, however often it is listed: a page of a tree
   * that was stored before a crash and fetched again after it has two lines and one place. Without a journal it is true
   * once per URL: an unsynchronised frontier hands out some twice.
   */
  once(): (file: string, offset: number, url?: LoggedUrl) => boolean {
    const taken = new Map<Records, Uint8Array>();
    const urls = new Set<number>();
    let lastFile: string | undefined;
    let records: Records | undefined;
    let marks: Uint8Array = NO_MARKS;
    let next = 0;
    return (file, offset, url) => {
      if (this.#view === undefined) return url === undefined || isAdded(urls, this.idOf(url));
      if (file !== lastFile) {
        lastFile = file;
        records = this.#files.get(groupOf(file));
        marks = (records && taken.get(records)) ?? new Uint8Array(records?.count ?? 0);
        if (records !== undefined) taken.set(records, marks);
        next = 0;
      }
      if (records === undefined) return false;
      const number = numberOf(file, offset);
      // Lists name records in the order of the archive.
      const isNext = records.offsets[next] === number && records.offsets[next - 1] !== number;
      const at = isNext ? next : indexOf(records, number);
      if (at < 0) return false;
      next = at + 1;
      return marks[at]!++ === 0;
    };
  }

  /** Whether the URL of the record at this place failed, a 404 for example. */
  isFailed(file: string, offset: number): boolean {
    return this.#files.get(groupOf(file))?.failed.has(numberOf(file, offset)) ?? false;
  }

  /** How many visits were committed, with a record or without. */
  get endings(): number {
    let endings = this.#unstored.size;
    for (const { count } of this.#files.values()) endings += count;
    return endings;
  }

  /** Where the last committed record of a file begins; -1 when it holds none. */
  lastOffset(file: string): number {
    return this.#files.get(file)?.offsets.at(-1) ?? -1;
  }

  /** Whether the record at this place counts; remembers that it is there. */
  find(file: string, offset: number): boolean {
    const records = this.#files.get(groupOf(file));
    const at = indexOf(records, numberOf(file, offset));
    if (at >= 0) records!.found[at] = 1;
    return this.#view === undefined || at >= 0;
  }

  /** Places of committed records that `find` was not asked for. */
  *missing(): Generator<{ readonly file: string; readonly offset: number }, void> {
    for (const [file, { offsets, found }] of this.#files)
      if (file !== UNKEPT && file !== TREE)
        for (const [i, is] of found.entries()) if (is === 0) yield { file, offset: offsets[i]! };
    yield* this.#missingPages();
  }

  /** Of pages of a tree only numbers are kept; the journals name those that are missing. */
  *#missingPages(): Generator<{ readonly file: string; readonly offset: number }, void> {
    const pages = this.#files.get(TREE);
    if (pages === undefined || pages.found.every((is) => is === 1)) return;
    const missing: { file: string; offset: number }[] = [];
    this.#view!.eachEnded(({ where }) => {
      if (where === undefined || groupOf(where.file) !== TREE) return;
      const { file, offset } = where;
      if (pages.found[indexOf(pages, numberOf(file, offset))] === 0) missing.push({ file, offset });
    });
    yield* missing;
  }

  /** Whether this URL ended without a record; true once, so that it is not listed twice. */
  takeUnstored(url: LoggedUrl): boolean {
    const id = this.idOf(url);
    const isListed = this.#unstored.get(id);
    if (isListed === true || (isListed === undefined && this.#view !== undefined)) return false;
    this.#unstored.set(id, true);
    this.#listed++;
    return true;
  }

  /** Answers whether this URL ended without a record, true once per URL, whatever `takeUnstored` was asked. */
  onceUnstored(): (url: LoggedUrl) => boolean {
    const taken = new Set<number>();
    return (url) => {
      if (this.#view === undefined) return true;
      const id = this.idOf(url);
      if (taken.has(id) || !this.#unstored.has(id)) return false;
      taken.add(id);
      return true;
    };
  }

  /** The number under which a URL was admitted: the same for all its spellings. */
  idOf({ url, parent, via }: LoggedUrl): number {
    const found = { url, parent, via, depth: 0, seed: false, chain: [] } as unknown as Discovery;
    admissionFingerprint(found, this.#view?.rules ?? NO_SEEDS);
    return idOf(lastFingerprint.low, lastFingerprint.high);
  }

  /** Whether there may be a URL that `takeUnstored` is true for. */
  get mayNameUnstored(): boolean {
    return this.#view === undefined || this.#listed < this.#unstored.size;
  }

  /** Without a journal everything counts. */
  get hasJournal(): boolean {
    return this.#view !== undefined;
  }

  /** Whether there is a committed record that some store must hold. */
  get keepsRecords(): boolean {
    return this.#files.size > (this.#files.has(UNKEPT) ? 1 : 0);
  }

  /** How many records are in files of the archive: each has a line in the index. */
  get archived(): number {
    this.#archived ??= this.#countArchived();
    return this.#archived;
  }

  /** How many URLs ended without a record and are in no list. */
  get unnamed(): number {
    return this.#view === undefined ? 0 : this.#unstored.size - this.#listed;
  }

  #countArchived(): number {
    let archived = 0;
    for (const [file, { offsets }] of this.#files) {
      if (!isArchive(file)) continue;
      let last = -1;
      for (const offset of offsets) {
        if (offset !== last) archived++;
        last = offset;
      }
    }
    return archived;
  }
}

/** Adds to a set; false when it was there. */
function isAdded(ids: Set<number>, id: number): boolean {
  const before = ids.size;
  return ids.add(id).size > before;
}

/** Whether a place is in a file of the archive, not in a tree and not nowhere. */
export function isArchive(file: string): boolean {
  return file !== UNKEPT && !file.includes("/");
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
