const SPARE = 0;
const IDLE = 1;
const ROW_WORDS = 2;

/** What a thread says of its places: all are taken, or some are free; or what is said of one that has not been started. */
export const IDLENESS = { absent: -1, none: 0, free: 1 } as const;
const FIRST_ASKED = 2;

/** What a thread says that has free places and has asked `owner` for work. */
export function asking(owner: number): number {
  return FIRST_ASKED + owner;
}

/** Bytes of shared memory for that many threads. */
export function workBoardBytes(threads: number): number {
  return 4 * ROW_WORDS * threads;
}

/**
 * Who has work to spare, and who has none. Nobody looks from time to time: a thread that runs out of work says so and
 * then looks who has some; one that has some says so and then looks who is idle. Whoever comes second sees what the
 * other one said, so no wake-up is lost (`work-board` in verify/).
 */
export class WorkBoard {
  readonly #words: Int32Array;
  readonly threads: number;

  constructor(memory: SharedArrayBuffer, threads: number) {
    this.#words = new Int32Array(memory);
    this.threads = threads;
  }

  /** Publishes how many more threads this one has work for. */
  setSpare(thread: number, count: number): void {
    Atomics.store(this.#words, ROW_WORDS * thread + SPARE, count);
  }

  /** The thread other than `me` that has work for most others; -1 when there is none. */
  mostSpare(me: number): number {
    let best = -1;
    let most = 0;
    for (let thread = 0; thread < this.threads; thread++) {
      const spare = Atomics.load(this.#words, ROW_WORDS * thread + SPARE);
      if (thread === me || spare <= most) continue;
      best = thread;
      most = spare;
    }
    return best;
  }

  /** Says what a thread is, one of `IDLENESS` or `asking`. */
  setIdle(thread: number, idleness: number): void {
    Atomics.store(this.#words, ROW_WORDS * thread + IDLE, idleness);
  }

  /** What a thread said last, or "none" when another one has called it since. */
  idleness(thread: number): number {
    return Atomics.load(this.#words, ROW_WORDS * thread + IDLE);
  }

  /**
   * Calls a thread that is idle, and returns it; -1 when there is none. Ring it then. `anyone`: also one that waits for
   * another thread than `me`. One that would have to be started is called last.
   */
  call(me: number, anyone: boolean): number {
    for (let i = 1; i < this.threads; i++) {
      const thread = (me + i) % this.threads;
      const word = ROW_WORDS * thread + IDLE;
      const said = Atomics.load(this.#words, word);
      const isFree = said === IDLENESS.free || (anyone && said > IDLENESS.free);
      if (!isFree || said === asking(me)) continue;
      if (Atomics.compareExchange(this.#words, word, said, IDLENESS.none) === said) return thread;
    }
    return anyone ? -1 : this.#callAbsent(me);
  }

  /**
   * Calls a thread that would have to be started, unless another one than `me` has free places; -1 when none was called. The
   * one that was called counts as free until it says something itself.
   */
  callAbsentIfNoneIsFree(me: number): number {
    for (let thread = 0; thread < this.threads; thread++)
      if (thread !== me && this.idleness(thread) === IDLENESS.free) return -1;
    return this.#callAbsent(me, IDLENESS.free);
  }

  #callAbsent(me: number, becomes: number = IDLENESS.none): number {
    const { absent } = IDLENESS;
    for (let i = 1; i < this.threads; i++) {
      const thread = (me + i) % this.threads;
      const word = ROW_WORDS * thread + IDLE;
      if (Atomics.load(this.#words, word) !== absent) continue;
      if (Atomics.compareExchange(this.#words, word, absent, becomes) === absent) return thread;
    }
    return -1;
  }
}
