import { crc32 } from "node:zlib";
import { StoreCorruptError } from "../../errors.ts";
import { COUNTERS, ShardState } from "./fold.ts";
import { readWide, writeWide } from "./journal-format.ts";

/*
 *   "OWSTATE1"  seeds (2 x u32)  sequence (u64)
 *   number of admissions (u64), then per admission: low, high (u32), outcome (u8)
 *   number of runs (u64), then per run: first, count, head bytes, link bytes (u32), head, links
 *   number of outbox blocks (u64), then per block: target, epoch, number, links, bytes (u32), block
 *   twice a map: entries (u64), then shard, epoch, number (u32)      sent, received
 *   counters (256 x f64)   CRC-32 of everything before (u32)
 */

const MAGIC = Buffer.from("OWSTATE1", "latin1");
const PRINT_BYTES = 9;
const PIECE = 4096;

/** The state as bytes, piece by piece: a snapshot of any size needs memory for one piece. */
export function* serialiseState(state: ShardState): Generator<Buffer> {
  let sum = 0;
  for (const piece of pieces(state)) {
    // The checksum of no bytes begins anew, so an empty piece is left out.
    if (piece.length === 0) continue;
    sum = crc32(piece, sum);
    yield piece;
  }
  yield words(sum);
}

function* pieces(state: ShardState): Generator<Buffer> {
  yield MAGIC;
  yield words(state.seedLow, state.seedHigh);
  yield wide(state.sequence);
  const { prints } = state;
  yield wide(prints.size);
  for (let from = 0; from < prints.size; from += PIECE) {
    const count = Math.min(PIECE, prints.size - from);
    const piece = Buffer.allocUnsafe(count * PRINT_BYTES);
    for (let i = 0, at = 0; i < count; i++, at += PRINT_BYTES) {
      piece.writeUInt32LE(prints.low(from + i), at);
      piece.writeUInt32LE(prints.high(from + i), at + 4);
      piece[at + 8] = prints.outcome(from + i);
    }
    yield piece;
  }
  const waits = (number: number) => prints.outcome(number) === 0;
  let runs = 0;
  for (const _ of state.queue.runs(waits)) runs++;
  yield wide(runs);
  for (const { first, count, bytes, head, headEnd, from, to } of state.queue.runs(waits)) {
    yield words(first, count, headEnd - head, to - from);
    yield bytes.subarray(head, headEnd);
    yield bytes.subarray(from, to);
  }
  const blocks = state.unconfirmed();
  yield wide(blocks.length);
  for (const { target, epoch, number, links, bytes } of blocks) {
    yield words(target, epoch, number, links, bytes.length);
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  for (const map of [state.sent, state.received]) {
    yield wide(map.size);
    for (const [key, number] of map) yield words(...key.split(" ").map(Number), number);
  }
  const counters = Buffer.alloc(8 * COUNTERS);
  for (let i = 0; i < COUNTERS; i++) counters.writeDoubleLE(state.counters[i]!, 8 * i);
  yield counters;
}

/** The state that was serialised; `file` is named when the bytes are not what was written. */
export function deserialiseState(bytes: Buffer, file: string): ShardState {
  const end = bytes.length - 4;
  if (end < MAGIC.length || MAGIC.compare(bytes, 0, MAGIC.length) !== 0) {
    throw new StoreCorruptError(`${file}:0: not the state of a shard`);
  }
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) {
    throw new StoreCorruptError(`${file}:${end}: the checksum of the state does not hold`);
  }
  let at = MAGIC.length;
  const word = (): number => {
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  const long = (): number => {
    at += 8;
    return readWide(bytes, at - 8);
  };
  const state = new ShardState(word(), word());
  state.sequence = long();
  for (let left = long(); left > 0; left--) {
    const number = state.prints.add(word(), word());
    const outcome = bytes[at++]!;
    state.prints.setOutcome(number, outcome);
    if (outcome !== 0) state.outcomes[outcome]!++;
  }
  for (let left = long(); left > 0; left--) {
    const [first, count, headBytes, linkBytes] = [word(), word(), word(), word()];
    const [head, from] = [at, at + headBytes];
    at = from + linkBytes;
    state.queue.push({ first, count, bytes, head, headEnd: from, from, to: at });
    state.waiting += count;
  }
  for (let left = long(); left > 0; left--) {
    const [target, epoch, number, links, length] = [word(), word(), word(), word(), word()];
    const block = new Uint8Array(bytes.subarray(at, at + length));
    at += length;
    const key = `${target} ${epoch}`;
    const blocks = state.outbox.get(key) ?? [];
    blocks.push({ target, epoch, number, links, bytes: block });
    state.outbox.set(key, blocks);
  }
  for (const map of [state.sent, state.received]) {
    for (let left = long(); left > 0; left--) map.set(`${word()} ${word()}`, word());
  }
  for (let i = 0; i < COUNTERS; i++, at += 8) state.counters[i] = bytes.readDoubleLE(at);
  return state;
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * i);
  return bytes;
}

function wide(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  writeWide(bytes, value, 0);
  return bytes;
}
