/** The average share of pages that may be taken before better ones whose news is under way (seed 002, section 2). */
const MAX_ERROR = 0.05;
/** Visits between two exchanges. */
const LEAST = 16;
const MOST = 1024;
/** Weight of the last superstep in the average error. */
const NEWEST = 0.25;

/**
 * How many visits of a thread lie between two exchanges with other shards. Seed 002 predicts that from an earlier
 * crawl: the largest size at which the error A / B stays below 5 %, where B are the pages taken between two exchanges
 * and A those that would have been taken, had the news of them come at once. Here the crawl itself is the sample:
 * A are the pages in blocks of others that are worth more than what was taken on average while they were under way.
 * The size doubles while the average error is below half of the limit and is halved above it, which is the paper's
 * binary search, never finished. Nothing but the calls decides, so a simulation repeats it.
 */
export class ExchangeSize {
  /** Exchanges so far. */
  exchanges = 0;
  /** Visits in them. */
  visits = 0;
  readonly #isFixed: boolean;
  #size: number;
  #since = 0;
  #error = 0;
  #missed = 0;
  #taken = 0;
  #ranges = 0;
  /** Pages taken in the superstep before, and their average range: what news that arrive now are compared with. */
  #before = { taken: 0, range: Number.POSITIVE_INFINITY };

  constructor(size: number | "auto" = "auto") {
    this.#isFixed = size !== "auto";
    this.#size = size === "auto" ? LEAST : size;
  }

  /** Visits between two exchanges, as of now. */
  get size(): number {
    return this.#size;
  }

  /** Average error of the last supersteps. */
  get error(): number {
    return this.#error;
  }

  /** A page of this range was taken. */
  taken(range: number): void {
    this.#taken++;
    this.#ranges += range;
  }

  /** Another shard's news brought a page into this range; it was in a lower one before, or unknown (-1). */
  heard(range: number, was = -1): void {
    const taken = this.#before.range;
    if (range > taken && was <= taken) this.#missed++;
  }

  /** A visit is over; true when it is time for an exchange. */
  visited(): boolean {
    if (++this.#since < this.#size) return false;
    this.exchanges++;
    this.visits += this.#since;
    this.#since = 0;
    this.#adapt();
    this.#before = { taken: this.#taken, range: this.#ranges / Math.max(1, this.#taken) };
    this.#missed = 0;
    this.#taken = 0;
    this.#ranges = 0;
    return true;
  }

  #adapt(): void {
    const { taken } = this.#before;
    if (this.#isFixed || taken === 0) return;
    const error = Math.min(1, this.#missed / taken);
    this.#error += NEWEST * (error - this.#error);
    if (this.#error > MAX_ERROR) this.#size = Math.max(LEAST, this.#size >>> 1);
    else if (this.#error < MAX_ERROR / 2) this.#size = Math.min(MOST, this.#size * 2);
  }
}
