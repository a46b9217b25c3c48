import type { Discovery } from "../discovery.ts";
import type { PageLocation } from "../finish.ts";
import type { Host, Lease } from "../host.ts";
import { LinkBlock } from "../link/link-block.ts";
import { MAX_RECORD_BYTES, readRecord, writeRecord } from "../queue/queue-record.ts";

/*
 * What the messages about a lent lease carry:
 *
 *   lend    per lease: length of the record 16 | shard 16 | cash | own delay | held until | flags 8 | record
 *   ended   fingerprint | end of the request | the host's own delay | held until
 *   back    as `ended`, the time being the earliest for the next try; then tries so far | whether the lease rests
 *   found   fingerprint | a block of links
 *   fact    fingerprint | what the visit found out; its kind is the number of the message
 *   done    fingerprint | offset and length of the record | distinct links of the page | name of the archive file
 *
 * Flags: 1 the host has URLs at several ports, 2 robots.txt is known to allow the URL, 4 the budget of its site is spent.
 * Numbers are doubles unless a size is given. "Held until" is when the host asked to be left alone until.
 */

/** Fingerprint of the lease, before everything else. */
const FINGERPRINT_BYTES = 8;
/** Offset, length and links, before the name of the file. */
const DONE_BYTES = FINGERPRINT_BYTES + 3 * 8;

/** Names a lease by its fingerprint. */
export function keyOf(low: number, high: number): string {
  return `${low} ${high}`;
}

/** The key of the lease that a message is about. */
export function readKey(bytes: Buffer): string {
  return keyOf(bytes.readUInt32LE(0), bytes.readUInt32LE(4));
}

function write({ low, high }: Lease, numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(FINGERPRINT_BYTES + 8 * numbers.length);
  bytes.writeUInt32LE(low, 0);
  bytes.writeUInt32LE(high, 4);
  for (const [i, value] of numbers.entries()) bytes.writeDoubleLE(value, FINGERPRINT_BYTES + 8 * i);
  return bytes;
}

function read(bytes: Buffer, number: number): number {
  return bytes.readDoubleLE(FINGERPRINT_BYTES + 8 * number);
}

/** The request of a lease has ended; its owner learns what the host asked for. */
export function writeEnded(lease: Lease, endMs: number): Buffer {
  return write(lease, [endMs, lease.host.delayMs, lease.host.heldMs]);
}

/** A lease is returned before its visit has ended. */
export function writeBack(lease: Lease, notBeforeMs: number, rests: boolean): Buffer {
  const { attempt, host } = lease;
  return write(lease, [notBeforeMs, host.delayMs, host.heldMs, attempt, rests ? 1 : 0]);
}

/** The time in an `ended` or `back` message; notes what the host asked for. */
export function readTime(bytes: Buffer, { host }: Lease): number {
  host.delayMs = Math.max(host.delayMs, read(bytes, 1));
  host.heldMs = Math.max(host.heldMs, read(bytes, 2));
  return read(bytes, 0);
}

/** Notes the tries in a `back` message; true when the lease rests and its host goes on. */
export function readBack(bytes: Buffer, lease: Lease): boolean {
  lease.attempt = read(bytes, 3);
  return read(bytes, 4) === 1;
}

/** Links in messages of bounded size. */
export function* writeFound(
  lease: Lease,
  found: readonly Discovery[],
  maxBytes: number,
): Generator<Buffer> {
  let block = new LinkBlock(maxBytes - FINGERPRINT_BYTES);
  const close = () => Buffer.concat([write(lease, []), block.bytes.subarray(0, block.used)]);
  for (const discovery of found) {
    if (block.tryAdd(discovery)) continue;
    yield close();
    block = new LinkBlock(maxBytes - FINGERPRINT_BYTES);
    block.tryAdd(discovery);
  }
  if (block.links > 0) yield close();
}

/** The block of links in a `found` message. */
export function readFound(bytes: Buffer): Buffer {
  return bytes.subarray(FINGERPRINT_BYTES);
}

/** Something that the visit found out. */
export function writeFact(lease: Lease, fact: Uint8Array): Buffer {
  return Buffer.concat([write(lease, []), fact]);
}

/** The bytes of the fact in a `fact` message; a copy. */
export function readFact(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.subarray(FINGERPRINT_BYTES));
}

/** A visit has ended, and its record is durable. */
export function writeDone(lease: Lease, place: PageLocation | undefined, links: number): Buffer {
  const { file = "", offset = 0, length = 0 } = place ?? {};
  return Buffer.concat([write(lease, [offset, length, links]), Buffer.from(file, "latin1")]);
}

/** What a `done` message says. */
export function readDone(bytes: Buffer): { record: PageLocation | undefined; links: number } {
  const file = bytes.toString("latin1", DONE_BYTES);
  const record = { file, offset: read(bytes, 0), length: read(bytes, 1) };
  return { record: file === "" ? undefined : record, links: read(bytes, 2) };
}

const LENT_HEAD_BYTES = 29;
const NO_CASH = -1;
/** Flags of a lent lease: its host has several ports; robots.txt allows it; its site has all the pages it may have. */
const SEVERAL_ORIGINS = 1;
const CLEARED = 2;
const BUDGET_SPENT = 4;
export const MAX_LENT_BYTES = LENT_HEAD_BYTES + MAX_RECORD_BYTES;

/** Writes a lease that is lent; returns its length. */
export function writeLent(into: Buffer, at: number, lease: Lease, isCleared = false): number {
  const { low, high, attempt, shard, cash = NO_CASH } = lease;
  const length = writeRecord(into, at + LENT_HEAD_BYTES, lease, low, high, attempt);
  into.writeUInt16LE(length, at);
  into.writeUInt16LE(shard, at + 2);
  into.writeDoubleLE(cash, at + 4);
  into.writeDoubleLE(lease.host.delayMs, at + 12);
  into.writeDoubleLE(lease.host.heldMs, at + 20);
  const origins = lease.host.hasSeveralOrigins ? SEVERAL_ORIGINS : 0;
  const cleared = isCleared ? CLEARED : 0;
  into.writeUInt8(origins | cleared | (lease.budget === "spent" ? BUDGET_SPENT : 0), at + 28);
  return LENT_HEAD_BYTES + length;
}

/** A lease that was lent, without its host, and what its owner knows of the host. */
export interface LentLease extends Pick<Host, "delayMs" | "heldMs" | "hasSeveralOrigins"> {
  readonly lease: Omit<Lease, "host">;
  /** Length in the message. */
  readonly bytes: number;
}

/** Reads a lease that was lent. */
export function readLent(from: Buffer, at: number): LentLease {
  const cash = from.readDoubleLE(at + 4);
  const flags = from.readUInt8(at + 28);
  return {
    lease: {
      ...readRecord(from, at + LENT_HEAD_BYTES),
      shard: from.readUInt16LE(at + 2),
      attempt: from.readUIntLE(at + LENT_HEAD_BYTES, 6),
      cash: cash === NO_CASH ? undefined : cash,
      isCleared: (flags & CLEARED) !== 0,
      budget: (flags & BUDGET_SPENT) !== 0 ? "spent" : undefined,
    },
    delayMs: from.readDoubleLE(at + 12),
    heldMs: from.readDoubleLE(at + 20),
    hasSeveralOrigins: (flags & SEVERAL_ORIGINS) !== 0,
    bytes: LENT_HEAD_BYTES + from.readUInt16LE(at),
  };
}
