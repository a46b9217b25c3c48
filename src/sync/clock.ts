/**
 * Milliseconds of the machine's monotonic clock, the same in every thread of the process.
 * (`performance.now()` counts from a start of its own in each worker.)
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
