import { deadlineAfter, msUntil } from "../runtime/clock.ts";

/** Word 0 holds the owner's id, 0 when free; the sign bit says that somebody may be asleep. */
const LOCK = 0;
const CONTENDED = 0x80000000 | 0;
const ID_MASK = 0x7fffffff;

/** A lock in shared memory whose word names its owner, so that a dead owner's lock can be taken back. */
export class Mutex {
  static readonly WORDS = 1;
  readonly #words: Int32Array;
  readonly #lock: number;
  readonly #me: number;

  constructor(words: Int32Array, index: number, ownerId: number) {
    this.#words = words;
    this.#lock = index + LOCK;
    this.#me = ownerId;
  }

  /** Never blocks: false when somebody holds the lock. */
  tryLock(): boolean {
    return Atomics.compareExchange(this.#words, this.#lock, 0, this.#me) === 0;
  }

  /** Never sleeps: gives up after that many attempts, which its holder outlasts only if descheduled or dead. */
  spinLock(attempts: number): boolean {
    for (let attempt = 0; attempt < attempts; attempt++) {
      // A look costs less than a failed exchange, which takes the cache line from the holder.
      if (Atomics.load(this.#words, this.#lock) !== 0) continue;
      if (this.tryLock()) return true;
    }
    return false;
  }

  /** Blocks until the lock is held; false only after the time-out, and then nobody's wake-up is lost. */
  lock(timeoutMs = Number.POSITIVE_INFINITY): boolean {
    if (Atomics.compareExchange(this.#words, this.#lock, 0, this.#me) === 0) return true;
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    for (;;) {
      const seen = Atomics.load(this.#words, this.#lock);
      if (seen === 0) {
        // Others may still sleep, so whoever was woken takes the lock with the mark kept.
        const mine = this.#me | CONTENDED;
        if (Atomics.compareExchange(this.#words, this.#lock, 0, mine) === 0) return true;
      } else if (this.#mark(seen)) {
        // The mark is set before giving up: a wake-up we consumed reaches the next sleeper at unlock.
        if (expired) return false;
        const leftMs = msUntil(deadline);
        expired = Atomics.wait(this.#words, this.#lock, seen | CONTENDED, leftMs) === "timed-out";
      }
    }
  }

  /** Gives the lock back and wakes one sleeper, if there may be one. */
  unlock(): void {
    if (Atomics.exchange(this.#words, this.#lock, 0) < 0) {
      Atomics.notify(this.#words, this.#lock, 1);
    }
  }

  /** The id of the holder, 0 when free. */
  holder(): number {
    return Atomics.load(this.#words, this.#lock) & ID_MASK;
  }

  #mark(seen: number): boolean {
    if (seen < 0) return true;
    return Atomics.compareExchange(this.#words, this.#lock, seen, seen | CONTENDED) === seen;
  }

  /** Takes back what a dead thread held; true when it held the lock. Call once the thread has ended. */
  static reclaim(words: Int32Array, index: number, deadOwner: number): boolean {
    const seen = Atomics.load(words, index + LOCK);
    const held = (seen & ID_MASK) === deadOwner;
    // Only the dead owner could change a word that names it, except for the mark: exchange is safe.
    if (held) Atomics.exchange(words, index + LOCK, 0);
    // It may have died between being woken and taking the lock: pass that wake-up on.
    Atomics.notify(words, index + LOCK);
    return held;
  }
}
