import { EventCount } from "../../sync/event-count.ts";
import type { Mutex } from "../../sync/mutex.ts";
import {
  checkRecord,
  checkTarget,
  type FixedFrontier,
  type FrontierShape,
  type Inserted,
  SPINS,
} from "./fixed-frontier.ts";

const SHUTDOWN = 0;
const NOT_EMPTY = 1;
const NOT_FULL = NOT_EMPTY + EventCount.WORDS;

/** Words at the start of the memory of every technique that waits by event counts; zero is right at first. */
export const WAITING_WORDS = NOT_FULL + EventCount.WORDS;

/**
 * Makes waiting calls out of attempts that answer at once: read the event count, attempt, sleep until it moves.
 *
 * One sleeper is woken per record and per freed slot. An attempt may fail although a later slot is ready (its
 * predecessor is still being copied), so a woken sleeper may go back to sleep and leave a record behind; therefore
 * whoever succeeds after sleeping wakes the next one. The chain ends only at a failed attempt, and then some
 * thread is still copying and will announce it.
 */
export abstract class WaitingFrontier implements FixedFrontier {
  readonly slotBytes: number;
  protected readonly words: Int32Array;
  protected readonly spins: number;
  readonly #notEmpty: EventCount;
  readonly #notFull: EventCount;

  constructor(words: Int32Array, shape: FrontierShape) {
    this.words = words;
    this.slotBytes = shape.slotBytes;
    this.spins = shape.spins ?? SPINS;
    this.#notEmpty = new EventCount(words, NOT_EMPTY);
    this.#notFull = new EventCount(words, NOT_FULL);
  }

  /** One attempt; with waitMs 0 it may spin for a lock but not sleep for it. */
  protected abstract insertNow(bytes: Uint8Array, length: number, waitMs: number): boolean;

  /** One attempt, likewise. */
  protected abstract takeNow(into: Uint8Array, waitMs: number): number;

  /** Repairs what a dead thread left, before everybody is woken to look again. */
  protected abstract repair(deadOwner: number): number;

  abstract size(): number;

  tryInsert(bytes: Uint8Array, length: number): boolean {
    checkRecord(length, this.slotBytes);
    const inserted = this.insertNow(bytes, length, 0);
    if (inserted) this.#notEmpty.advance(1);
    return inserted;
  }

  tryTake(into: Uint8Array): number {
    checkTarget(into, this.slotBytes);
    const length = this.takeNow(into, 0);
    if (length >= 0) this.#notFull.advance(1);
    return length;
  }

  insert(bytes: Uint8Array, length: number, timeoutMs = Number.POSITIVE_INFINITY): Inserted {
    checkRecord(length, this.slotBytes);
    if (this.insertNow(bytes, length, timeoutMs)) {
      this.#notEmpty.advance(1);
      return "inserted";
    }
    const deadline = performance.now() + timeoutMs;
    let expired = false;
    for (;;) {
      const seen = this.#notFull.read();
      if (this.insertNow(bytes, length, Math.max(0, deadline - performance.now()))) {
        this.#notEmpty.advance(1);
        this.#notFull.advance(1);
        return "inserted";
      }
      if (Atomics.load(this.words, SHUTDOWN) !== 0) return "shutdown";
      if (expired) return "timeout";
      expired = !this.#notFull.wait(seen, deadline - performance.now());
    }
  }

  take(into: Uint8Array, timeoutMs = Number.POSITIVE_INFINITY): number {
    checkTarget(into, this.slotBytes);
    const quick = this.takeNow(into, timeoutMs);
    if (quick >= 0) {
      this.#notFull.advance(1);
      return quick;
    }
    const deadline = performance.now() + timeoutMs;
    let expired = false;
    for (;;) {
      const seen = this.#notEmpty.read();
      const length = this.takeNow(into, Math.max(0, deadline - performance.now()));
      if (length >= 0) {
        this.#notFull.advance(1);
        this.#notEmpty.advance(1);
        return length;
      }
      if (expired || Atomics.load(this.words, SHUTDOWN) !== 0) return -1;
      expired = !this.#notEmpty.wait(seen, deadline - performance.now());
    }
  }

  shutDown(): void {
    Atomics.store(this.words, SHUTDOWN, 1);
    this.#notEmpty.advance();
    this.#notFull.advance();
  }

  reclaim(deadOwner: number): number {
    const held = this.repair(deadOwner);
    // It may have died with a wake-up in hand, or before it announced what it had done.
    this.#notEmpty.advance();
    this.#notFull.advance();
    return held;
  }

  /** For further ways to insert: wakes one thread that waits for a record. */
  protected announceRecord(): void {
    this.#notEmpty.advance(1);
  }

  /** For further ways to remove: wakes one thread that waits for room. */
  protected announceRoom(): void {
    this.#notFull.advance(1);
  }

  /** Sleeps for the lock as long as the caller may, else spins for it. */
  protected enterLock(mutex: Mutex, waitMs: number): boolean {
    return waitMs > 0 ? mutex.lock(waitMs) : mutex.spinLock(this.spins);
  }
}
