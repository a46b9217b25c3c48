import { Deque } from "../frontier/deque.ts";
import { FIRST, type HandOffBuffer, LAST } from "../sync/hand-off-buffer.ts";
import { frameHead } from "./frames.ts";

/** When a buffer is handed over: only at N (and when nobody brings more), or at N, after a while, or at once when idle. */
export type HandOffMode = "full" | "count-or-time";

/** How long a record may lie in a buffer that is not full, with "count-or-time". */
export const HAND_OVER_AFTER_MS = 200;

/** The crawler's end of a hand-off buffer. It never blocks: what the buffer does not take waits here. */
export class BufferSender {
  readonly #buffer: HandOffBuffer;
  readonly #lane: number;
  readonly #mode: HandOffMode;
  readonly #stored: Int32Array;
  readonly #thread: number;
  readonly #waiting = new Deque<readonly Uint8Array[]>();
  readonly #afterwards = new Deque<(() => void) | undefined>();
  #current: readonly Uint8Array[] | undefined;
  /** Bytes of the current record that have left. */
  #offset = 0;
  #settled = 0;
  /** Something was put since the last hand-over that this crawler asked for. */
  #news = false;
  #timer: NodeJS.Timeout | undefined;

  /** `stored` counts, per crawler, the records its builder has written. */
  constructor(
    buffer: HandOffBuffer,
    lane: number,
    mode: HandOffMode,
    stored: Int32Array,
    thread: number,
  ) {
    this.#buffer = buffer;
    this.#lane = lane;
    this.#mode = mode;
    this.#stored = stored;
    this.#thread = thread;
  }

  /** Sends a record; `onStored` runs in `settle` once the builder has written it. */
  send(kind: number, parts: readonly Uint8Array[], onStored?: () => void): void {
    this.#waiting.pushBack([frameHead(kind, parts), ...parts]);
    this.#afterwards.pushBack(onStored);
    this.#move();
  }

  /** Moves what waits; `nothingReady` says that this crawler has nothing in flight and brings no more for now. */
  flush(nothingReady: boolean): void {
    this.#move();
    if (this.#mode === "full") {
      if (nothingReady) this.#buffer.idle(this.#lane);
      else this.#buffer.busy(this.#lane);
    } else if (nothingReady && this.#news) this.#handOver();
  }

  #move(): void {
    for (;;) {
      this.#current ??= this.#waiting.shift();
      if (this.#current === undefined) return;
      const total = lengthOf(this.#current);
      const end = Math.min(total, this.#offset + this.#buffer.maxFrameBytes);
      const flags = (this.#offset === 0 ? FIRST : 0) | (end === total ? LAST : 0);
      const whole = flags === (FIRST | LAST);
      const parts = whole ? this.#current : slice(this.#current, this.#offset, end);
      if (!this.#buffer.tryPut(this.#lane, parts, flags)) {
        // Without room nobody reaches N, and a record in several frames needs the builder to go on.
        if (!this.#buffer.hasRoom(this.#lane, end - this.#offset)) this.#buffer.flush();
        return;
      }
      this.#offset = end;
      this.#announce();
      if (end < total) continue;
      this.#current = undefined;
      this.#offset = 0;
    }
  }

  #announce(): void {
    if (this.#news || this.#mode === "full") return;
    this.#news = true;
    this.#timer = setTimeout(() => this.#handOver(), HAND_OVER_AFTER_MS);
  }

  #handOver(): void {
    clearTimeout(this.#timer);
    this.#news = false;
    this.#buffer.flush();
  }

  /** Runs what was to follow the records stored since the last call; returns how many those were. */
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

  /** True while records wait here because the buffer is full: take no more pages. */
  get congested(): boolean {
    return this.#current !== undefined;
  }

  /** Records sent and not yet stored. */
  get outstanding(): number {
    return this.#afterwards.size;
  }

  /** Hands over what is left and forgets the clock. */
  close(): void {
    this.#handOver();
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Views on the bytes from `from` to `to` of a record; nothing is copied. */
function slice(parts: readonly Uint8Array[], from: number, to: number): Uint8Array[] {
  const views: Uint8Array[] = [];
  let at = 0;
  for (const part of parts) {
    const [begin, end] = [Math.max(from, at), Math.min(to, at + part.length)];
    if (begin < end) views.push(part.subarray(begin - at, end - at));
    at += part.length;
  }
  return views;
}
