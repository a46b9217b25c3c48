const CHANGES = 0;
const FIRST_ROW = 1;
const RUN = 0;
const SITES = 1;
const ROW_WORDS = 2;

/** The run of a thread that has ended and is not replaced: higher than every real one. */
export const LEFT_FOR_GOOD = 2 ** 31 - 1;

/** Bytes of shared memory for that many threads. */
export function threadBoardBytes(threads: number): number {
  return 4 * (FIRST_ROW + ROW_WORDS * threads);
}

/** What the threads of a sharded frontier know of each other without messages: who has sites, and who was replaced. */
export class ThreadBoard {
  readonly #words: Int32Array;
  readonly threads: number;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.threads = (this.#words.length - FIRST_ROW) / ROW_WORDS;
  }

  /** Publishes how many sites of its own a thread has something to fetch from. */
  setSites(thread: number, sites: number): void {
    Atomics.store(this.#words, FIRST_ROW + ROW_WORDS * thread + SITES, sites);
  }

  /** Whether a thread has sites of its own to fetch from, which need some of its places. */
  hasSites(thread: number): boolean {
    return Atomics.load(this.#words, FIRST_ROW + ROW_WORDS * thread + SITES) > 0;
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
