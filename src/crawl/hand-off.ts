import { Deque } from "../frontier/deque.ts";
import type { BytePipe } from "../sync/byte-pipe.ts";
import type { Doorbell } from "../sync/doorbell.ts";
import { FRAMES, type Frame, frameHead, readFrame } from "./frames.ts";

/** Bytes that are worth waking a builder for. */
const WAKE_BYTES = 128 * 1024;

/** The crawler's end of the way to its builder. It never blocks: what does not fit the pipe waits here. */
export class HandOff {
  readonly #pipe: BytePipe;
  readonly #bell: Doorbell;
  readonly #stored: Int32Array;
  readonly #thread: number;
  /** Bytes on their way, and what is to be called when those before it have left. */
  readonly #waiting = new Deque<Uint8Array | (() => void)>();
  readonly #afterwards = new Deque<(() => void) | undefined>();
  #current: Uint8Array | undefined;
  #offset = 0;
  #settled: number;
  /** Bytes written since the builder was woken. */
  #unheard = 0;
  #records = 0;

  /** `stored` counts, per crawler, the frames its builder has made durable; a thread that follows a dead one goes on counting. */
  constructor(pipe: BytePipe, bell: Doorbell, stored: Int32Array, thread: number) {
    this.#pipe = pipe;
    this.#bell = bell;
    this.#stored = stored;
    this.#thread = thread;
    this.#settled = Atomics.load(stored, thread);
  }

  /**
   * Sends a page record; answers its number, by which the journal names it until the builder knows its place.
   * `onSent` is called when nobody reads the parts any more, maybe at once.
   */
  sendRecord(parts: readonly Uint8Array[], onSent: () => void): number {
    this.send(FRAMES.capture, parts);
    this.#waiting.pushBack(onSent);
    this.#move();
    return this.#records++;
  }

  /** Sends a frame; `onStored` runs in `settle` once the builder has made it durable. */
  send(kind: number, parts: readonly Uint8Array[], onStored?: () => void): void {
    this.#waiting.pushBack(frameHead(kind, parts));
    for (const part of parts) if (part.length > 0) this.#waiting.pushBack(part);
    this.#afterwards.pushBack(onStored);
    this.#move();
  }

  /**
   * Moves waiting bytes into the pipe. The builder is woken when there is a good deal for it, or when the caller says
   * that nothing else is to come soon; otherwise it looks by itself after a while. A wake-up costs more than a page.
   */
  flush(now: boolean): void {
    this.#move();
    if (this.#unheard === 0 || !(now || this.#unheard >= WAKE_BYTES || this.congested)) return;
    this.#unheard = 0;
    this.#bell.ring();
  }

  #move(): void {
    for (;;) {
      if (this.#current === undefined) {
        const next = this.#waiting.shift();
        if (typeof next === "function") {
          next();
          continue;
        }
        this.#current = next;
      }
      if (this.#current === undefined) break;
      const count = this.#pipe.write(this.#current, this.#offset);
      if (count === 0) break;
      this.#unheard += count;
      this.#offset += count;
      if (this.#offset === this.#current.length) {
        this.#current = undefined;
        this.#offset = 0;
      }
    }
  }

  /** Runs what was to follow the frames stored since the last call; returns how many those were. */
  settle(): number {
    const stored = Atomics.load(this.#stored, this.#thread);
    const count = (stored - this.#settled) | 0;
    this.#settled = stored;
    for (let i = 0; i < count; i++) this.#afterwards.shift()?.();
    return count;
  }

  /** True when the builder has stored something that `settle` has not seen. */
  hasAnswers(): boolean {
    return Atomics.load(this.#stored, this.#thread) !== this.#settled;
  }

  /** True while bytes wait here because the pipe is full: take no more pages. */
  get congested(): boolean {
    return this.#current !== undefined;
  }

  /** Frames sent and not yet stored. */
  get outstanding(): number {
    return this.#afterwards.size;
  }
}

/** Allocating this much anew for every large page costs more, in the end, than keeping it. */
const KEPT_BYTES = 16 * 1024 * 1024;
const ROUND_BYTES = 64 * 1024;
const SMALL_BYTES = 1024 * 1024;
/** Memory for large frames that no pipe of this builder is filling now. */
const spare: Buffer[] = [];

/** The builder's end of one crawler's pipe: puts frames together again, whatever way they were cut. */
export class FrameReader {
  readonly #pipe: BytePipe;
  readonly #prefix = Buffer.alloc(4);
  #small = Buffer.alloc(64 * 1024);
  #bytes = this.#small;
  #wanted = -1;
  #have = 0;
  #taken = 0;

  constructor(pipe: BytePipe) {
    this.#pipe = pipe;
  }

  /** The next whole frame, valid until the next call; undefined when it has not all arrived. */
  next(): Frame | undefined {
    if (this.#wanted < 0) {
      this.#read(this.#prefix, 4);
      if (this.#have < 4) return undefined;
      this.#wanted = this.#prefix.readUInt32LE(0);
      this.#have = 0;
      this.#fit(this.#wanted);
    }
    this.#read(this.#bytes, this.#wanted);
    if (this.#have < this.#wanted) return undefined;
    const frame = readFrame(this.#bytes.subarray(0, this.#wanted));
    this.#wanted = -1;
    this.#have = 0;
    return frame;
  }

  /** Bytes taken out of the pipe since the last call: as much more room for the writer. */
  roomMade(): number {
    const room = this.#taken;
    this.#taken = 0;
    return room;
  }

  #read(into: Buffer, wanted: number): void {
    const count = this.#pipe.read(into, this.#have, wanted - this.#have);
    this.#have += count;
    this.#taken += count;
  }

  /** True when nothing waits in the pipe. */
  get empty(): boolean {
    return this.#pipe.readable() === 0;
  }

  /** Small frames have memory of their own, used again and again; large ones borrow theirs, huge ones give it back. */
  #fit(bytes: number): void {
    if (this.#bytes !== this.#small && this.#bytes.length === KEPT_BYTES) spare.push(this.#bytes);
    if (bytes > SMALL_BYTES) {
      // Of memory that is not touched nothing is used.
      const kept = bytes > KEPT_BYTES ? undefined : spare.pop();
      this.#bytes = kept ?? Buffer.allocUnsafeSlow(Math.max(bytes, KEPT_BYTES));
      return;
    }
    if (bytes > this.#small.length) {
      this.#small = Buffer.allocUnsafeSlow(Math.ceil(bytes / ROUND_BYTES) * ROUND_BYTES);
    }
    this.#bytes = this.#small;
  }
}
