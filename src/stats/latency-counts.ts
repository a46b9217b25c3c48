/** Upper bounds of the classes, in milliseconds; the last class has none. */
export const LATENCY_BOUNDS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000,
] as const;

/** Classes of a row. */
export const LATENCY_CLASSES = LATENCY_BOUNDS_MS.length + 1;

/** The classes and the sum of milliseconds. */
const COLUMNS = LATENCY_CLASSES + 1;

/** How long responses took, in classes, since the start of the run. */
export interface Latency {
  readonly counts: readonly number[];
  readonly sumMs: number;
}

export const NO_LATENCY: Latency = { counts: new Array(LATENCY_CLASSES).fill(0), sumMs: 0 };

/** Bytes of shared memory for the rows of `threads` threads. */
export function latencyBytes(threads: number): number {
  return threads * COLUMNS * 8;
}

/** One thread's response times, in shared memory: only that thread writes the row. */
export class LatencyCounts {
  readonly #row: Float64Array;

  constructor(memory: SharedArrayBuffer, thread: number) {
    this.#row = new Float64Array(memory, thread * COLUMNS * 8, COLUMNS);
  }

  add(ms: number): void {
    let column = 0;
    while (column < LATENCY_BOUNDS_MS.length && ms > LATENCY_BOUNDS_MS[column]!) column++;
    this.#row[column]! += 1;
    this.#row[LATENCY_CLASSES]! += ms;
  }
}

/** Sums up all rows. */
export function latencyIn(memory: SharedArrayBuffer): Latency {
  const all = new Float64Array(memory);
  const sums = new Array<number>(COLUMNS).fill(0);
  for (let i = 0; i < all.length; i++) sums[i % COLUMNS]! += all[i]!;
  return { counts: sums.slice(0, LATENCY_CLASSES), sumMs: Math.round(sums[LATENCY_CLASSES]!) };
}

/** What came between two moments of a run. */
export function latencyBetween(before: Latency, now: Latency): Latency {
  const counts = now.counts.map((count, i) => count - (before.counts[i] ?? 0));
  return { counts, sumMs: now.sumMs - before.sumMs };
}

/**
 * The milliseconds below which a share (0 to 1) of the responses stayed: a straight line within a class, so that the answer is
 * right to the class. Undefined when there was no response.
 */
export function percentileMs({ counts }: Latency, share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return undefined;
  let rest = share * total;
  for (const [i, count] of counts.entries()) {
    if (count > 0 && rest <= count) {
      const from = i === 0 ? 0 : LATENCY_BOUNDS_MS[i - 1]!;
      const to = LATENCY_BOUNDS_MS[i] ?? from;
      return from + ((to - from) * rest) / count;
    }
    rest -= count;
  }
  return LATENCY_BOUNDS_MS.at(-1);
}
