// Not imported: an import of node:process looks at all its properties, and so opens standard input and output.
const { hrtime } = process;

/**
 * Milliseconds of the machine's monotonic clock, the same in every thread of the process.
 * (`performance.now()` counts from a start of its own in each worker.)
 */
export function monotonicMs(): number {
  // By index: taken apart, the pair costs more than the question until V8 has optimised this.
  const time = hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

/** When a wait of that length ends, by this thread's own clock; Infinity for an endless one. */
export function deadlineAfter(timeoutMs: number): number {
  return timeoutMs === Number.POSITIVE_INFINITY ? timeoutMs : performance.now() + timeoutMs;
}

/** Milliseconds left until a deadline; not below 0. */
export function msUntil(deadline: number): number {
  return deadline === Number.POSITIVE_INFINITY
    ? deadline
    : Math.max(0, deadline - performance.now());
}
