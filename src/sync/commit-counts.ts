/** Bytes of shared memory for the counts between so many threads. */
export function commitCountBytes(threads: number): number {
  return 4 * threads * threads;
}

/**
 * Confirms to the thread that worked on a borrowed lease that its owner has committed the visit: one word for each pair
 * of owner and borrower. A count may be read late, and one for a borrower that died goes to its successor.
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

  /** Counts a visit of `borrower` that this thread has committed. */
  add(borrower: number): void {
    Atomics.add(this.#words, this.#thread * this.#threads + borrower, 1);
  }

  /** Visits of this thread that `owner` has committed since the last call. */
  take(owner: number): number {
    const word = owner * this.#threads + this.#thread;
    return Atomics.load(this.#words, word) === 0 ? 0 : Atomics.exchange(this.#words, word, 0);
  }
}
