import type { Discovery, Lease } from "./frontier.ts";
import type { PageLocation } from "./journal/event-batch.ts";
import { LinkBlock } from "./link-block.ts";

/** Fingerprint of the lease, before everything else. */
export const PRINT_BYTES = 8;
/** Offset, length, distinct links of the page. */
export const PLACE_BYTES = 20;

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
