interface AwaitedVisit {
  /** The owner's. */
  readonly run: number;
  onCommitted(): void;
}

/**
 * Visits of borrowed leases that their owners have heard of and not committed: they stay the borrower's until then,
 * because a crash would cost them. Owners tell how many they have committed, not which: they do it in order.
 */
export class AwaitingCommit {
  readonly #commitsOf: (owner: number) => number;
  readonly #byOwner = new Map<number, AwaitedVisit[]>();
  /** Of owners that were replaced. */
  readonly #runs = new Map<number, number>();

  /** `commitsOf` tells how many visits of this thread an owner has committed since it was last asked. */
  constructor(commitsOf: (owner: number) => number) {
    this.#commitsOf = commitsOf;
  }

  /** Waits for the commit of one more, unless its owner is gone. */
  add(owner: number, run: number, onCommitted: () => void): void {
    if (run < (this.#runs.get(owner) ?? 0)) {
      onCommitted();
      return;
    }
    const visits = this.#byOwner.get(owner);
    if (visits === undefined) this.#byOwner.set(owner, [{ run, onCommitted }]);
    else visits.push({ run, onCommitted });
  }

  /** Hears what owners have committed; true when there was anything. */
  settle(): boolean {
    let any = false;
    for (const [owner, visits] of this.#byOwner) {
      if (visits.length === 0) continue;
      const count = this.#commitsOf(owner);
      for (const visit of visits.splice(0, count)) visit.onCommitted();
      any ||= count > 0;
    }
    return any;
  }

  /** An owner was replaced by its run `run`: what it had not committed is lost, and will be lent again. */
  forget(owner: number, run: number): void {
    this.#runs.set(owner, run);
    const visits = this.#byOwner.get(owner) ?? [];
    const stay = visits.filter((visit) => visit.run >= run);
    this.#byOwner.set(owner, stay);
    for (const visit of visits) if (visit.run < run) visit.onCommitted();
  }
}
