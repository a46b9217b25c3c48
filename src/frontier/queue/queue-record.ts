import type { LatinBuffer } from "../../runtime/latin-buffer.ts";
import { MAX_URL_LENGTH } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import {
  type FoundLink,
  HEAD_BYTES,
  headEnd,
  linksOf,
  readLink,
  setLinks,
  writeHead,
} from "../link/link-codec.ts";
import type { WaitingLink, WaitingRun } from "../link/waiting-run.ts";
import { short, word, writePair, writeWord } from "../link/words.ts";

/*
 * Records of the queue log: a queued URL, or links of one host that recovery left in their file.
 *
 *   next 48 | fingerprint 2 x 32 | head (link/link-codec.ts; URL length in place of the links) | URL
 *   next 48 | any 64 | mark 8 | 0 8 | any 32 | 26 16 | 0 16 | place
 *
 *   place   head 48 | head bytes 32 | links from 32 | link bytes 32 | fingerprints from 32 | links 16 | file 16
 *
 * The second kind has a head as well, as far as its length goes. In a place, `head` is an offset in the file, and the two
 * `from` count from there.
 */

const FINGERPRINT_AT = 6;
const HEAD_AT = 14;
/** What `recordLength` looks at. */
export const RECORD_HEAD_BYTES = HEAD_AT + HEAD_BYTES;
/** `--max-redirects` is at most 100. */
const MAX_CHAIN = 101;

/** No record is longer. */
export const MAX_RECORD_BYTES = RECORD_HEAD_BYTES + 2 * MAX_URL_LENGTH + 8 * MAX_CHAIN;

/** Stands where a queued URL says how it was found. */
const PLACE_MARK = 0x40;
const PLACE_BYTES = 26;

/** Writes the record of a URL, which is the last of its chain or points to `next`; returns its length. */
export function writeRecord(
  bytes: Buffer,
  at: number,
  found: Discovery,
  low: number,
  high: number,
  next: number,
): number {
  const { url } = found;
  writeNext(bytes, at, next);
  writePair(bytes, at + FINGERPRINT_AT, low, high);
  const urlFrom = writeHead(bytes, at + HEAD_AT, found, url.length);
  return urlFrom + (bytes as LatinBuffer).latin1Write(url, urlFrom, url.length) - at;
}

/** Writes the same record from the bytes of a journal. */
export function copyRecord(bytes: Buffer, at: number, link: WaitingLink, next: number): number {
  const { bytes: source, from, to } = link;
  writeNext(bytes, at, next);
  writePair(bytes, at + FINGERPRINT_AT, link.low, link.high);
  let end = at + HEAD_AT;
  // In loops: so few bytes are copied before a native call has begun.
  for (let i = link.head; i < link.headEnd; i++) bytes[end++] = source[i]!;
  setLinks(bytes, at + HEAD_AT, to - from);
  for (let i = from; i < to; i++) bytes[end++] = source[i]!;
  return end - at;
}

/** How long a record is. */
export function recordLength(bytes: Buffer, at: number): number {
  return headEnd(bytes, at + HEAD_AT) - at + linksOf(bytes, at + HEAD_AT);
}

/** Writes the reference of the record that follows; 0 when none does. */
export function writeNext(bytes: Buffer, at: number, next: number): void {
  bytes[at] = next;
  bytes[at + 1] = next >>> 8;
  bytes[at + 2] = next >>> 16;
  bytes[at + 3] = next >>> 24;
  const high = Math.floor(next / 2 ** 32);
  bytes[at + 4] = high;
  bytes[at + 5] = high >>> 8;
}

/** The reference of the record that follows in the chain. */
export function readNext(bytes: Buffer, at: number): number {
  return word(bytes, at) + (bytes[at + 4]! | (bytes[at + 5]! << 8)) * 2 ** 32;
}

/** The URL of a record. */
export function readRecord(bytes: Buffer, at: number): FoundLink {
  const low = word(bytes, at + FINGERPRINT_AT);
  const high = word(bytes, at + FINGERPRINT_AT + 4);
  return readLink(bytes, at + HEAD_AT, low, high);
}

/** Links of one host that recovery left where they are: everything but `file` and `links` is an offset in the file. */
export interface RecoveredPlace {
  readonly file: number;
  readonly head: number;
  readonly headEnd: number;
  readonly from: number;
  readonly to: number;
  readonly fingerprint: number;
  readonly links: number;
}

/** True for a record that stands for links in a file. */
export function isPlace(bytes: Buffer, at: number): boolean {
  return bytes[at + HEAD_AT] === PLACE_MARK;
}

/** Writes the record of a run of links in the file with this number; returns its length. */
export function writePlace(
  bytes: Buffer,
  at: number,
  run: WaitingRun,
  file: number,
  next: number,
): number {
  const { head } = run;
  writeNext(bytes, at, next);
  bytes[at + HEAD_AT] = PLACE_MARK;
  bytes[at + HEAD_AT + 1] = 0;
  writeWord(bytes, at + HEAD_AT + 6, PLACE_BYTES);
  const to = at + RECORD_HEAD_BYTES;
  writeNext(bytes, to, head + run.fileAhead!);
  writeWord(bytes, to + 6, run.headEnd - head);
  writeWord(bytes, to + 10, run.from - head);
  writeWord(bytes, to + 14, run.to - run.from);
  writeWord(bytes, to + 18, run.fingerprint - head);
  writeWord(bytes, to + 22, run.links | (file << 16));
  return RECORD_HEAD_BYTES + PLACE_BYTES;
}

/** Reads what `writePlace` wrote. */
export function readPlace(bytes: Buffer, at: number): RecoveredPlace {
  const place = at + RECORD_HEAD_BYTES;
  const head = readNext(bytes, place);
  const from = head + word(bytes, place + 10);
  return {
    head,
    headEnd: head + word(bytes, place + 6),
    from,
    to: from + word(bytes, place + 14),
    fingerprint: head + word(bytes, place + 18),
    links: short(bytes, place + 22),
    file: short(bytes, place + 24),
  };
}
