import type { CrawlConfig } from "../../config/schema.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { type Account, HURRY_LEVELS } from "../shared-memory.ts";

/** Bytes that may have to be fetched again after a crash, for all threads together. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Visits that a crash may cost: each thread has an equal part, at least one. */
export function maxUncommittedVisits(maxUncommitted: number, threads: number): number {
  return threads * Math.max(1, Math.floor(maxUncommitted / threads));
}

/** What one thread has fetched and not committed; bounded, so that a crash costs little. */
export class Uncommitted {
  readonly #maxVisits: number;
  readonly #maxBytes: number;
  readonly #account: Account;
  readonly #builder: Doorbell;
  #visits = 0;
  #bytes = 0;

  constructor(
    { maxUncommitted, threads }: Pick<CrawlConfig, "maxUncommitted" | "threads">,
    account: Account,
    builder: Doorbell,
  ) {
    this.#maxVisits = maxUncommittedVisits(maxUncommitted, threads) / threads;
    this.#maxBytes = MAX_BYTES / threads;
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

  add(bytes: number): void {
    this.#visits++;
    this.#bytes += bytes;
  }

  /** To be called at the commit. The closure keeps nothing else of the visit in memory until then. */
  onCommitted(bytes: number): () => void {
    return () => {
      this.#visits--;
      this.#bytes -= bytes;
    };
  }

  /**
   * Asks the builder to commit: now when the thread is stuck or half of the room is used, soon when somebody waits for
   * it. `guests` are visits of other threads that wait for a commit of this one; they use up room as well.
   */
  hurry(isStuck: boolean, isSoon: boolean, guests: number): void {
    const visits = this.#visits + guests;
    const isHalfFull = 2 * visits >= this.#maxVisits || 2 * this.#bytes >= this.#maxBytes;
    const level =
      isStuck || isHalfFull ? HURRY_LEVELS.now : isSoon ? HURRY_LEVELS.soon : HURRY_LEVELS.none;
    if (level > this.#account.hurried && this.#account.hurry(level)) this.#builder.ring();
  }
}
