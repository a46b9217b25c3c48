import { CapacityError } from "../errors.ts";
import { deadlineAfter, msUntil } from "../runtime/clock.ts";
import { CLOSED, COUNT_MASK, countOf, PermitNotes } from "./permit-notes.ts";

/** Free permits, the stamp of the last change by an owner, and the sign bit once the semaphore is closed. */
const PERMITS = 0;
/** Threads that are asleep or about to be. */
const WAITERS = 1;
/** Those of them that want more than one permit: then one wake-up per permit is not enough. */
const GREEDY = 2;
const NOTES = 3;

/** Why a blocking call came back. */
export type Acquired = "acquired" | "timed-out" | "closed";

/**
 * Counting semaphore in shared memory. A thread that names itself holds what it acquires until it releases it, and
 * `reclaim` gives back what it held when it died. Without a name permits belong to nobody: they may be given by one
 * thread and used up by another, as P and V of a bounded buffer do.
 */
export class Semaphore {
  /** Words for users without a name. */
  static readonly WORDS = NOTES;
  readonly #words: Int32Array;
  readonly #base: number;
  readonly #notes: PermitNotes;

  /** `ownerId` is 1 up to the number of owners that the words were made for, or 0 for nobody. */
  constructor(words: Int32Array, index: number, ownerId = 0) {
    this.#words = words;
    this.#base = index;
    this.#notes = new PermitNotes(words, index + PERMITS, index + NOTES, ownerId);
  }

  /** Words for that many owners; zero means no permits. */
  static words(owners: number): number {
    return NOTES + PermitNotes.words(owners);
  }

  /** Sets the permits of a fresh semaphore; call once, before any thread uses it. */
  static initialise(words: Int32Array, index: number, permits: number): void {
    if (permits > COUNT_MASK) {
      throw new CapacityError(`a semaphore has at most ${COUNT_MASK} permits, not ${permits}`);
    }
    Atomics.store(words, index + PERMITS, permits);
  }

  /** Never blocks: takes all n permits or none. */
  tryAcquire(n = 1): boolean {
    for (;;) {
      const seen = Atomics.load(this.#words, this.#base + PERMITS);
      if (countOf(seen) < n) return false;
      if (this.#notes.exchange(seen, -n)) return true;
    }
  }

  /** Blocks until n permits are taken at once; "timed-out" and "closed" take none and lose none. */
  acquire(n = 1, timeoutMs = Number.POSITIVE_INFINITY): Acquired {
    if (this.tryAcquire(n)) return "acquired";
    const greedy = n > 1 ? 1 : 0;
    Atomics.add(this.#words, this.#base + GREEDY, greedy);
    Atomics.add(this.#words, this.#base + WAITERS, 1);
    const outcome = this.#sleepUntil(n, deadlineAfter(timeoutMs));
    Atomics.sub(this.#words, this.#base + WAITERS, 1);
    Atomics.sub(this.#words, this.#base + GREEDY, greedy);
    return outcome;
  }

  /** Dijkstra's P: one permit, however long it takes (false only when closed). */
  p(): boolean {
    return this.acquire(1) === "acquired";
  }

  /** Dijkstra's V. */
  v(): void {
    this.release(1);
  }

  /** Gives n permits and wakes enough threads to use them. */
  release(n = 1): void {
    for (;;) {
      const seen = Atomics.load(this.#words, this.#base + PERMITS);
      if (this.#notes.exchange(seen, n)) break;
    }
    // WAITERS is raised before a sleeper looks at PERMITS, so one of the two sides sees the other.
    if (Atomics.load(this.#words, this.#base + WAITERS) === 0) return;
    // A greedy sleeper may be woken and find too little: then everybody must look again.
    const greedy = Atomics.load(this.#words, this.#base + GREEDY) > 0;
    Atomics.notify(this.#words, this.#base + PERMITS, greedy ? Number.POSITIVE_INFINITY : n);
  }

  /** Free permits at this instant. */
  available(): number {
    return countOf(Atomics.load(this.#words, this.#base + PERMITS));
  }

  /** Permits that this owner holds. */
  held(): number {
    return this.#notes.held();
  }

  /** Ends every present and future wait with "closed"; permits that are there can still be taken. */
  close(): void {
    Atomics.or(this.#words, this.#base + PERMITS, CLOSED);
    Atomics.notify(this.#words, this.#base + PERMITS);
  }

  #sleepUntil(n: number, deadline: number): Acquired {
    let expired = false;
    for (;;) {
      const seen = Atomics.load(this.#words, this.#base + PERMITS);
      if (countOf(seen) >= n) {
        if (this.#notes.exchange(seen, -n)) return "acquired";
        continue;
      }
      // Only here, with too few permits in sight, may a thread give up: no permit waits for it.
      if (seen < 0) return "closed";
      if (expired) return "timed-out";
      const leftMs = msUntil(deadline);
      expired = Atomics.wait(this.#words, this.#base + PERMITS, seen, leftMs) === "timed-out";
    }
  }

  /** Gives back what a dead thread held and returns how many permits that were. Call it once the thread has ended. */
  static reclaim(words: Int32Array, index: number, deadOwner: number): number {
    const dead = new Semaphore(words, index, deadOwner);
    dead.#notes.settle();
    const held = dead.held();
    dead.release(held);
    // It may have died inside acquire: whatever wake-up it consumed goes to the others.
    Atomics.notify(words, index + PERMITS);
    return held;
  }
}
