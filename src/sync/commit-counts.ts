/** Bytes of shared memory for the counts between so many threads. */
export function commitCountBytes(threads: number): number {
  return 4 * threads * threads;
}

/**
 * How the owner of a lease tells whoever worked on it that the visit is committed: one word for each owner and
 * borrower. A count may be taken late, and one that was meant for a borrower that died goes to its successor.
 */
export class CommitCounts {
  readonly #words: Int32Array;
  readonly #threads: number;
  readonly #thread: number;

  constructor(memory: SharedArrayBuffer, threads: number, thread: number) {
    this.#words = new Int32Array(memory);
    this.#threads = threads;
    this.#thread = thread;
  }

  /** This thread has committed a visit of `borrower`. */
  add(borrower: number): void {
    Atomics.add(this.#words, this.#thread * this.#threads + borrower, 1);
  }

  /** Visits of this thread that `owner` has committed since it was last asked. */
  take(owner: number): number {
    const word = owner * this.#threads + this.#thread;
    return Atomics.load(this.#words, word) === 0 ? 0 : Atomics.exchange(this.#words, word, 0);
  }
}
