import { deadlineAfter, msUntil } from "../../../runtime/clock.ts";
import { EventCount } from "../../../sync/event-count.ts";
import type { Mutex } from "../../../sync/mutex.ts";
import {
  checkRecord,
  checkTarget,
  type Inserted,
  PATIENCE,
  type QueueShape,
  type RecordQueue,
  SPINS,
} from "./record-queue.ts";

const SHUTDOWN = 0;
const NOT_EMPTY = 1;
const NOT_FULL = NOT_EMPTY + EventCount.WORDS;

/** Words at the start of the memory of every technique that waits by event counts; zero at first. */
export const WAITING_WORDS = NOT_FULL + EventCount.WORDS;

/**
 * Makes waiting calls out of attempts that return at once: read the event count, attempt, sleep until it moves.
 *
 * At most one woken sleeper is under way at any time, so a thread that succeeds after sleeping makes sure that the next
 * one is woken if there is more: by a thread of the other side that it woke, which will announce in turn; or else
 * by itself. An attempt may fail although a later slot is ready, because the slot before is still being copied; the thread
 * that copies then announces it, and finds the mark that the failed one left before it went back to sleep.
 */
export abstract class WaitingQueue implements RecordQueue {
  readonly slotBytes: number;
  protected readonly words: Int32Array;
  protected readonly spins: number;
  protected readonly patience: number;
  readonly #notEmpty: EventCount;
  readonly #notFull: EventCount;

  constructor(words: Int32Array, shape: QueueShape) {
    this.words = words;
    this.slotBytes = shape.slotBytes;
    this.spins = shape.spins ?? SPINS;
    this.patience = shape.patience ?? PATIENCE;
    this.#notEmpty = new EventCount(words, NOT_EMPTY);
    this.#notFull = new EventCount(words, NOT_FULL);
  }

  /** One attempt; with waitMs 0 it may spin for a lock but not sleep for it. */
  protected abstract insertNow(bytes: Uint8Array, length: number, waitMs: number): boolean;

  /** The same for taking; -1 when nothing was taken. */
  protected abstract takeNow(into: Uint8Array, waitMs: number): number;

  /** Repairs what a dead thread left, before all sleepers are woken to look again. */
  protected abstract repair(deadOwner: number): number;

  /** Whether an attempt to take could succeed now; never false while a record that was announced is there. */
  protected hasRecord(): boolean {
    return this.size() > 0;
  }

  /** Whether an attempt to insert could succeed now; never false while room that was announced is there. */
  protected abstract hasRoom(): boolean;

  abstract size(): number;

  tryInsert(bytes: Uint8Array, length: number): boolean {
    checkRecord(length, this.slotBytes);
    const inserted = this.insertNow(bytes, length, 0);
    if (inserted) this.#notEmpty.advance();
    return inserted;
  }

  tryTake(into: Uint8Array): number {
    checkTarget(into, this.slotBytes);
    const length = this.takeNow(into, 0);
    if (length >= 0) this.#notFull.advance();
    return length;
  }

  insert(bytes: Uint8Array, length: number, timeoutMs = Number.POSITIVE_INFINITY): Inserted {
    checkRecord(length, this.slotBytes);
    if (this.insertNow(bytes, length, timeoutMs)) {
      this.#notEmpty.advance();
      return "inserted";
    }
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    let slept = false;
    for (let patience = this.patience; ; ) {
      const seen = this.#notFull.read();
      if (this.insertNow(bytes, length, msUntil(deadline))) {
        const woke = this.#notEmpty.advance();
        if (slept && !woke && this.hasRoom()) this.#notFull.advance();
        return "inserted";
      }
      if (Atomics.load(this.words, SHUTDOWN) !== 0) return "shutdown";
      if (expired) return "timeout";
      patience = this.#notFull.watch(seen, patience);
      if (patience > 0) continue;
      expired = !this.#notFull.wait(seen, msUntil(deadline));
      slept = true;
      this.#notFull.remind();
    }
  }

  take(into: Uint8Array, timeoutMs = Number.POSITIVE_INFINITY): number {
    checkTarget(into, this.slotBytes);
    const quick = this.takeNow(into, timeoutMs);
    if (quick >= 0) {
      this.#notFull.advance();
      return quick;
    }
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    let slept = false;
    for (let patience = this.patience; ; ) {
      const seen = this.#notEmpty.read();
      const length = this.takeNow(into, msUntil(deadline));
      if (length >= 0) {
        const woke = this.#notFull.advance();
        if (slept && !woke && this.hasRecord()) this.#notEmpty.advance();
        return length;
      }
      if (expired || Atomics.load(this.words, SHUTDOWN) !== 0) return -1;
      patience = this.#notEmpty.watch(seen, patience);
      if (patience > 0) continue;
      expired = !this.#notEmpty.wait(seen, msUntil(deadline));
      slept = true;
      this.#notEmpty.remind();
    }
  }

  shutDown(): void {
    Atomics.store(this.words, SHUTDOWN, 1);
    this.#notEmpty.wakeAll();
    this.#notFull.wakeAll();
  }

  reclaim(deadOwner: number): number {
    const held = this.repair(deadOwner);
    // It may have died between being woken and acting, or before it announced what it had done.
    this.#notEmpty.wakeAll();
    this.#notFull.wakeAll();
    return held;
  }

  /** For other ways to insert: wakes one thread that waits for a record. */
  protected announceRecord(): void {
    this.#notEmpty.advance();
  }

  /** For other ways to remove: wakes one thread that waits for room. */
  protected announceRoom(): void {
    this.#notFull.advance();
  }

  /** Takes the lock: spins for it, and then sleeps if the caller may wait. */
  protected enterLock(mutex: Mutex, waitMs: number): boolean {
    if (waitMs <= 0) return mutex.spinLock(this.spins);
    return mutex.spinLock(this.patience) || mutex.lock(waitMs);
  }
}
