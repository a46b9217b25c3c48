import { monotonicMs } from "./clock.ts";

/** Time was up for work that can be repeated later; it left everything as it was. */
export class TimeUpError extends Error {
  override readonly name = "TimeUpError";
}

/** How long the end of a crawl may spend on work that can also be done later. */
export class TimeLimit {
  readonly #endMs: number;
  readonly #now: () => number;

  /** `endMs` is a time of the monotonic clock. */
  constructor(endMs: number, now: () => number = monotonicMs) {
    this.#endMs = endMs;
    this.#now = now;
  }

  get leftMs(): number {
    return Math.max(0, this.#endMs - this.#now());
  }

  /** The same limit, or one that ends after so long. */
  within(ms: number): TimeLimit {
    return new TimeLimit(Math.min(this.#endMs, this.#now() + ms), this.#now);
  }

  /** Called regularly during such work; throws when the time is up. */
  check(): void {
    if (this.#now() >= this.#endMs) throw new TimeUpError("the time is up");
  }
}

/** No limit. */
export const NO_LIMIT = new TimeLimit(Number.POSITIVE_INFINITY, () => 0);
