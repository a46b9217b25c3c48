import type { Totals } from "../../stats/counters.ts";

/** How long a crawl has only waited for hosts. */
export class Idleness {
  /** Counted from the moment all threads run: their start may take longer than any patience. */
  #sinceMs = Number.POSITIVE_INFINITY;
  #answers = 0;

  /** Patience begins, or begins anew. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /**
   * Milliseconds since the last sign of work, as the counters of this moment tell. A host that answers nobody keeps no
   * crawl alive by being tried; and a fast answer may have come and been dealt with since the last look.
   */
  lookMs(nowMs: number, sums: Totals): number {
    const { pages, redirects, unchanged, sitemaps, bytes } = sums;
    const answers = pages + redirects + unchanged + sitemaps + bytes;
    const isAtWork = sums.inFlight > sums.hopeful || answers !== this.#answers;
    this.#answers = answers;
    // What earlier runs have counted appears before this one has begun.
    if (isAtWork && this.#sinceMs < nowMs) this.#sinceMs = nowMs;
    return nowMs - this.#sinceMs;
  }
}
