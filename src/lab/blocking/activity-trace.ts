import { monotonicMs } from "../../runtime/clock.ts";

/** Entries per thread; later ones are not written. */
const MAX_ENTRIES = 4096;
const ROW = 1 + 2 * MAX_ENTRIES;

/** Bytes of shared memory for the traces of that many threads. */
export function traceBytes(threads: number): number {
  return threads * ROW * 8;
}

/** A thread was at something from one moment to another. */
export interface TracedSpan {
  readonly activity: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What one thread was at, and when; written by itself, read when it has ended. */
export class ActivityTrace {
  readonly #row: Float64Array;

  constructor(memory: SharedArrayBuffer, thread: number) {
    this.#row = new Float64Array(memory, thread * ROW * 8, ROW);
  }

  /** From now on the thread is at this. */
  note(activity: number): void {
    const entries = this.#row[0]!;
    if (entries >= MAX_ENTRIES) return;
    this.#row[1 + 2 * entries] = activity;
    this.#row[2 + 2 * entries] = monotonicMs();
    this.#row[0] = entries + 1;
  }

  /** All that was written from `startMs` to `endMs`, with times since `startMs`; neighbours of the same kind are one. */
  spans(startMs: number, endMs: number): TracedSpan[] {
    const spans: TracedSpan[] = [];
    const entries = this.#row[0]!;
    for (let i = 0; i < entries; i++) {
      const activity = this.#row[1 + 2 * i]!;
      const next = i + 1 < entries ? this.#row[4 + 2 * i]! : endMs;
      const fromMs = Math.max(0, this.#row[2 + 2 * i]! - startMs);
      const toMs = Math.min(next, endMs) - startMs;
      // A thread that is told to stop ends what it is at, after the end of the run.
      if (toMs <= fromMs) continue;
      const last = spans.at(-1);
      if (last?.activity === activity) spans[spans.length - 1] = { ...last, toMs };
      else spans.push({ activity, fromMs, toMs });
    }
    return spans;
  }
}
