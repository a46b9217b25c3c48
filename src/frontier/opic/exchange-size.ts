import { QUEUE_RANGES } from "../queue/range-queue.ts";

/** The average share of pages that may be taken before better ones whose messages are under way (seed 002, section 2). */
const MAX_ERROR = 0.05;
/** Visits between two exchanges. */
const MIN_SIZE = 16;
const MAX_SIZE = 1024;
/** Weight of the last superstep in the average error. */
const NEWEST = 0.25;
/** Weight of the last page in the average range of pages taken. */
const LAST_TAKEN = 1 / 16;
/** Messages may be late by this part of the visits so far; urgent ones by this part. */
const TOLERABLE = 1 / 64;
const TOLERABLE_IF_URGENT = 1 / 256;

/**
 * How many visits of a thread lie between two exchanges with other shards. Seed 002 predicts that from an earlier
 * crawl: the largest size at which the error A / B stays below 5 %, where B are the pages taken between two exchanges
 * and A those that would have been taken, had the messages about them come at once. Here the crawl itself is the sample, on
 * both sides of an exchange.
 *
 * The receiver counts as A the pages that are worth more than what was taken on average while their messages were under way.
 * The size doubles while the average error is below half of the limit and is halved above it, which is the paper's
 * binary search, never finished. The sender knows a part of A beforehand: pages to which it owes more than the
 * pages are worth that are taken now. When these are 2.5 % of its visits they leave at once.
 *
 * The cost of a delay is relative to the pages fetched so far, so a young crawl exchanges more often, at first after every
 * visit. Only the calls decide, so a simulation can repeat it.
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
  /** Average range of the last pages taken: what is worth more would be taken now. */
  #level = Number.POSITIVE_INFINITY;
  /** How many pages of other shards are owed cash of each range. */
  readonly #owed = new Int32Array(QUEUE_RANGES.count);
  /** Pages taken in the superstep before, and their average range: what arrives now is compared with them. */
  #before = { taken: 0, range: Number.POSITIVE_INFINITY };

  constructor(size: number | "auto" = "auto") {
    this.#isFixed = size !== "auto";
    this.#size = size === "auto" ? MIN_SIZE : size;
  }

  /** Visits between two exchanges, as of now. */
  get size(): number {
    return this.#isFixed ? this.#size : Math.min(this.#size, this.tolerable);
  }

  /** Average error of the last supersteps. */
  get error(): number {
    return this.#error;
  }

  /** The cash of the average range of the last pages taken; 0 before there was one. */
  get pivot(): number {
    return Number.isFinite(this.#level) ? QUEUE_RANGES.lowest(Math.round(this.#level)) : 0;
  }

  /** How many pages may be late without harm, as of now. */
  get tolerable(): number {
    return Math.max(1, Math.floor(TOLERABLE * (this.visits + this.#since)));
  }

  /** A page of this range was taken. */
  taken(range: number): void {
    this.#taken++;
    this.#ranges += range;
    const last = Number.isFinite(this.#level) ? LAST_TAKEN : 1;
    this.#level = last === 1 ? range : this.#level + last * (range - this.#level);
  }

  /** A page of another shard is owed cash of this range, before that of a lower one, or nothing (-1). */
  owes(range: number, was = -1): void {
    this.#owed[range]!++;
    if (was >= 0) this.#owed[was]!--;
  }

  /** A block from another shard lifted a page into this range; it was in a lower one before, or unknown (-1). */
  learned(range: number, was = -1): void {
    const taken = this.#before.range;
    if (range > taken && was <= taken) this.#missed++;
  }

  /** A visit is over; true when it is time for an exchange, and the last one is through. */
  visited(isThrough = true): boolean {
    this.#since++;
    if (!isThrough || !this.isDue) return false;
    this.exchange();
    return true;
  }

  /** It is time for an exchange. */
  get isDue(): boolean {
    return this.#since >= this.size || this.#isUrgent();
  }

  /** An exchange begins, perhaps because somebody else wanted it. */
  exchange(): void {
    this.exchanges++;
    this.visits += this.#since;
    this.#since = 0;
    this.#owed.fill(0);
    this.#adapt();
    this.#before = { taken: this.#taken, range: this.#ranges / Math.max(1, this.#taken) };
    this.#missed = 0;
    this.#taken = 0;
    this.#ranges = 0;
  }

  #isUrgent(): boolean {
    const least = Math.min(MIN_SIZE, 1 + Math.floor(TOLERABLE_IF_URGENT * this.visits));
    if (this.#isFixed || this.#since < least) return false;
    let urgent = 0;
    for (let range = this.#owed.length - 1; range >= this.#level; range--) {
      urgent += this.#owed[range]!;
    }
    return urgent > (MAX_ERROR / 2) * this.#since;
  }

  #adapt(): void {
    const { taken } = this.#before;
    if (this.#isFixed || taken === 0) return;
    const error = Math.min(1, this.#missed / taken);
    this.#error += NEWEST * (error - this.#error);
    if (this.#error > MAX_ERROR) this.#size = Math.max(MIN_SIZE, this.#size >>> 1);
    else if (this.#error < MAX_ERROR / 2) this.#size = Math.min(MAX_SIZE, this.#size * 2);
  }
}
