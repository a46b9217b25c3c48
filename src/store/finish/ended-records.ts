import { OUTCOME, OUTCOMES, type PageLocation } from "../../frontier/finish.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";

/** A URL whose visit is over, as a journal keeps it; valid during the call that it is given to. */
export interface EndedUrl {
  /** Its fingerprint. */
  readonly low: number;
  readonly high: number;
  /** One of `OUTCOME`. */
  readonly outcome: number;
  /** Its record; undefined when there was no answer to store. */
  readonly where: PageLocation | undefined;
}

/** The committed records of a file: where they begin, sorted once all are known, and which of them were found. */
export interface Records {
  offsets: Float64Array;
  count: number;
  found: Uint8Array;
  /** Those of URLs that failed. */
  readonly failed: Set<number>;
}

/** Stands for all files of a URL tree, each of which holds one page; names of archive files have no slash. */
export const TREE = "tree/";

const TWO_32 = 2 ** 32;

/** What journals say about URLs that have ended: 8 bytes per record and some 40 per URL without one. */
export class EndedRecords {
  readonly files = new Map<string, Records>();
  /** How far each file of the archive must reach. */
  readonly ends = new Map<string, number>();
  /** Ended without a record, and whether they are listed. */
  readonly unstored = new Map<number, boolean>();
  /** How many URLs ended with each outcome. */
  readonly outcomes: Float64Array = new Float64Array(OUTCOMES);
  /** The file of the last record, as nearly always that of the next. */
  #file: string | undefined;
  #records: Records | undefined;
  #end = 0;

  /** Adds one that has ended. */
  readonly add = ({ low, high, outcome, where }: EndedUrl): void => {
    this.outcomes[outcome]!++;
    if (where === undefined) this.unstored.set(idOf(low, high), false);
    else this.#keep(where, outcome === OUTCOME.failed);
  };

  /** Call when all are known. */
  sort(): void {
    this.#leaveFile();
    for (const records of this.files.values()) {
      records.offsets = records.offsets.subarray(0, records.count).sort();
      records.found = new Uint8Array(records.count);
    }
  }

  #keep({ file, offset, length }: PageLocation, isFailed: boolean): void {
    if (file !== this.#file) this.#enterFile(file);
    if (offset + length > this.#end) this.#end = offset + length;
    const records = this.#records!;
    const number = numberOf(file, offset);
    if (isFailed) records.failed.add(number);
    if (records.count === records.offsets.length) {
      const more = new Float64Array(2 * records.count);
      more.set(records.offsets);
      records.offsets = more;
    }
    records.offsets[records.count++] = number;
  }

  #enterFile(file: string): void {
    this.#leaveFile();
    const group = groupOf(file);
    let records = this.files.get(group);
    if (records === undefined) {
      const offsets = new Float64Array(4);
      records = { offsets, count: 0, found: new Uint8Array(0), failed: new Set() };
      this.files.set(group, records);
    }
    this.#file = file;
    this.#records = records;
    this.#end = this.ends.get(file) ?? 0;
  }

  #leaveFile(): void {
    const file = this.#file;
    if (file !== undefined && groupOf(file) !== TREE && this.#end > 0)
      this.ends.set(file, this.#end);
  }
}

/** What the records of a file are kept under: an archive file by itself, all pages of a tree together. */
export function groupOf(file: string): string {
  return file.includes("/") ? TREE : file;
}

/** The number of a record among those of its group: the offset in an archive file, a fingerprint of a tree's file. */
export function numberOf(file: string, offset: number): number {
  if (groupOf(file) !== TREE) return offset;
  fingerprint(file, 0, 0);
  return idOf(lastFingerprint.low, lastFingerprint.high);
}

/** 53 of the 64 bits of a fingerprint: what a number holds. */
export function idOf(low: number, high: number): number {
  return (high & 0x1fffff) * TWO_32 + (low >>> 0);
}
