import { CapacityError } from "../errors.ts";
import { Mutex } from "./mutex.ts";

/** Many small locks chosen by hash, for tables whose buckets may be used at the same time. */
export class StripedLocks {
  readonly #locks: Mutex[];
  readonly #mask: number;

  constructor(words: Int32Array, index: number, stripes: number, ownerId: number) {
    if (stripes < 1 || (stripes & (stripes - 1)) !== 0) {
      throw new CapacityError(`the number of stripes must be a power of two, not ${stripes}`);
    }
    this.#mask = stripes - 1;
    this.#locks = Array.from(
      { length: stripes },
      (_, stripe) => new Mutex(words, index + stripe * Mutex.WORDS, ownerId),
    );
  }

  /** Words needed for that many stripes. */
  static words(stripes: number): number {
    return stripes * Mutex.WORDS;
  }

  /** Which stripe guards that hash. */
  stripeOf(hash: number): number {
    return hash & this.#mask;
  }

  /** Blocks until the stripe of that hash is held. */
  lock(hash: number): void {
    this.#locks[hash & this.#mask]!.lock();
  }

  /** Never blocks: false when somebody holds the stripe. */
  tryLock(hash: number): boolean {
    return this.#locks[hash & this.#mask]!.tryLock();
  }

  /** Gives the stripe of that hash back. */
  unlock(hash: number): void {
    this.#locks[hash & this.#mask]!.unlock();
  }

  /** Blocks until every stripe is held; all threads take them in the same order, so that no cycle of waiting threads can form. */
  lockAll(): void {
    for (let stripe = 0; stripe <= this.#mask; stripe++) this.#locks[stripe]!.lock();
  }

  /** Gives every stripe back. */
  unlockAll(): void {
    for (let stripe = this.#mask; stripe >= 0; stripe--) this.#locks[stripe]!.unlock();
  }

  /** Takes back every stripe a dead thread held and returns their number. */
  static reclaim(words: Int32Array, index: number, stripes: number, deadOwner: number): number {
    let held = 0;
    for (let stripe = 0; stripe < stripes; stripe++) {
      if (Mutex.reclaim(words, index + stripe * Mutex.WORDS, deadOwner)) held++;
    }
    return held;
  }
}
