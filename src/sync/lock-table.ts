import { CapacityError } from "../errors.ts";

/** Per entry: who holds the lock, a bit each, and in the sign bit whether to write; 0 when unused. */
const HOLDERS = 0;
/** Threads that are asleep at the entry or about to be. */
const WAITERS = 1;
const ENTRY_WORDS = 2;
const WRITER = 0x80000000 | 0;

/** Owners have a bit each, beside the sign bit. */
export const MAX_LOCK_OWNERS = 31;

/**
 * Reader/writer locks by hash of a path. An entry is one word: the same atomic step that finds it unused fills it, and
 * the last holder's release empties it, so that there are never two locks for one path and nothing to clean up. Paths
 * with the same entry share a lock, which only makes somebody wait. A thread holds at most one lock at a time.
 */
export class LockTable {
  readonly #words: Int32Array;
  readonly #base: number;
  readonly #mask: number;
  readonly #me: number;

  /** `entries` is a power of two, `ownerId` a number from 1 to 31 that no other thread has. */
  constructor(words: Int32Array, index: number, entries: number, ownerId: number) {
    if (entries < 1 || (entries & (entries - 1)) !== 0) {
      throw new CapacityError(`the number of locks must be a power of two, not ${entries}`);
    }
    if (ownerId < 1 || ownerId > MAX_LOCK_OWNERS) {
      throw new CapacityError(
        `a lock table is for threads 1 to ${MAX_LOCK_OWNERS}, not ${ownerId}`,
      );
    }
    this.#words = words;
    this.#base = index;
    this.#mask = entries - 1;
    this.#me = 1 << (ownerId - 1);
  }

  /** Words needed for that many entries. */
  static words(entries: number): number {
    return entries * ENTRY_WORDS;
  }

  /** Never blocks: false when somebody writes there. */
  tryRead(hash: number): boolean {
    const at = this.#at(hash) + HOLDERS;
    for (;;) {
      const seen = Atomics.load(this.#words, at);
      if (seen < 0) return false;
      if (Atomics.compareExchange(this.#words, at, seen, seen | this.#me) === seen) return true;
    }
  }

  /** Never blocks: false when somebody reads or writes there. */
  tryWrite(hash: number): boolean {
    const at = this.#at(hash) + HOLDERS;
    return Atomics.compareExchange(this.#words, at, 0, WRITER | this.#me) === 0;
  }

  /** Blocks until nobody writes there; others may read at the same time. */
  read(hash: number): void {
    while (!this.tryRead(hash)) this.#sleepWhile(hash, WRITER);
  }

  /** Blocks until this thread is alone there. */
  write(hash: number): void {
    while (!this.tryWrite(hash)) this.#sleepWhile(hash, -1);
  }

  /** Gives back what this thread holds there, and wakes those who wait for it. */
  release(hash: number): void {
    const at = this.#at(hash);
    // Beside a writer nobody holds the entry, so a reader that clears the sign bit clears nothing.
    Atomics.and(this.#words, at + HOLDERS, ~(WRITER | this.#me));
    if (Atomics.load(this.#words, at + WAITERS) > 0) Atomics.notify(this.#words, at + HOLDERS);
  }

  /** How many threads hold the lock of that hash, for tests and statistics. */
  holders(hash: number): number {
    let bits = Atomics.load(this.#words, this.#at(hash) + HOLDERS) & ~WRITER;
    let count = 0;
    for (; bits !== 0; bits &= bits - 1) count++;
    return count;
  }

  /** Entries that are in use; 0 when nobody holds a lock. */
  used(): number {
    let count = 0;
    for (let entry = 0; entry <= this.#mask; entry++) {
      if (Atomics.load(this.#words, this.#base + entry * ENTRY_WORDS + HOLDERS) !== 0) count++;
    }
    return count;
  }

  #at(hash: number): number {
    return this.#base + (hash & this.#mask) * ENTRY_WORDS;
  }

  /** Sleeps while one of these bits is set; comes back early now and then. */
  #sleepWhile(hash: number, bits: number): void {
    const at = this.#at(hash);
    // Raised before the look: a release after the look sees it, one before the look changed the word.
    Atomics.add(this.#words, at + WAITERS, 1);
    const seen = Atomics.load(this.#words, at + HOLDERS);
    if ((seen & bits) !== 0) Atomics.wait(this.#words, at + HOLDERS, seen);
    Atomics.sub(this.#words, at + WAITERS, 1);
  }

  /** Gives back every lock of a dead thread and returns their number. What they guarded may be half changed. */
  static reclaim(words: Int32Array, index: number, entries: number, deadOwner: number): number {
    const dead = 1 << (deadOwner - 1);
    let held = 0;
    for (let entry = 0; entry < entries; entry++) {
      const at = index + entry * ENTRY_WORDS + HOLDERS;
      if ((Atomics.load(words, at) & dead) !== 0) {
        Atomics.and(words, at, ~(WRITER | dead));
        held++;
      }
      // Always: it may have released a lock and died before it notified.
      Atomics.notify(words, at);
    }
    return held;
  }
}
