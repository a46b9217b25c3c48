/** Free permits; the sign bit is set once the semaphore is closed. */
const PERMITS = 0;
/** Threads that are asleep or about to be. */
const WAITERS = 1;
/** Those of them that want more than one permit: then one wake-up per permit is not enough. */
const GREEDY = 2;
const CLOSED = 0x80000000 | 0;
const COUNT_MASK = 0x7fffffff;

/** Why a blocking call came back. */
export type Acquired = "acquired" | "timed-out" | "closed";

/** Counting semaphore in shared memory; permits may be given by one thread and taken by another. */
export class Semaphore {
  static readonly WORDS = 3;
  readonly #words: Int32Array;
  readonly #base: number;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#base = index;
  }

  /** Sets the permits of a fresh semaphore; call once, before any thread uses it. */
  static initialise(words: Int32Array, index: number, permits: number): void {
    Atomics.store(words, index + PERMITS, permits);
  }

  /** Never blocks: takes all n permits or none. */
  tryAcquire(n = 1): boolean {
    for (;;) {
      const seen = Atomics.load(this.#words, this.#base + PERMITS);
      if ((seen & COUNT_MASK) < n) return false;
      if (Atomics.compareExchange(this.#words, this.#base + PERMITS, seen, seen - n) === seen) {
        return true;
      }
    }
  }

  /** Blocks until n permits are taken at once; "timed-out" and "closed" take none and lose none. */
  acquire(n = 1, timeoutMs = Number.POSITIVE_INFINITY): Acquired {
    if (this.tryAcquire(n)) return "acquired";
    const greedy = n > 1 ? 1 : 0;
    Atomics.add(this.#words, this.#base + GREEDY, greedy);
    Atomics.add(this.#words, this.#base + WAITERS, 1);
    const outcome = this.#sleepUntil(n, performance.now() + timeoutMs);
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
    Atomics.add(this.#words, this.#base + PERMITS, n);
    // WAITERS is raised before a sleeper looks at PERMITS, so one of the two sides sees the other.
    if (Atomics.load(this.#words, this.#base + WAITERS) === 0) return;
    // A greedy sleeper may be woken and find too little: then everybody must look again.
    const greedy = Atomics.load(this.#words, this.#base + GREEDY) > 0;
    Atomics.notify(this.#words, this.#base + PERMITS, greedy ? Number.POSITIVE_INFINITY : n);
  }

  /** Free permits at this instant. */
  available(): number {
    return Atomics.load(this.#words, this.#base + PERMITS) & COUNT_MASK;
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
      if ((seen & COUNT_MASK) >= n) {
        if (Atomics.compareExchange(this.#words, this.#base + PERMITS, seen, seen - n) === seen) {
          return "acquired";
        }
        continue;
      }
      // Only here, with too few permits in sight, may a thread give up: no permit waits for it.
      if (seen < 0) return "closed";
      if (expired) return "timed-out";
      const leftMs = deadline - performance.now();
      expired = Atomics.wait(this.#words, this.#base + PERMITS, seen, leftMs) === "timed-out";
    }
  }

  /** After a thread died inside acquire: whatever wake-up it consumed goes to the others. */
  static reclaim(words: Int32Array, index: number): void {
    Atomics.notify(words, index + PERMITS);
  }
}
