import { CapacityError } from "../errors.ts";
import type { Doorbell } from "./doorbell.ts";

/*
 * Two crawlers hand frames of bytes to one builder (seed 001's buffer, without its defects).
 *
 *   PERMITS  ┌ open 1 ┬ open 0 ┬ builder's: 10 ┬ crawler 1's: 10 ┬ crawler 0's: 10 ┐   one word, N permits in all
 *
 *   free ─tryPut: claim─► open (its owner is writing) ─publish─► crawler's ─take─► builder's ─giveBack─► free
 *
 * Every permit in use names its owner by the field it is in, and each arrow is one atomic step: a thread that dies
 * between two of them leaves nothing but an open permit, which `reclaim` takes back together with its bytes.
 * "Full" means that exactly N published frames wait.
 *
 * The bytes lie in one lane per crawler. A lane has one writer and one reader, who never meet: what is published
 * belongs to the builder, everything else to the crawler. A frame never wraps around the end of its lane, so the
 * builder reads it where it lies and page bytes are copied once:
 *
 *   END ──► next frame         FREED ──► first byte the builder still needs      both count bytes, modulo 2^32
 *   frame = header word (flags | length), payload, up to a multiple of 4
 */

const PERMITS = 0;
const DUE = 1;
const IDLE = 2;
const WANTS = 3;
const LANES = 4;
/** Per lane: where the open frame began, the end of all frames, what the builder has freed and read. */
const BEGIN = 0;
const END = 1;
const FREED = 2;
const READ = 3;
const LANE_WORDS = 4;
const HEAD_WORDS = LANES + 2 * LANE_WORDS;

const FIELD_BITS = 10;
const FIELD = (1 << FIELD_BITS) - 1;
const BUILDERS = 2 * FIELD_BITS;
const OPEN = 3 * FIELD_BITS;
const HEADER_BYTES = 4;
const SKIP = 1 << 30;
const LENGTH = (1 << 26) - 1;

/** Most frames a buffer can be asked to hold. */
export const MAX_BUFFER_SIZE = FIELD;
/** Crawlers that share a buffer. */
export const CRAWLERS_PER_BUFFER = 2;
/** Flags of a frame: it begins a record, it ends one; large records travel in several frames. */
export const FIRST = 1 << 26;
export const LAST = 1 << 27;
/** Why the builder is called, as bits: N frames wait, or no crawler has more for now. */
export const FULL = 1;
export const FLUSH = 2;

/** Bytes of shared memory for a buffer with lanes of that size. */
export function bufferBytes(laneBytes: number): number {
  if (laneBytes < 16 || (laneBytes & (laneBytes - 1)) !== 0) {
    throw new CapacityError(`a lane needs a power of two of bytes, 16 or more, not ${laneBytes}`);
  }
  return HEAD_WORDS * 4 + CRAWLERS_PER_BUFFER * laneBytes;
}

/** The buffer as any of its threads sees it; `tryPut` and the like are for crawlers, `take` and the like for the builder. */
export class HandOffBuffer {
  /** Larger frames could wait for ever for a place without a wrap. */
  readonly maxFrameBytes: number;
  readonly #size: number;
  readonly #crawlers: number;
  readonly #laneBytes: number;
  readonly #words: Int32Array;
  readonly #headers: Int32Array;
  readonly #bytes: Buffer;
  readonly #bell: Doorbell;

