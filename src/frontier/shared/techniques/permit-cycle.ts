import { deadlineAfter, msUntil } from "../../../runtime/clock.ts";
import { EventCount } from "../../../sync/event-count.ts";

/*
 * Two semaphores, `empty` and `full`, whose permits circulate; each permit is one word:
 *
 *   EMPTY ─P(empty)─► FILLING(owner) ─inserted─► FILLED(owner) ─V(full)─► FULL
 *     ▲                                                                    │ P(full)
 *     └──V(empty)── DRAINED(owner) ◄─taken─ DRAINING(owner) ◄──────────────┘
 *
 * A counter would be a single word, but a thread that dies with a permit would leave no trace in it. Here every permit
 * names its holder, and their number cannot change.
 */

/** Permits of the semaphore `empty`: room. */
export const EMPTY = 0;
/** Permits of the semaphore `full`: records. */
export const FULL = 1;
/** Held by a thread whose record is not in yet. */
export const FILLING = 2;
/** Held by a thread whose record is in. */
export const FILLED = 3;
/** Held by a thread whose record is not out yet. */
export const DRAINING = 4;
/** Held by a thread whose record is out. */
export const DRAINED = 5;

const KIND_BITS = 3;
const KIND_MASK = 7;

/** Result when no permit came in time, or when waiting was ended. */
export const NO_PERMIT = -1;

/** A fixed number of permits, each of which stands for room, for a record, or is held by a thread. */
export class PermitCycle {
  readonly #words: Int32Array;
  readonly #closed: number;
  /** Where the last permit of each kind was found: the next one is near. */
  readonly #hints: number;
  readonly #permits: number;
  readonly #count: number;
  readonly #me: number;
  readonly #patience: number;
  readonly #events: readonly EventCount[];

  constructor(words: Int32Array, index: number, count: number, ownerId: number, patience: number) {
    this.#words = words;
    this.#closed = index;
    // In the order of EMPTY and FULL.
    this.#events = [
      new EventCount(words, index + 1),
      new EventCount(words, index + 1 + EventCount.WORDS),
    ];
    this.#hints = index + 1 + 2 * EventCount.WORDS;
    this.#permits = this.#hints + 2;
    this.#count = count;
    this.#me = ownerId;
    this.#patience = patience;
  }

  /** Words needed; zero at first, so that all permits are EMPTY. */
  static words(count: number): number {
    return 1 + 2 * EventCount.WORDS + 2 + count;
  }

  /** P without sleeping: a permit of that kind, now in the state `held`. */
  tryAcquire(kind: number, held: number): number {
    const hint = Atomics.load(this.#words, this.#hints + kind);
    const mine = held | (this.#me << KIND_BITS);
    for (let step = 0; step < this.#count; step++) {
      const permit = hint + step < this.#count ? hint + step : hint + step - this.#count;
      const at = this.#permits + permit;
      if (Atomics.load(this.#words, at) !== kind) continue;
      if (Atomics.compareExchange(this.#words, at, kind, mine) === kind) {
        const after = permit + 1 < this.#count ? permit + 1 : 0;
        Atomics.store(this.#words, this.#hints + kind, after);
        return permit;
      }
    }
    return NO_PERMIT;
  }

  /** P: sleeps until there is a permit; NO_PERMIT after the time-out or when closed. */
  acquire(kind: number, held: number, timeoutMs: number): number {
    const quick = this.tryAcquire(kind, held);
    if (quick !== NO_PERMIT) return quick;
    const event = this.#events[kind]!;
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    let slept = false;
    for (let patience = this.#patience; ; ) {
      // Read before the search: a permit released meanwhile moves the count, and the thread does not sleep.
      const seen = event.read();
      const permit = this.tryAcquire(kind, held);
      if (permit !== NO_PERMIT) {
        if (slept) event.remind();
        if (slept && this.#has(kind)) event.advance();
        return permit;
      }
      if (expired || this.isClosed()) return NO_PERMIT;
      patience = event.watch(seen, patience);
      if (patience > 0) continue;
      expired = !event.wait(seen, msUntil(deadline));
      slept = true;
    }
  }

  /** Notes inside the critical section that the record was inserted, or taken. */
  mark(permit: number, held: number): void {
    Atomics.store(this.#words, this.#permits + permit, held | (this.#me << KIND_BITS));
  }

  /** V: the permit is of that kind from now on, and one sleeper is woken for it. */
  release(permit: number, kind: number): void {
    Atomics.store(this.#words, this.#permits + permit, kind);
    const event = this.#events[kind]!;
    event.advance();
  }

  /** Ends every present and future sleep. */
  close(): void {
    Atomics.store(this.#words, this.#closed, 1);
    this.wakeAll();
  }

  /** Whether waiting was ended. */
  isClosed(): boolean {
    return Atomics.load(this.#words, this.#closed) !== 0;
  }

  /** Lets all sleepers look again. */
  wakeAll(): void {
    for (const event of this.#events) event.wakeAll();
  }

  /** Permits that stand for a record in the queue; exact while the queue's lock is held. */
  records(): number {
    let records = 0;
    for (let permit = 0; permit < this.#count; permit++) {
      const kind = Atomics.load(this.#words, this.#permits + permit) & KIND_MASK;
      if (kind === FULL || kind === FILLED || kind === DRAINING) records++;
    }
    return records;
  }

  #has(kind: number): boolean {
    const hint = Atomics.load(this.#words, this.#hints + kind);
    for (let step = 0; step < this.#count; step++) {
      const permit = hint + step < this.#count ? hint + step : hint + step - this.#count;
      if (Atomics.load(this.#words, this.#permits + permit) === kind) return true;
    }
    return false;
  }

  /**
   * Releases a dead thread's permits. `excess` is the records in the queue minus `records()`: not 0 only if it died
   * between changing the queue and marking its permit.
   */
  reclaim(deadOwner: number, excess: number): number {
    let held = 0;
    for (let permit = 0; permit < this.#count; permit++) {
      const state = Atomics.load(this.#words, this.#permits + permit);
      if (state >>> KIND_BITS !== deadOwner) continue;
      const kind = state & KIND_MASK;
      const isIn = kind === FILLED || (kind === FILLING && excess > 0);
      const stays = kind === DRAINING && excess >= 0;
      Atomics.store(this.#words, this.#permits + permit, isIn || stays ? FULL : EMPTY);
      held++;
    }
    this.wakeAll();
    return held;
  }
}
