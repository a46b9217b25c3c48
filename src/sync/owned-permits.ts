import { deadlineAfter, msUntil } from "../runtime/clock.ts";
import { EventCount } from "./event-count.ts";

/** Nobody holds the permit. */
const FREE = 0;

/** A fixed number of permits, each a word that names its holder: what a dead holder had comes back. */
export class OwnedPermits {
  readonly #words: Int32Array;
  readonly #slots: number;
  readonly #count: number;
  readonly #me: number;
  readonly #freed: EventCount;

  constructor(words: Int32Array, index: number, count: number, ownerId: number) {
    this.#words = words;
    this.#freed = new EventCount(words, index);
    this.#slots = index + EventCount.WORDS;
    this.#count = count;
    this.#me = ownerId;
  }

  /** Words needed for that many permits. */
  static words(count: number): number {
    return EventCount.WORDS + count;
  }

  /** Never blocks: the number of the permit taken, or -1 when all are held. */
  tryAcquire(): number {
    for (let permit = 0; permit < this.#count; permit++) {
      const at = this.#slots + permit;
      if (Atomics.load(this.#words, at) !== FREE) continue;
      if (Atomics.compareExchange(this.#words, at, FREE, this.#me) === FREE) return permit;
    }
    return -1;
  }

  /** Blocks until a permit is taken and returns its number; -1 after the time-out. */
  acquire(timeoutMs = Number.POSITIVE_INFINITY): number {
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    for (;;) {
      // The count is read first: a permit freed after the scan changes it, so the sleep does not begin.
      const seen = this.#freed.read();
      const permit = this.tryAcquire();
      if (permit >= 0 || expired) return permit;
      expired = !this.#freed.wait(seen, msUntil(deadline));
    }
  }

  /** Gives a permit back, whoever holds it, and wakes those who wait. */
  release(permit: number): void {
    Atomics.store(this.#words, this.#slots + permit, FREE);
    this.#freed.wakeAll();
  }

  /** The id of the holder, 0 when free. */
  holder(permit: number): number {
    return Atomics.load(this.#words, this.#slots + permit);
  }

  /** Gives back every permit of a dead thread and returns their number. */
  static reclaim(words: Int32Array, index: number, count: number, deadOwner: number): number {
    let held = 0;
    const freed = new EventCount(words, index);
    for (let permit = 0; permit < count; permit++) {
      const at = index + EventCount.WORDS + permit;
      if (Atomics.compareExchange(words, at, deadOwner, FREE) === deadOwner) held++;
    }
    // Always: it may have freed a permit and died before it notified.
    freed.wakeAll();
    return held;
  }
}
