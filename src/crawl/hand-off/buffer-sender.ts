import { Deque } from "../../runtime/deque.ts";
import type { Capture } from "../../store/capture.ts";
import { FIRST, type HandOffBuffer, LAST } from "../../sync/hand-off-buffer.ts";
import { FRAMES, type Frame, frameHead } from "./frames.ts";

/** When a buffer is handed over: at N frames (and when no more come), or also after a while and when a crawler idles. */
export type HandOffMode = "full" | "count-or-time";

/** How long a record may lie in a buffer that is not full, with "count-or-time": the builder looks this often. */
export const HAND_OVER_AFTER_MS = 200;

/** What a crawler is about to send: more at once, only what is in flight, or nothing. */
export type Outlook = "busy" | "waiting" | "still";

/** The outlook of a crawler that has nothing in flight or is being stopped, or that has room for more visits. */
export function outlookOf(isStill: boolean, isIdle: boolean): Outlook {
  return isStill ? "still" : isIdle ? "waiting" : "busy";
}

/** A builder in the thread of its crawler, to which records may go past the buffer. */
export interface NearBuilder {
  /** Whether the next record may, when so many went through the buffer: then none of them waits there. */
  isOpenFor(put: number): boolean;
  store(record: Frame | Capture, isPage?: boolean): void;
}

/** What a record is made of, as long as it is read. */
export interface Held {
  release(): void;
}

/** The crawler's end of a hand-off buffer. It never blocks: what the buffer does not take waits here. */
export class BufferSender {
  readonly #buffer: HandOffBuffer;
  readonly #lane: number;
  readonly #mode: HandOffMode;
  readonly #stored: Int32Array;
  readonly #thread: number;
  /** Records that wait for room, and what to call when those before it are in the buffer. */
  readonly #waiting = new Deque<readonly Uint8Array[] | (() => void)>();
  readonly #afterwards = new Deque<(() => void) | undefined>();
  #current: readonly Uint8Array[] | undefined;
  /** Bytes of the current record that have left. */
  #offset = 0;
  #settled: number;
  #pages: number;
  #records = 0;
  /** Records put whole into the buffer. */
  #put = 0;
  #near: NearBuilder | undefined;
  /** Something was put since this crawler last called the builder. */
  #hasNew = false;
  #outlook: Outlook | undefined;

  /**
   * `stored` counts the durable records of each crawler, `pages` those pages that went through the buffer; the successor
   * of a dead crawler goes on counting.
   */
  constructor(
    buffer: HandOffBuffer,
    lane: number,
    mode: HandOffMode,
    stored: Int32Array,
    thread: number,
    pages = 0,
  ) {
    this.#buffer = buffer;
    this.#lane = lane;
    this.#mode = mode;
    this.#stored = stored;
    this.#thread = thread;
    this.#settled = Atomics.load(stored, thread);
    this.#pages = pages;
  }

  /** This builder takes records past the buffer. */
  goPast(near: NearBuilder | undefined): void {
    this.#near = near;
  }

  /** True when a record may be given to `storeNow`. */
  get isNear(): boolean {
    const near = this.#near;
    return near !== undefined && this.#current === undefined && near.isOpenFor(this.#put);
  }

  /** Stores the record of an answer past the buffer; answers its number. */
  storeNow(capture: Capture, isPage: boolean): number {
    this.#near!.store(capture, isPage);
    this.#afterwards.pushBack(undefined);
    if (isPage) this.#pages++;
    return this.#records++;
  }

  /**
   * Sends the record of an answer, with its head; answers its number, by which the journal names it until the builder knows
   * its place. What it holds is released when it is not read any more, maybe at once. Its first piece may be reused at once:
   * it is copied if it has to wait.
   */
  sendRecord(record: readonly Uint8Array[], held: Held): number {
    this.#afterwards.pushBack(undefined);
    if (this.#current === undefined) {
      this.#current = record;
      if (this.#putCurrent()) {
        held.release();
        return this.#records++;
      }
      this.#current = withOwnTexts(record);
    } else this.#waiting.pushBack(withOwnTexts(record));
    this.#waiting.pushBack(() => held.release());
    return this.#records++;
  }

  /** Sends a record; `onStored` runs in `settle` once the builder has made it durable. */
  send(kind: number, parts: readonly Uint8Array[], onStored?: () => void): void {
    this.#afterwards.pushBack(onStored);
    if (this.isNear) {
      this.#near!.store({ kind, parts: parts.map(bufferOf) });
      return;
    }
    this.#waiting.pushBack([frameHead(kind, parts), ...parts]);
    if (this.#current === undefined) this.#move();
  }

  /** Moves what waits for room, then calls the builder if it is time. A wake-up costs more than a page. */
  flush(outlook: Outlook): void {
    this.#move();
    const isOther = outlook !== this.#outlook;
    this.#outlook = outlook;
    if (this.#mode === "full") {
      // Also for what was put since it became still: the other crawler may have been still before.
      if (outlook === "still" && (isOther || this.#hasNew)) this.#buffer.idle(this.#lane);
      else if (outlook !== "still" && isOther) this.#buffer.busy(this.#lane);
    } else if (outlook !== "busy" && this.#hasNew) this.#buffer.flush();
    if (outlook !== "busy") this.#hasNew = false;
  }

  /** True when everything that waited here for room has found some. */
  retry(): boolean {
    this.#move();
    return !this.congested;
  }

  #move(): void {
    while (this.#current === undefined || this.#putCurrent()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (typeof next === "function") next();
      else this.#current = next;
    }
  }

  /** Puts what is left of the current record, in as many frames as it takes; false when it must wait. */
  #putCurrent(): boolean {
    const record = this.#current!;
    let total = 0;
    for (const part of record) total += part.length;
    do {
      const end = Math.min(total, this.#offset + this.#buffer.maxFrameBytes);
      const flags = (this.#offset === 0 ? FIRST : 0) | (end === total ? LAST : 0);
      const parts = flags === (FIRST | LAST) ? record : slice(record, this.#offset, end);
      if (!this.#buffer.tryPut(this.#lane, parts, flags)) {
        // Without room N is not reached, and a record in several frames needs the builder to go on.
        if (!this.#buffer.hasRoom(this.#lane, end - this.#offset)) this.#buffer.flush();
        // Try again after that; the try that counts is in `retry`, when the bell is armed.
        this.#buffer.want(this.#lane);
        if (!this.#buffer.tryPut(this.#lane, parts, flags)) return false;
      }
      this.#hasNew = true;
      this.#offset = end;
    } while (this.#offset < total);
    this.#current = undefined;
    this.#offset = 0;
    this.#put++;
    if (record[0]![0] === FRAMES.page) this.#pages++;
    return true;
  }

  /** Calls `onStored` of the records stored since the last call; answers how many those were. */
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

  /** Pages put into the buffer, in this thread's life and before. */
  get pages(): number {
    return this.#pages;
  }
}

/** A record that has to wait, with a copy of its first piece. */
function withOwnTexts([first, ...rest]: readonly Uint8Array[]): readonly Uint8Array[] {
  return [Buffer.from(first!), ...rest];
}

function bufferOf(part: Uint8Array): Buffer {
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
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
