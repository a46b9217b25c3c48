/** What the crawler knows about work that moves between threads. */
export interface Lender {
  /** Leases that this thread may give away now, at most `limit`; each has its page permit. */
  spare(limit: number, lent: LentSoFar): number;
  /** A lease that was given away is here again without a page. */
  returned(): void;
  /** A visit that another thread made is committed. */
  committed(outcome: number): void;
  /** Queued URLs of every thread. */
  queued(): readonly number[];
}

/** Leases of a thread that others have and whose requests are not over. */
export interface LentSoFar {
  readonly toAsker: number;
  readonly toAll: number;
}
