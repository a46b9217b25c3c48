const CHANGES = 0;
const FIRST_ROW = 1;
const QUEUED = 0;
const RUN = 1;
const ROW_WORDS = 2;

/** The run of a thread that has ended and is not replaced: higher than every real one. */
export const LEFT_FOR_GOOD = 2 ** 31 - 1;

/** Bytes of shared memory for that many threads. */
export function threadBoardBytes(threads: number): number {
  return 4 * (FIRST_ROW + ROW_WORDS * threads);
}

/** What the threads of a sharded frontier know of each other without messages: queue lengths, and who was replaced. */
export class ThreadBoard {
  readonly #words: Int32Array;
  readonly threads: number;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.threads = (this.#words.length - FIRST_ROW) / ROW_WORDS;
  }

  /** Publishes how many URLs wait for a thread. */
  setQueued(thread: number, urls: number): void {
    Atomics.store(this.#words, FIRST_ROW + ROW_WORDS * thread + QUEUED, urls);
  }

  /** The thread other than `me` with the longest queue of at least `minUrls`; -1 when there is none. */
  longestQueue(me: number, minUrls: number): number {
    let best = -1;
    let longest = minUrls - 1;
    for (let thread = 0; thread < this.threads; thread++) {
      const urls = Atomics.load(this.#words, FIRST_ROW + ROW_WORDS * thread + QUEUED);
      if (thread === me || urls <= longest) continue;
      best = thread;
      longest = urls;
    }
    return best;
  }

  /** Announces that a thread was replaced by its run `epoch`: the others send again what it has not confirmed. */
  announce(thread: number, epoch: number): void {
    Atomics.store(this.#words, FIRST_ROW + ROW_WORDS * thread + RUN, epoch);
    Atomics.add(this.#words, CHANGES, 1);
  }

  /** Grows with every announcement. */
  get changes(): number {
    return Atomics.load(this.#words, CHANGES);
  }

  /** The newest announced run of each thread; 0 where there was none. */
  runs(): Int32Array {
    return Int32Array.from({ length: this.threads }, (_, thread) => this.runOf(thread));
  }

  runOf(thread: number): number {
    return Atomics.load(this.#words, FIRST_ROW + ROW_WORDS * thread + RUN);
  }
}
