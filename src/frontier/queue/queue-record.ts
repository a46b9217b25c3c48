import type { LatinBuffer } from "../../runtime/latin-buffer.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { MAX_URL_LENGTH } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import { ADMIT_FIXED_BYTES, SEED_FLAG } from "../journal/event-batch.ts";
import { writeWord } from "../journal/journal-format.ts";
import type { WaitingLink } from "../journal/waiting-run.ts";
import { VIAS } from "../via.ts";

/*
 * A queued URL, all numbers little-endian:
 *
 *   next 48 | fingerprint 2 x 32 | depth 32 | how found 8 | chain length 8 | URL length 16 | parent length 16
 *   URL | parent | chain (64 each)
 */

const FIXED_BYTES = 24;
/** What `recordLength` looks at. */
export const RECORD_HEAD_BYTES = FIXED_BYTES;
/** `--max-redirects` is at most 100. */
const MAX_CHAIN = 101;

/** No record is longer. */
export const MAX_RECORD_BYTES = FIXED_BYTES + 2 * MAX_URL_LENGTH + 8 * MAX_CHAIN;

/** A queued URL and its fingerprint. */
export interface QueuedUrl extends Discovery {
  readonly low: number;
  readonly high: number;
}

/** Writes a record that is the last of its chain, or points to `next`; answers its length. */
export function writeRecord(
  bytes: Buffer,
  at: number,
  found: Discovery,
  low: number,
  high: number,
  next: number,
): number {
  const { url, parent = "", chain } = found;
  writeNext(bytes, at, next);
  writeWord(bytes, at + 6, low);
  writeWord(bytes, at + 10, high);
  writeWord(bytes, at + 14, found.depth);
  bytes[at + 18] = VIAS.indexOf(found.via) | (found.seed ? SEED_FLAG : 0);
  bytes[at + 19] = chain.length;
  bytes[at + 20] = url.length;
  bytes[at + 21] = url.length >>> 8;
  bytes[at + 22] = parent.length;
  bytes[at + 23] = parent.length >>> 8;
  let end = at + FIXED_BYTES;
  const latin = bytes as LatinBuffer;
  end += latin.latin1Write(url, end, url.length);
  if (parent !== "") end += latin.latin1Write(parent, end, parent.length);
  for (const link of chain) end += bytes.write(link, end, 8, "hex");
  return end - at;
}

/** Writes the same record from the bytes of the journal. */
export function copyRecord(bytes: Buffer, at: number, link: WaitingLink, next: number): number {
  const { bytes: source, head, headEnd, from, to } = link;
  writeNext(bytes, at, next);
  writeWord(bytes, at + 6, link.low);
  writeWord(bytes, at + 10, link.high);
  // How found and chain length stand before the depth there, behind it here.
  for (let i = 0; i < 4; i++) bytes[at + 14 + i] = source[head + 2 + i]!;
  bytes[at + 18] = source[head]!;
  bytes[at + 19] = source[head + 1]!;
  bytes[at + 20] = to - from;
  bytes[at + 21] = (to - from) >>> 8;
  bytes[at + 22] = source[head + 8]!;
  bytes[at + 23] = source[head + 9]!;
  let end = at + FIXED_BYTES;
  // In loops: so few bytes are copied before a native call has begun.
  for (let i = from; i < to; i++) bytes[end++] = source[i]!;
  // Parent and chain, in the same order.
  for (let i = head + ADMIT_FIXED_BYTES; i < headEnd; i++) bytes[end++] = source[i]!;
  return end - at;
}

/** How long a record is. */
export function recordLength(bytes: Buffer, at: number): number {
  const url = bytes[at + 20]! | (bytes[at + 21]! << 8);
  const parent = bytes[at + 22]! | (bytes[at + 23]! << 8);
  return FIXED_BYTES + url + parent + 8 * bytes[at + 19]!;
}

/** Writes the reference of the record that follows; 0 when none does. */
export function writeNext(bytes: Buffer, at: number, next: number): void {
  writeWord(bytes, at, next);
  const high = Math.floor(next / 2 ** 32);
  bytes[at + 4] = high;
  bytes[at + 5] = high >>> 8;
}

/** The reference of the record that follows in the chain. */
export function readNext(bytes: Buffer, at: number): number {
  return bytes.readUIntLE(at, 6);
}

/** The URL of a record. */
export function readRecord(bytes: Buffer, at: number): QueuedUrl {
  const how = bytes[at + 18]!;
  const urlEnd = at + FIXED_BYTES + bytes.readUInt16LE(at + 20);
  const parentEnd = urlEnd + bytes.readUInt16LE(at + 22);
  const chain: string[] = [];
  for (let i = 0, from = parentEnd; i < bytes[at + 19]!; i++, from += 8) {
    chain.push(bytes.toString("hex", from, from + 8));
  }
  return {
    url: bytes.toString("latin1", at + FIXED_BYTES, urlEnd) as CrawlUrl,
    parent:
      parentEnd === urlEnd ? undefined : (bytes.toString("latin1", urlEnd, parentEnd) as CrawlUrl),
    depth: bytes.readUInt32LE(at + 14),
    via: VIAS[how & ~SEED_FLAG]!,
    seed: (how & SEED_FLAG) !== 0,
    chain,
    low: bytes.readUInt32LE(at + 6),
    high: bytes.readUInt32LE(at + 10),
  };
}
