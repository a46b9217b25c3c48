import type { LatinBuffer } from "../../runtime/latin-buffer.ts";

/** How long a handler may take where the crawl is older than the setting. */
export const MAX_HANDLER_MS = 60_000;

/*
 * Which handlers run in which thread, in shared memory, because a thread that hangs in one cannot tell:
 *
 *   per thread   beats u32 | slots
 *   slot         state u32 | length u32 | URL (Latin-1)
 */

const URL_BYTES = 2096;
const SLOT_BYTES = 8 + URL_BYTES;
/** More handlers at a time are not watched. */
const SLOTS = 128;
const THREAD_BYTES = 8 + SLOTS * SLOT_BYTES;

const STATES = { free: 0, running: 1, waiting: 2 } as const;

/** Memory for the handlers of so many threads; 0 bytes where there is no handler. */
export function handlerWatchBytes(threads: number, hasHandler: boolean): number {
  return hasHandler ? threads * THREAD_BYTES : 0;
}

/** A handler that has begun and not ended. */
export interface WatchedHandler {
  readonly url: string;
  /** It has never returned, not even with a promise. */
  readonly isRunning: boolean;
}

/** The handlers of one thread. */
export class HandlerWatch {
  readonly #words: Int32Array;
  readonly #bytes: LatinBuffer;
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => slot);

  constructor(memory: SharedArrayBuffer, thread: number) {
    const at = thread * THREAD_BYTES;
    this.#words = new Int32Array(memory, at, THREAD_BYTES / 4);
    this.#bytes = Buffer.from(memory, at, THREAD_BYTES) as LatinBuffer;
  }

  /** The thread has started anew: what its predecessor ran is gone. */
  clear(): void {
    for (let slot = 0; slot < SLOTS; slot++) Atomics.store(this.#words, wordOf(slot), STATES.free);
  }

  /** A handler is about to be called; answers its slot, or -1. */
  begin(url: string): number {
    const slot = this.#free.pop();
    if (slot === undefined) return -1;
    const at = 4 * wordOf(slot);
    const length = Math.min(url.length, URL_BYTES);
    this.#bytes.latin1Write(url, at + 8, length);
    this.#words[wordOf(slot) + 1] = length;
    Atomics.store(this.#words, wordOf(slot), STATES.running);
    return slot;
  }

  /** It has returned a promise. */
  waits(slot: number): void {
    if (slot >= 0) Atomics.store(this.#words, wordOf(slot), STATES.waiting);
  }

  end(slot: number): void {
    if (slot < 0) return;
    Atomics.store(this.#words, wordOf(slot), STATES.free);
    this.#free.push(slot);
  }

  /** The event loop of the thread turns. */
  beat(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** How often it has. */
  get beats(): number {
    return Atomics.load(this.#words, 0);
  }

  /** The handlers that have not ended; for the supervisor. */
  handlers(): WatchedHandler[] {
    const found: WatchedHandler[] = [];
    for (let slot = 0; slot < SLOTS; slot++) {
      const state = Atomics.load(this.#words, wordOf(slot));
      if (state === STATES.free) continue;
      const at = 4 * wordOf(slot) + 8;
      const url = this.#bytes.toString("latin1", at, at + this.#words[wordOf(slot) + 1]!);
      found.push({ url, isRunning: state === STATES.running });
    }
    return found;
  }
}

function wordOf(slot: number): number {
  return 2 + (slot * SLOT_BYTES) / 4;
}
