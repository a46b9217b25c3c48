import type { OutboxBlock } from "../link/link-block.ts";

/*
 * A message between shards, as it lies in a slot of an inbox:
 *
 *   kind 8 | to 16 | from 16 | epoch 32 | number 32 | links 32 | bytes of the block
 *
 * `links` is a block; `confirm`: all blocks up to this number are durable with their receiver; `gap`: the blocks behind
 * this number are missing. The others are about leases that another thread works on (`lending/`).
 */

const HEAD_BYTES = 17;
const KINDS = [
  "links",
  "confirm",
  "gap",
  "ask",
  "lend",
  "ended",
  "back",
  "found",
  "done",
  "askFirst",
  "fact",
] as const;

/** Messages about leases that another thread works on. */
export type LendingKind =
  | "ask"
  | "askFirst"
  | "lend"
  | "ended"
  | "back"
  | "found"
  | "fact"
  | "done";

/** One message between shards. */
export interface ShardMessage {
  readonly kind: (typeof KINDS)[number];
  readonly to: number;
  readonly from: number;
  readonly epoch: number;
  readonly number: number;
  readonly links: number;
  readonly bytes: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** Room for a block in a slot of this size. */
export function maxBlockBytes(slotBytes: number): number {
  return slotBytes - HEAD_BYTES;
}

/** True for messages that the owner of a lent lease waits for; those that ask, and `lend`, may be lost. */
export function isAwaited({ kind }: ShardMessage): boolean {
  return (
    kind === "ended" || kind === "back" || kind === "found" || kind === "done" || kind === "fact"
  );
}

/** A block of links. */
export function blockMessage(from: number, block: OutboxBlock): ShardMessage {
  const { target: to, epoch, number, links, bytes } = block;
  return { kind: "links", to, from, epoch, number, links, bytes };
}

/** An answer to the producer of blocks. */
export function answerMessage(
  kind: "confirm" | "gap",
  from: number,
  to: number,
  epoch: number,
  number: number,
): ShardMessage {
  return { kind, to, from, epoch, number, links: 0, bytes: NOTHING };
}

/** A message about leases. */
export function shardMessage(
  kind: LendingKind,
  from: number,
  to: number,
  epoch: number,
  number: number,
  bytes: Uint8Array = NOTHING,
): ShardMessage {
  return { kind, to, from, epoch, number, links: 0, bytes };
}

/** Writes a message; returns its length. */
export function writeShardMessage(into: Buffer, message: ShardMessage): number {
  into[0] = KINDS.indexOf(message.kind);
  into.writeUInt16LE(message.to, 1);
  into.writeUInt16LE(message.from, 3);
  into.writeUInt32LE(message.epoch, 5);
  into.writeUInt32LE(message.number, 9);
  into.writeUInt32LE(message.links, 13);
  into.set(message.bytes, HEAD_BYTES);
  return HEAD_BYTES + message.bytes.length;
}

/** Reads a message; its bytes are a view. */
export function readShardMessage(from: Buffer, length: number): ShardMessage {
  return {
    kind: KINDS[from[0]!]!,
    to: from.readUInt16LE(1),
    from: from.readUInt16LE(3),
    epoch: from.readUInt32LE(5),
    number: from.readUInt32LE(9),
    links: from.readUInt32LE(13),
    bytes: from.subarray(HEAD_BYTES, length),
  };
}
