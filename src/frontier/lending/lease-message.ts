import type { Discovery } from "../discovery.ts";
import type { PageLocation } from "../finish.ts";
import type { Host, Lease } from "../host.ts";
import { LinkBlock } from "../link/link-block.ts";
import { MAX_RECORD_BYTES, readRecord, writeRecord } from "../queue/queue-record.ts";

/** Fingerprint of the lease, before everything else. */
export const PRINT_BYTES = 8;
/** Offset, length, distinct links of the page. */
const PLACE_BYTES = 20;

/** Names a lease by its fingerprint. */
export function keyOf(low: number, high: number): string {
  return `${low} ${high}`;
}

/** Room for a message about a lease: its fingerprint, and `more` bytes. */
export function keyed({ low, high }: Lease, more: number): Buffer {
  const bytes = Buffer.alloc(PRINT_BYTES + more);
  bytes.writeUInt32LE(low, 0);
  bytes.writeUInt32LE(high, 4);
  return bytes;
}

/** A time, the host's own delay, and until when it asked to be left alone; what comes back adds tries and a flag. */
const TIMES_BYTES = 24;

/** The request of a lease is over, and its owner hears what the host asked for. */
export function ended(lease: Lease, endMs: number, more = 0): Buffer {
  const bytes = keyed(lease, TIMES_BYTES + more);
  bytes.writeDoubleLE(endMs, PRINT_BYTES);
  bytes.writeDoubleLE(lease.host.delayMs, PRINT_BYTES + 8);
  bytes.writeDoubleLE(lease.host.heldMs, PRINT_BYTES + 16);
  return bytes;
}

/** A lease comes back before its end. */
export function back(lease: Lease, notBeforeMs: number, rests: boolean): Buffer {
  const bytes = ended(lease, notBeforeMs, 2);
  bytes[PRINT_BYTES + TIMES_BYTES] = lease.attempt;
  bytes[PRINT_BYTES + TIMES_BYTES + 1] = rests ? 1 : 0;
  return bytes;
}

/** The time in a message; its host's word becomes known to the owner. */
export function readTime(bytes: Buffer, { host }: Lease): number {
  host.delayMs = Math.max(host.delayMs, bytes.readDoubleLE(PRINT_BYTES + 8));
  host.heldMs = Math.max(host.heldMs, bytes.readDoubleLE(PRINT_BYTES + 16));
  return bytes.readDoubleLE(PRINT_BYTES);
}

/** Takes the tries out of a message; true when the lease rests and its host goes on. */
export function readBack(bytes: Buffer, lease: Lease): boolean {
  lease.attempt = bytes[PRINT_BYTES + TIMES_BYTES]!;
  return bytes[PRINT_BYTES + TIMES_BYTES + 1] === 1;
}

/** Where a message says that the record is. */
export function placeIn(bytes: Buffer): PageLocation | undefined {
  const file = bytes.toString("latin1", PRINT_BYTES + PLACE_BYTES);
  const offset = bytes.readDoubleLE(PRINT_BYTES);
  return file === "" ? undefined : { file, offset, length: bytes.readDoubleLE(PRINT_BYTES + 8) };
}

/** Links in messages of bounded size, each with the lease they belong to. */
export function* packed(
  lease: Lease,
  found: readonly Discovery[],
  maxBytes: number,
): Generator<Buffer> {
  let block = new LinkBlock(maxBytes - PRINT_BYTES);
  const close = () => Buffer.concat([keyed(lease, 0), block.bytes.subarray(0, block.used)]);
  for (const discovery of found) {
    if (block.tryAdd(discovery)) continue;
    yield close();
    block = new LinkBlock(maxBytes - PRINT_BYTES);
    block.tryAdd(discovery);
  }
  if (block.links > 0) yield close();
}

/** A visit is over, and its record is durable. */
export function done(lease: Lease, place: PageLocation | undefined, links: number): Buffer {
  const name = Buffer.from(place?.file ?? "", "latin1");
  const bytes = Buffer.concat([keyed(lease, PLACE_BYTES), name]);
  bytes.writeDoubleLE(place?.offset ?? 0, PRINT_BYTES);
  bytes.writeDoubleLE(place?.length ?? 0, PRINT_BYTES + 8);
  bytes.writeUInt32LE(links, PRINT_BYTES + 16);
  return bytes;
}

/** Length of the record, shard, cash, the host's own delay, until when it asked to be left alone, whether it has several ports; then the record. */
const LENT_HEAD_BYTES = 29;
const NO_CASH = -1;
export const MAX_LENT_BYTES = LENT_HEAD_BYTES + MAX_RECORD_BYTES;

/** Writes a lease that is lent; answers its length. */
export function writeLent(into: Buffer, at: number, lease: Lease): number {
  const { low, high, attempt, shard, cash = NO_CASH } = lease;
  const length = writeRecord(into, at + LENT_HEAD_BYTES, lease, low, high, attempt);
  into.writeUInt16LE(length, at);
  into.writeUInt16LE(shard, at + 2);
  into.writeDoubleLE(cash, at + 4);
  into.writeDoubleLE(lease.host.delayMs, at + 12);
  into.writeDoubleLE(lease.host.heldMs, at + 20);
  into.writeUInt8(lease.host.hasSeveralOrigins ? 1 : 0, at + 28);
  return LENT_HEAD_BYTES + length;
}

/** Reads a lease that was lent; its host is for the borrower to find, and to be told what it asked for. */
export function readLent(
  from: Buffer,
  at: number,
): Pick<Host, "delayMs" | "heldMs" | "hasSeveralOrigins"> & {
  lease: Omit<Lease, "host">;
  bytes: number;
} {
  const cash = from.readDoubleLE(at + 4);
  const lease = {
    ...readRecord(from, at + LENT_HEAD_BYTES),
    shard: from.readUInt16LE(at + 2),
    attempt: from.readUIntLE(at + LENT_HEAD_BYTES, 6),
    cash: cash === NO_CASH ? undefined : cash,
  };
  return {
    lease,
    delayMs: from.readDoubleLE(at + 12),
    heldMs: from.readDoubleLE(at + 20),
    hasSeveralOrigins: from.readUInt8(at + 28) === 1,
    bytes: LENT_HEAD_BYTES + from.readUInt16LE(at),
  };
}
