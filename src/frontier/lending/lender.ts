/** What the crawler knows about work that moves between threads. */
export interface Lender {
  /** Leases that this thread may give away now, at most `limit`; each has its page permit. */
  spare(limit: number, lent: LentSoFar): number;
  /** A lease that was given away is here again without a page. */
  returned(): void;
  /** Another thread has brought a visit, which waits for its commit here. */
  brought(): void;
  /** A visit that `borrower` made is committed. */
  committed(outcome: number, borrower: number): void;
  /** How many visits of this thread `owner` has committed since it was last asked. */
  commitsOf(owner: number): number;
  /** Queued URLs of every thread. */
  queued(): readonly number[];
}

/** Leases of a thread that others have and whose requests are not over. */
export interface LentSoFar {
  readonly toAsker: number;
  readonly toAll: number;
}
