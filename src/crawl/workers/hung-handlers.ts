import type { Hang } from "../visit/handler-runner.ts";
import { HandlerWatch, type WatchedHandler } from "../visit/handler-watch.ts";

/** A thread that is busy with other things than a handler turns its event loop again within this time. */
const GRACE_MS = 1000;

/** A thread whose event loop stands still in a handler. */
export interface HungThread {
  readonly thread: number;
  readonly hangs: readonly (readonly [url: string, hang: Hang])[];
}

/**
 * Finds threads that hang in a handler that never returns. If it had not even returned a promise, or runs alone, it is
 * the one; if several wait for something and the thread stands still, each may be, and runs alone the next time.
 */
export class HungHandlers {
  readonly #watches: readonly HandlerWatch[];
  readonly #seen: { beats: number; sinceMs: number }[];
  readonly #timeoutMs: number;
  /** What is known of all threads so far. */
  readonly known = new Map<string, Hang>();

  constructor(memory: SharedArrayBuffer, threads: number, timeoutMs: number) {
    const watched = memory.byteLength === 0 ? 0 : threads;
    this.#watches = Array.from({ length: watched }, (_, i) => new HandlerWatch(memory, i));
    this.#seen = this.#watches.map(() => ({ beats: -1, sinceMs: 0 }));
    this.#timeoutMs = timeoutMs;
  }

  /** The threads that have hung for longer than a handler may take. */
  look(nowMs: number): HungThread[] {
    const hung: HungThread[] = [];
    for (const [thread, watch] of this.#watches.entries()) {
      const seen = this.#seen[thread]!;
      const { beats } = watch;
      if (beats !== seen.beats) {
        this.#seen[thread] = { beats, sinceMs: nowMs };
        continue;
      }
      if (nowMs - seen.sinceMs < this.#timeoutMs + GRACE_MS) continue;
      const handlers = watch.handlers();
      // Without one it reads its shards, or has ended.
      if (handlers.length === 0) continue;
      seen.sinceMs = nowMs;
      hung.push({ thread, hangs: this.#blame(handlers) });
      watch.clear();
    }
    return hung;
  }

  #blame(handlers: readonly WatchedHandler[]): HungThread["hangs"] {
    const running = handlers.filter(({ isRunning }) => isRunning);
    const culprits = running.length > 0 ? running : handlers;
    const hang: Hang = culprits.length === 1 ? "hung" : "suspected";
    const hangs = culprits.map(({ url }) => [url, hang] as const);
    for (const [url, found] of hangs) this.known.set(url, found);
    return hangs;
  }
}