  /** `size` is N, `crawlers` how many of the two lanes are in use, `bell` the builder's. */
  constructor(memory: SharedArrayBuffer, size: number, crawlers: number, bell: Doorbell) {
    if (!Number.isInteger(size) || size < 1 || size > MAX_BUFFER_SIZE) {
      throw new CapacityError(`a buffer holds 1 to ${MAX_BUFFER_SIZE} frames, not ${size}`);
    }
    this.#size = size;
    this.#crawlers = crawlers;
    this.#laneBytes = (memory.byteLength - HEAD_WORDS * 4) / CRAWLERS_PER_BUFFER;
    this.maxFrameBytes = Math.min(this.#laneBytes >> 1, LENGTH) - HEADER_BYTES;
    this.#words = new Int32Array(memory, 0, HEAD_WORDS);
    this.#headers = new Int32Array(memory, HEAD_WORDS * 4);
    this.#bytes = Buffer.from(memory, HEAD_WORDS * 4);
    this.#bell = bell;
  }

  /**
   * Copies the parts into the lane as one frame. False when all permits are in use or the lane has no room: then
   * nothing has changed and the caller keeps its record. Calls the builder when the buffer became full.
   */
  tryPut(lane: number, parts: readonly Uint8Array[], flags: number): boolean {
    let length = 0;
    for (const part of parts) length += part.length;
    if (!this.hasRoom(lane, length)) return false;
    const words = LANES + lane * LANE_WORDS;
    const begin = Atomics.load(this.#words, words + END);
    const at = begin & (this.#laneBytes - 1);
    let bytes = (HEADER_BYTES + length + 3) & ~3;
    const wraps = at + bytes > this.#laneBytes;
    if (wraps) bytes += this.#laneBytes - at;
    // Before the permit: whoever finds it open must know where its bytes begin.
    Atomics.store(this.#words, words + BEGIN, begin);
    for (;;) {
      const seen = Atomics.load(this.#words, PERMITS);
      if (usedIn(seen) === this.#size) return false;
      const open = seen | (1 << (OPEN + lane));
      if (Atomics.compareExchange(this.#words, PERMITS, seen, open) === seen) break;
    }
    const start = lane * this.#laneBytes;
    if (wraps) this.#headers[(start + at) >> 2] = SKIP;
    let to = wraps ? start : start + at;
    this.#headers[to >> 2] = flags | length;
    to += HEADER_BYTES;
    for (const part of parts) {
      // As `copyShared` does, and for its reason; the explorer follows no call out of here.
      if (part.length > 0) this.#bytes.fill(part, to, to + part.length);
      to += part.length;
    }
    Atomics.store(this.#words, words + END, (begin + bytes) | 0);
    // The open permit becomes a published one. Whoever completes N calls.
    const change = (1 << (FIELD_BITS * lane)) - (1 << (OPEN + lane));
    const now = Atomics.add(this.#words, PERMITS, change | 0) + change;
    if (totalOf(now) === this.#size) this.#call(FULL);
    return true;
  }

  /** False when a frame of that length must wait until the builder has freed some bytes: then `flush`. */
  hasRoom(lane: number, length: number): boolean {
    const words = LANES + lane * LANE_WORDS;
    const end = Atomics.load(this.#words, words + END);
    const used = (end - Atomics.load(this.#words, words + FREED)) >>> 0;
    const at = end & (this.#laneBytes - 1);
    const bytes = (HEADER_BYTES + length + 3) & ~3;
    // What does not fit in there takes the rest of the lane, too.
    const wasted = at + bytes > this.#laneBytes ? this.#laneBytes - at : 0;
    return used + wasted + bytes <= this.#laneBytes;
  }

  /**
   * This crawler waits for room or a permit and is to be rung when there is some. Arm the bell, call this, then try once
   * more: the builder gives back first and looks at WANTS then, so one of the two sees the other. Called before the bell
   * is armed, it may be answered by a ring that is lost, while the other crawler takes the room.
   */
  want(lane: number): void {
    Atomics.or(this.#words, WANTS, 1 << lane);
  }

  /** Hands over what waits, below N: the time is up, the crawler has nothing ready, or its lane has no room. */
  flush(): void {
    this.#call(FLUSH);
  }

  /** This crawler has nothing more for now; the last one to say so hands over what waits. */
  idle(lane: number): void {
    const all = (1 << this.#crawlers) - 1;
    const before = Atomics.or(this.#words, IDLE, 1 << lane);
    if ((before | (1 << lane)) === all) this.#call(FLUSH);
  }

  /** This crawler may have something again. */
  busy(lane: number): void {
    Atomics.and(this.#words, IDLE, ~(1 << lane));
  }

  /** Permits in use, whoever has them: never more than N. */
  used(): number {
    return usedIn(Atomics.load(this.#words, PERMITS));
  }

  /** Reads and clears why the builder is called, as bits; 0 when it is not. */
  takeCall(): number {
    return Atomics.load(this.#words, DUE) === 0 ? 0 : Atomics.exchange(this.#words, DUE, 0);
  }

  /** True when a crawler has called: to be asked before the builder sleeps. */
  isCalled(): boolean {
    return Atomics.load(this.#words, DUE) !== 0;
  }

  /** Takes everything that is published at once; `framesOf` counts the frames of each lane in what is returned. */
  take(): number {
    for (;;) {
      const seen = Atomics.load(this.#words, PERMITS);
      const batch = seen & ((1 << BUILDERS) - 1);
      if (batch === 0) return 0;
      const moved = seen - batch + (totalOf(batch) << BUILDERS);
      if (Atomics.compareExchange(this.#words, PERMITS, seen, moved | 0) === seen) return batch;
    }
  }

  /** Goes to the next taken frame of a lane and returns its flags. */
  next(lane: number): number {
    const words = LANES + lane * LANE_WORDS;
    const read = Atomics.load(this.#words, words + READ);
    const at = read & (this.#laneBytes - 1);
    const header = this.#headers[(lane * this.#laneBytes + at) >> 2]!;
    if (header !== SKIP) return header & ~LENGTH;
    Atomics.store(this.#words, words + READ, (read + this.#laneBytes - at) | 0);
    return this.#headers[(lane * this.#laneBytes) >> 2]! & ~LENGTH;
  }

  /** The payload of the frame that `next` went to, where it lies: valid until `giveBack`. */
  read(lane: number): Buffer {
    const words = LANES + lane * LANE_WORDS;
    const read = Atomics.load(this.#words, words + READ);
    const at = lane * this.#laneBytes + (read & (this.#laneBytes - 1));
    const length = this.#headers[at >> 2]! & LENGTH;
    Atomics.store(this.#words, words + READ, (read + ((HEADER_BYTES + length + 3) & ~3)) | 0);
    return this.#bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
  }

  /**
   * Frees the room and the permits of so many frames: all that were read, once they are stored or copied. Returns which
   * crawlers wait for that, as bits: ring those.
   */
  giveBack(frames: number): number {
    for (let lane = 0; lane < CRAWLERS_PER_BUFFER; lane++) {
      const words = LANES + lane * LANE_WORDS;
      Atomics.store(this.#words, words + FREED, Atomics.load(this.#words, words + READ));
    }
    Atomics.sub(this.#words, PERMITS, frames << BUILDERS);
    return Atomics.load(this.#words, WANTS) === 0 ? 0 : Atomics.exchange(this.#words, WANTS, 0);
  }

  /**
   * After a crawler has died: discards the frame it was writing and hands over what it had published. True when there
   * was such a frame. Ring the other crawler afterwards, which may wait for the permit.
   */
  reclaim(lane: number): boolean {
    const words = LANES + lane * LANE_WORDS;
    const open = (Atomics.load(this.#words, PERMITS) & (1 << (OPEN + lane))) !== 0;
    if (open) {
      Atomics.store(this.#words, words + END, Atomics.load(this.#words, words + BEGIN));
      Atomics.and(this.#words, PERMITS, ~(1 << (OPEN + lane)));
    }
    Atomics.or(this.#words, IDLE, 1 << lane);
    // Always, and by force: it may have filled the buffer and died before it called, or while it rang.
    Atomics.or(this.#words, DUE, FLUSH);
    this.#bell.wake();
    return open;
  }

  #call(why: number): void {
    Atomics.or(this.#words, DUE, why);
    this.#bell.ring();
  }
}

/** Frames of a batch, both lanes together. */
export function totalOf(permits: number): number {
  return (permits & FIELD) + ((permits >>> FIELD_BITS) & FIELD);
}

/** Frames of one lane in a batch. */
export function framesOf(batch: number, lane: number): number {
  return (batch >>> (FIELD_BITS * lane)) & FIELD;
}

function usedIn(permits: number): number {
  const open = ((permits >>> OPEN) & 1) + (permits >>> (OPEN + 1));
  return totalOf(permits) + ((permits >>> BUILDERS) & FIELD) + open;
}
