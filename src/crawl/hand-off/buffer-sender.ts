import { Deque } from "../../runtime/deque.ts";
import { FIRST, type HandOffBuffer, LAST } from "../../sync/hand-off-buffer.ts";
import { FRAMES, frameHead } from "./frames.ts";

/** When a buffer is handed over: only at N (and when nobody brings more), or at N, after a while, or at once when idle. */
export type HandOffMode = "full" | "count-or-time";

/** How long a record may lie in a buffer that is not full, with "count-or-time": so often the builder looks by itself. */
export const HAND_OVER_AFTER_MS = 200;

/** What a crawler is about to bring: more at once, only what is in flight, or nothing. */
export type Outlook = "busy" | "waiting" | "still";

/** What a crawler brings that has nothing in flight or is being stopped, or that has places nobody needs. */
export function outlookOf(isStill: boolean, isIdle: boolean): Outlook {
  return isStill ? "still" : isIdle ? "waiting" : "busy";
}

/** The crawler's end of a hand-off buffer. It never blocks: what the buffer does not take waits here. */
export class BufferSender {
  readonly #buffer: HandOffBuffer;
  readonly #lane: number;
  readonly #mode: HandOffMode;
  readonly #stored: Int32Array;
  readonly #thread: number;
  /** Records on their way, and what is to be called when those before it have left. */
  readonly #waiting = new Deque<readonly Uint8Array[] | (() => void)>();
  readonly #afterwards = new Deque<(() => void) | undefined>();
  #current: readonly Uint8Array[] | undefined;
  #currentBytes = 0;
  /** Bytes of the current record that have left. */
  #offset = 0;
  #settled: number;
  #added: number;
  #records = 0;
  /** Something was put since this crawler last called for the builder. */
  #news = false;
  #outlook: Outlook | undefined;

  /** `stored` counts, per crawler, the records its builder has made durable; who follows a dead one goes on counting. */
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
    this.#settled = Atomics.load(stored, thread);
    this.#added = this.#settled;
  }

  /**
   * Sends a page record; answers its number, by which the journal names it until the builder knows its place.
   * `onSent` is called when nobody reads the parts any more, maybe at once; the first one not even then: it is copied
   * if it has to wait.
   */
  sendRecord(parts: readonly Uint8Array[], onSent: () => void): number {
    const record = [frameHead(FRAMES.capture, parts), ...parts];
    this.#afterwards.pushBack(undefined);
    if (this.congested) this.#waiting.pushBack(withOwnTexts(record));
    else {
      this.#current = record;
      this.#currentBytes = lengthOf(record);
      this.#move();
      if (!this.congested) {
        onSent();
        return this.#records++;
      }
      this.#current = withOwnTexts(record);
    }
    this.#waiting.pushBack(onSent);
    return this.#records++;
  }

  /** Sends a record; `onStored` runs in `settle` once the builder has made it durable. */
  send(kind: number, parts: readonly Uint8Array[], onStored?: () => void): void {
    this.#waiting.pushBack([frameHead(kind, parts), ...parts]);
    this.#afterwards.pushBack(onStored);
    if (!this.congested) this.#move();
  }

  /** Moves what waits for room, then calls the builder if it is time. A wake-up costs more than a page. */
  flush(outlook: Outlook): void {
    this.#move();
    const isOther = outlook !== this.#outlook;
    this.#outlook = outlook;
    if (this.#mode === "full") {
      // Also for what was put since it became still: the others may have been so all along.
      if (outlook === "still" && (isOther || this.#news)) this.#buffer.idle(this.#lane);
      else if (outlook !== "still" && isOther) this.#buffer.busy(this.#lane);
    } else if (outlook !== "busy" && this.#news) this.#buffer.flush();
    if (outlook !== "busy") this.#news = false;
  }

  /** True when everything that waited here for room has found some. */
  retry(): boolean {
    this.#move();
    return !this.congested;
  }

  #move(): void {
    for (;;) {
      if (this.#current === undefined) {
        const next = this.#waiting.shift();
        if (next === undefined) return;
        if (typeof next === "function") {
          next();
          continue;
        }
        this.#current = next;
        this.#currentBytes = lengthOf(next);
      }
      if (!this.#put(this.#current)) return;
    }
  }

  /** Puts the next frame of a record; false when it must wait. */
  #put(record: readonly Uint8Array[]): boolean {
    const total = this.#currentBytes;
    const end = Math.min(total, this.#offset + this.#buffer.maxFrameBytes);
    const flags = (this.#offset === 0 ? FIRST : 0) | (end === total ? LAST : 0);
    const parts = flags === (FIRST | LAST) ? record : slice(record, this.#offset, end);
    if (!this.#buffer.tryPut(this.#lane, parts, flags)) {
      // Without room nobody reaches N, and a record in several frames needs the builder to go on.
      if (!this.#buffer.hasRoom(this.#lane, end - this.#offset)) this.#buffer.flush();
      // The last look comes after that; the one that counts is in `retry`, when the bell is armed.
      this.#buffer.want(this.#lane);
      if (!this.#buffer.tryPut(this.#lane, parts, flags)) return false;
    }
    this.#news = true;
    this.#offset = end;
    if (end < total) return true;
    this.#current = undefined;
    this.#offset = 0;
    this.#added++;
    return true;
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

  /** Records put into the buffer, those of dead predecessors that were stored included. */
  get added(): number {
    return this.#added;
  }
}

/** A record that has to wait, with a copy of the part behind its head. */
function withOwnTexts(record: readonly Uint8Array[]): readonly Uint8Array[] {
  return record.map((part, i) => (i === 1 ? Buffer.from(part) : part));
}

function lengthOf(parts: readonly Uint8Array[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
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
