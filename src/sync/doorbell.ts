const RUNG = 0;
const ASLEEP = 1;

/** Words of shared memory per doorbell. */
export const DOORBELL_WORDS = 2;

/**
 * Wakes one sleeping thread, and costs one load when it is awake (a wake-up costs 75-95 us).
 *
 * Sleeper: `arm`, look once more for work, then `sleep` (or the event loop's form) or `disarm`.
 * Ringer: publish work, then `ring`.
 * Either the sleeper's look comes after the publication and finds the work, or the ringer's load of ASLEEP comes
 * after `arm` and rings; both orders of the two stores and two loads are covered, so no wake-up is lost.
 */
export class Doorbell {
  readonly words: Int32Array;
  readonly index: number;

  constructor(words: Int32Array, index: number) {
    this.words = words;
    this.index = index;
  }

  /** Announces that this thread is about to sleep; pass the number that is returned to `sleep`. */
  arm(): number {
    const rung = Atomics.load(this.words, this.index + RUNG);
    Atomics.store(this.words, this.index + ASLEEP, 1);
    return rung;
  }

  /** Takes the announcement back; rings stay cheap until the next `arm`. */
  disarm(): void {
    Atomics.store(this.words, this.index + ASLEEP, 0);
  }

  /** Blocks until rung after `arm` or until the time is over; only for threads without sockets. */
  sleep(armed: number, timeoutMs: number): void {
    Atomics.wait(this.words, this.index + RUNG, armed, timeoutMs);
    Atomics.store(this.words, this.index + ASLEEP, 0);
  }

  /** Wakes the owner if it sleeps. Call it after the work is visible. */
  ring(): void {
    if (Atomics.load(this.words, this.index + ASLEEP) === 0) return;
    if (Atomics.exchange(this.words, this.index + ASLEEP, 0) === 0) return;
    this.#sound();
  }

  /** Wakes the owner in any case: a ringer may have died between clearing the owner's word and ringing. */
  wake(): void {
    Atomics.store(this.words, this.index + ASLEEP, 0);
    this.#sound();
  }

  #sound(): void {
    Atomics.add(this.words, this.index + RUNG, 1);
    Atomics.notify(this.words, this.index + RUNG);
  }

  /** How often it has rung. */
  get rung(): number {
    return Atomics.load(this.words, this.index + RUNG);
  }

  /** The word that changes with every ring, for the event loop's form of waiting. */
  rungWord(): number {
    return this.index + RUNG;
  }
}
