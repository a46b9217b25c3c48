/** How often the event happened. */
const COUNT = 0;
/** Threads that are asleep or about to be. */
const WAITERS = 1;

/** Lets threads sleep until something happened, without a lock: read, look at the world, then wait. */
export class EventCount {
  static readonly WORDS = 2;
  readonly #words: Int32Array;
  readonly #base: number;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#base = index;
  }

  /** The count to wait on; read it before looking at what the event announces. */
  read(): number {
    return Atomics.load(this.#words, this.#base + COUNT);
  }

  /**
   * Announces the event and wakes at most `wake` sleepers; cheap when nobody sleeps. Fewer than all is right only
   * where the event lets that many go on and whoever is woken for nothing loses nothing.
   */
  advance(wake = Number.POSITIVE_INFINITY): void {
    Atomics.add(this.#words, this.#base + COUNT, 1);
    // A sleeper raises WAITERS before it compares COUNT, so one of the two sides sees the other.
    if (Atomics.load(this.#words, this.#base + WAITERS) > 0) {
      Atomics.notify(this.#words, this.#base + COUNT, wake);
    }
  }

  /** Blocks until the count differs from the one read; false after the time-out. */
  wait(seen: number, timeoutMs = Number.POSITIVE_INFINITY): boolean {
    Atomics.add(this.#words, this.#base + WAITERS, 1);
    const ended = Atomics.wait(this.#words, this.#base + COUNT, seen, timeoutMs);
    Atomics.sub(this.#words, this.#base + WAITERS, 1);
    return ended !== "timed-out";
  }

  /** Never blocks: has it happened since? */
  hasAdvanced(seen: number): boolean {
    return Atomics.load(this.#words, this.#base + COUNT) !== seen;
  }
}
