import type { CrawlConfig } from "../../config/schema.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { type Account, HURRY_LEVELS } from "../shared-memory.ts";

/** Bytes that may have to be fetched again after a crash, for all threads together. */
const MAX_BYTES = 32 * 1024 * 1024;
/**
 * On an engine a commit is asked for every so many visits: when a worker dies others fetch again what it had not settled,
 * and workers die more often than machines lose power (decision 73).
 */
const ENGINE_VISITS = 8;

/** Visits that a crash may cost: each thread has an equal part, at least one. */
export function maxUncommittedVisits(maxUncommitted: number, threads: number): number {
  return threads * Math.max(1, Math.floor(maxUncommitted / threads));
}

/** What one thread has fetched and not committed; bounded, so that a crash costs little. */
export class Uncommitted {
  readonly #maxVisits: number;
  readonly #maxBytes: number;
  /** A commit is asked for every so many visits. */
  readonly #visitsPerCommit: number;
  readonly #account: Account;
  readonly #builder: Doorbell;
  #visits = 0;
  #bytes = 0;
  /** Visits since a commit was asked for. */
  #unasked = 0;

  constructor(
    {
      maxUncommitted,
      threads,
      frontier,
    }: Pick<CrawlConfig, "maxUncommitted" | "threads" | "frontier">,
    account: Account,
    builder: Doorbell,
  ) {
    this.#maxVisits = maxUncommittedVisits(maxUncommitted, threads) / threads;
    this.#maxBytes = MAX_BYTES / threads;
    this.#visitsPerCommit = frontier === "engine" ? ENGINE_VISITS : Number.POSITIVE_INFINITY;
    this.#account = account;
    this.#builder = builder;
  }

  /** Finished visits that are not committed. */
  get visits(): number {
    return this.#visits;
  }

  /** How many visits may be in flight. */
  get room(): number {
    return this.#bytes >= this.#maxBytes ? 0 : this.#maxVisits - this.#visits;
  }

  /** A visit has ended. Returns what is to be called at its commit, which keeps nothing else of it in memory until then. */
  add(bytes: number): () => void {
    this.#visits++;
    this.#unasked++;
    this.#bytes += bytes;
    return () => {
      this.#visits--;
      this.#bytes -= bytes;
    };
  }

  /**
   * Asks the builder to commit: now when the thread is stuck, half of the room is used, or others would have to repeat too
   * much; soon when somebody waits for it. `guests` are visits of other threads that wait for a commit of this one; they use
   * up room as well.
   */
  hurry(isStuck: boolean, isSoon: boolean, guests: number): void {
    const visits = this.#visits + guests;
    const isHalfFull = 2 * visits >= this.#maxVisits || 2 * this.#bytes >= this.#maxBytes;
    const isNow = isStuck || isHalfFull || this.#unasked >= this.#visitsPerCommit;
    const level = isNow ? HURRY_LEVELS.now : isSoon ? HURRY_LEVELS.soon : HURRY_LEVELS.none;
    if (isNow) this.#unasked = 0;
    if (level > this.#account.hurried && this.#account.hurry(level)) this.#builder.ring();
  }
}
