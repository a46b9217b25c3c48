import { word, writeWord } from "../../frontier/link/words.ts";

/*
 * What a crawler hands to its builder, record after record:
 *
 *   kind u8 | parts u8 | 0 u16 | (part length u32){parts} | part bytes …
 *
 * So the first part begins at a multiple of 4, like the record.
 */

/** Kinds of records. */
export const FRAMES = {
  /** A response to archive, as `capture-frame.ts` packs it. */
  capture: 1,
  /** A URL that ends without a record in the archive: its line of the log (JSON). */
  outcome: 2,
  /** Links that were not followed: lines of the report (JSON, one per line). */
  skipped: 3,
  /** Events of a shard, to be journalled when all captures before are synced: shard (16 bits), events. */
  journal: 4,
  /** The shard whose journal is about to be written: where it ended when it was read (JSON). */
  openJournal: 5,
  /** Empty: only its place in the order counts, and it is answered like the others. */
  mark: 6,
  /** Asks for the place of the record of this number (32 bits); answered when it is durable. */
  askPlace: 7,
  /** A capture that is a page: those are counted on their way. */
  page: 8,
  /** A robots.txt that is obeyed, as `robots-frame.ts` packs it. */
  robots: 9,
} as const;

const PREFIX_BYTES = 4;

/** The first word of a record of two parts, without its kind; the lengths of both follow. */
export const PAIR = 2 << 8;
export const PAIR_HEAD_WORDS = 3;

/** The bytes that stand before the parts of a record. */
export function frameHead(kind: number, parts: readonly Uint8Array[]): Buffer {
  const head = Buffer.allocUnsafe(PREFIX_BYTES + 4 * parts.length);
  head[0] = kind;
  head[1] = parts.length;
  head[2] = head[3] = 0;
  for (let i = 0; i < parts.length; i++) writeWord(head, PREFIX_BYTES + 4 * i, parts[i]!.length);
  return head;
}

/** Bytes of the whole record that begins with these. */
export function frameBytes(head: Buffer): number {
  const count = head[1]!;
  let bytes = PREFIX_BYTES + 4 * count;
  for (let i = 0; i < count; i++) bytes += word(head, PREFIX_BYTES + 4 * i);
  return bytes;
}

/** A record as its reader sees it; the parts are views, not copies. */
export interface Frame {
  readonly kind: number;
  readonly parts: readonly Buffer[];
}

/** Splits a record. */
export function readFrame(bytes: Buffer): Frame {
  const count = bytes[1]!;
  const parts: Buffer[] = [];
  let at = PREFIX_BYTES + 4 * count;
  for (let i = 0; i < count; i++) {
    const length = word(bytes, PREFIX_BYTES + 4 * i);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return { kind: bytes[0]!, parts };
}
