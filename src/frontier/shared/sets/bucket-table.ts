import { Mutex } from "../../../sync/mutex.ts";
import { StripedLocks } from "../../../sync/striped.ts";
import { NOBODY } from "../techniques/node-arena.ts";
import type { PageNodes } from "./page-nodes.ts";

/*
 *   STATE       doublings, and the id of the thread that is doubling the table and holds all locks (0: none)
 *   LOCKS[b]    the lock of bucket b; there are as many as buckets = initial << doublings
 *   HEADS[b]    the first page of bucket b, whose number is the low bits of its pages' hashes
 *   COUNTS[b]   its pages
 *
 * Room for the largest table is reserved from the start, so doubling publishes one word.
 */
const STATE = 0;
const LOCKS = 1;

const DOUBLINGS_MASK = 0xff;
const RESIZER_SHIFT = 8;

/** What a table is made of; its words come first. */
export interface TableParts {
  readonly words: Int32Array;
  readonly initial: number;
  readonly maxBuckets: number;
  readonly owner: number;
  readonly mayBlock: boolean;
  readonly pages: PageNodes;
}

/** Buckets of pages with a lock each; both double together, under all locks. */
export class BucketTable {
  readonly #parts: TableParts;
  readonly #words: Int32Array;
  readonly #heads: number;
  readonly #counts: number;
  readonly #pages: PageNodes;

  constructor(parts: TableParts) {
    this.#parts = parts;
    this.#words = parts.words;
    this.#heads = LOCKS + parts.maxBuckets;
    this.#counts = this.#heads + parts.maxBuckets;
    this.#pages = parts.pages;
  }

  /** Words needed, zero at first. */
  static words(maxBuckets: number): number {
    return LOCKS + 3 * maxBuckets;
  }

  /** Buckets, and locks, at this moment. */
  buckets(): number {
    return this.#parts.initial << (Atomics.load(this.#words, STATE) & DOUBLINGS_MASK);
  }

  /** Locks the bucket of a hash and returns its number. */
  lockBucketOf(hash: number): number {
    for (;;) {
      const buckets = this.buckets();
      const bucket = hash & (buckets - 1);
      this.lockBucket(bucket);
      // The table may have doubled before the lock was taken: then this lock guards another bucket.
      if (this.buckets() === buckets) return bucket;
      this.unlockBucket(bucket);
    }
  }

  /** Locks one bucket. */
  lockBucket(bucket: number): void {
    const lock = this.#lockOf(bucket);
    if (this.#parts.mayBlock) lock.lock();
    else lock.spinLock(Number.POSITIVE_INFINITY);
  }

  /** Unlocks one bucket. */
  unlockBucket(bucket: number): void {
    this.#lockOf(bucket).unlock();
  }

  /** The first page of a locked bucket. */
  head(bucket: number): number {
    return Atomics.load(this.#words, this.#heads + bucket);
  }

  /** Sets the first page of a locked bucket. */
  setHead(bucket: number, node: number): void {
    Atomics.store(this.#words, this.#heads + bucket, node);
  }

  /** Adds to the page count of a locked bucket. */
  addCount(bucket: number, pages: number): void {
    Atomics.add(this.#words, this.#counts + bucket, pages);
  }

  /** Pages in all buckets; exact while nobody changes them. */
  count(): number {
    let pages = 0;
    const buckets = this.buckets();
    for (let bucket = 0; bucket < buckets; bucket++) {
      pages += Atomics.load(this.#words, this.#counts + bucket);
    }
    return pages;
  }

  /** Doubles table and locks, unless another thread did so since the caller saw `buckets`. The caller holds no lock. */
  double(buckets: number): void {
    if (buckets * 2 > this.#parts.maxBuckets) return;
    // All threads lock upwards, so two that double do not wait for each other.
    for (let bucket = 0; bucket < buckets; bucket++) this.lockBucket(bucket);
    if (this.buckets() === buckets) {
      const state = Atomics.load(this.#words, STATE);
      Atomics.store(this.#words, STATE, state | (this.#parts.owner << RESIZER_SHIFT));
      for (let bucket = 0; bucket < buckets; bucket++) this.#split(bucket, buckets);
      // One store: from here on the new buckets are used, and nobody is doubling.
      Atomics.store(this.#words, STATE, state + 1);
    }
    for (let bucket = buckets - 1; bucket >= 0; bucket--) this.unlockBucket(bucket);
  }

  /** If a dead thread was doubling the table, it holds all locks and chains may be torn: rebuilds all of them. */
  rebuildFor(deadOwner: number): void {
    const state = Atomics.load(this.#words, STATE);
    if (state >>> RESIZER_SHIFT !== deadOwner) return;
    const buckets = this.buckets();
    for (let bucket = 0; bucket < this.#parts.maxBuckets; bucket++) {
      this.setHead(bucket, NOBODY);
      Atomics.store(this.#words, this.#counts + bucket, 0);
    }
    const { arena } = this.#pages;
    for (let node = arena.highest(); node > NOBODY; node--) {
      if (!arena.isLive(node) || !this.#pages.isPageNode(node)) continue;
      const bucket = this.#pages.hashOf(node) & (buckets - 1);
      arena.setNext(node, this.head(bucket));
      this.setHead(bucket, node);
      this.addCount(bucket, 1);
    }
    Atomics.store(this.#words, STATE, state & DOUBLINGS_MASK);
  }

  /** Pages in buckets that a dead thread locked are in the set; counts them again. */
  settleFor(deadOwner: number): void {
    for (let bucket = 0; bucket < this.#parts.maxBuckets; bucket++) {
      if (this.#lockOf(bucket).holder() !== deadOwner) continue;
      let pages = 0;
      for (let node = this.head(bucket); node !== NOBODY; node = this.#pages.arena.next(node)) {
        this.#pages.settle(node);
        pages++;
      }
      Atomics.store(this.#words, this.#counts + bucket, pages);
    }
  }

  /** Frees a dead thread's locks; returns their number. */
  reclaim(deadOwner: number): number {
    return StripedLocks.reclaim(this.#words, LOCKS, this.#parts.maxBuckets, deadOwner);
  }

  /** Moves the pages whose next bit is set to the new bucket; both keep their order. */
  #split(bucket: number, buckets: number): void {
    const { arena } = this.#pages;
    let node = this.head(bucket);
    let stayed: number = NOBODY;
    let moved: number = NOBODY;
    this.setHead(bucket, NOBODY);
    while (node !== NOBODY) {
      const next = arena.next(node);
      if ((this.#pages.hashOf(node) & buckets) === 0) {
        this.#append(bucket, stayed, node);
        stayed = node;
      } else {
        this.#append(bucket + buckets, moved, node);
        this.addCount(bucket + buckets, 1);
        this.addCount(bucket, -1);
        moved = node;
      }
      node = next;
    }
  }

  #append(bucket: number, last: number, node: number): void {
    this.#pages.arena.setNext(node, NOBODY);
    if (last === NOBODY) this.setHead(bucket, node);
    else this.#pages.arena.setNext(last, node);
  }

  #lockOf(bucket: number): Mutex {
    return new Mutex(this.#words, LOCKS + bucket, this.#parts.owner);
  }
}
