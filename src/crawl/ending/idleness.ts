import type { Totals } from "../../stats/counters.ts";

/** How long a crawl has done nothing but wait for hosts. */
export class Idleness {
  /** Infinite until all threads run: their start may take longer than `--max-wait`. */
  #sinceMs = Number.POSITIVE_INFINITY;
  #answers = 0;

  /** Starts counting, or starts again. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /**
   * Milliseconds since the last sign of work in the counters. Requests to hosts that could not be reached last time do
   * not count, but answers do: a fast request may have begun and ended since the last look.
   */
  lookMs(nowMs: number, sums: Totals): number {
    const { pages, redirects, unchanged, sitemaps, bytes } = sums;
    const answers = pages + redirects + unchanged + sitemaps + bytes;
    const isAtWork = sums.inFlight > sums.hopeful || answers !== this.#answers;
    this.#answers = answers;
    // Counts of earlier runs appear before this one has begun.
    if (isAtWork && this.#sinceMs < nowMs) this.#sinceMs = nowMs;
    return nowMs - this.#sinceMs;
  }
}
