/**
 * Counts what a thread sleeps, by taking the place of `Atomics.wait` in that thread. The queues themselves count nothing:
 * their code is explored exhaustively, and a counter in it would multiply the states.
 */
export class CountedSleeps {
  sleptUs = 0;
  wakeUps = 0;
  /** Wake-ups after which the same call went back to sleep on the same word. */
  useless = 0;
  /** Called before a sleep on a word inside a call of the frontier, and after it. */
  onSleep: ((index: number) => void) | undefined;
  onWoken: ((index: number, sleep: typeof Atomics.wait) => void) | undefined;
  #isInside = false;
  readonly #woken = new Set<number>();

  /** From now on every sleep of this thread is counted. */
  install(): void {
    const sleep = Atomics.wait;
    const counted = (words: Int32Array, index: number, value: number, timeoutMs?: number) => {
      if (this.#woken.delete(index)) this.useless++;
      const startMs = performance.now();
      if (this.#isInside) this.onSleep?.(index);
      const ended = sleep(words, index, value, timeoutMs);
      if (ended !== "not-equal") this.sleptUs += (performance.now() - startMs) * 1000;
      if (ended === "ok") {
        this.wakeUps++;
        this.#woken.add(index);
      }
      if (this.#isInside) this.onWoken?.(index, sleep);
      return ended;
    };
    Object.defineProperty(Atomics, "wait", { value: counted, configurable: true });
  }

  /** Begins to count one call. */
  begin(): void {
    this.#isInside = true;
    this.sleptUs = 0;
    this.wakeUps = 0;
    this.useless = 0;
    this.#woken.clear();
  }

  /** The call is over; what it slept stays to be read. */
  end(): void {
    this.#isInside = false;
  }
}
