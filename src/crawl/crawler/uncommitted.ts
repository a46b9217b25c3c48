import type { CrawlConfig } from "../../config/schema.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { type Account, HURRY_LEVELS } from "../shared-memory.ts";

/** Bytes of pages that may have to be fetched again after a crash, all threads together. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Visits that a crash may cost: every thread has its part. */
export function mostUncommitted(maxUncommitted: number, threads: number): number {
  return threads * Math.max(1, Math.floor(maxUncommitted / threads));
}

/** What one thread has fetched and not committed: bounded, so that a crash costs little. */
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
    this.#maxVisits = mostUncommitted(maxUncommitted, threads) / threads;
    this.#maxBytes = MAX_BYTES / threads;
    this.#account = account;
    this.#builder = builder;
  }

  /** Visits that are over and not committed. */
  get visits(): number {
    return this.#visits;
  }

  /** How many visits may be under way. */
  get room(): number {
    return this.#bytes >= this.#maxBytes ? 0 : this.#maxVisits - this.#visits;
  }

  add(bytes: number): void {
    this.#visits++;
    this.#bytes += bytes;
  }

  /** What to call at the commit. It holds on to nothing else of a visit, which would stay in memory until then. */
  onCommitted(bytes: number): () => void {
    return () => {
      this.#visits--;
      this.#bytes -= bytes;
    };
  }

  /**
   * Asks the builder to commit: at once when nothing else can go on or half the room is used, soon when somebody waits
   * for it. `guests` are visits of other threads that wait for a commit of this one: theirs, but they fill the room.
   */
  hurry(nothingElse: boolean, soon: boolean, guests: number): void {
    const visits = this.#visits + guests;
    const half = 2 * visits >= this.#maxVisits || 2 * this.#bytes >= this.#maxBytes;
    const level =
      nothingElse || half ? HURRY_LEVELS.now : soon ? HURRY_LEVELS.soon : HURRY_LEVELS.none;
    if (level > this.#account.hurried && this.#account.hurry(level)) this.#builder.ring();
  }
}
