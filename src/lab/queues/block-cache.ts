/** Follows which positions of a queue's memory are used, counted in keys. */
export interface AccessWatch {
  /** `fresh` positions are overwritten without being read. */
  touch(from: number, to: number, use: "read" | "write" | "fresh"): void;
  /** From both ends to the middle, as a partition reads and writes. */
  sweep(from: number, to: number): void;
  /** The keys there have left the queue: nobody will read them again. */
  forget(from: number, to: number): void;
}

/** Chooses the block that leaves a full cache; the cached blocks come longest unused first. */
export type Victim = (cached: IterableIterator<number>) => number;

/** Least recently used. */
export const leastRecent: Victim = (cached) => cached.next().value!;

/**
 * A cache of disk blocks that moves no bytes and only counts: what would a queue's memory cost if only `cacheBlocks` of
 * its blocks fitted into RAM? A dirty block is written when it leaves and read when it is used again, unless it was
 * overwritten or forgotten in between.
 */
export class BlockCache implements AccessWatch {
  reads = 0;
  writes = 0;
  readonly #blockKeys: number;
  readonly #blocks: number;
  readonly #cacheBlocks: number;
  readonly #victim: Victim;
  /** Block -> dirty. A Map keeps the order of insertion, so re-inserting on every use makes it a list by age. */
  readonly #cached = new Map<number, boolean>();
  readonly #onDisk = new Set<number>();

  /** `keys` is the length of the (circular) memory; it should be a multiple of `blockKeys`. */
  constructor(keys: number, blockKeys: number, cacheBlocks: number, victim: Victim = leastRecent) {
    this.#blockKeys = blockKeys;
    this.#blocks = Math.ceil(keys / blockKeys);
    this.#cacheBlocks = Math.max(2, cacheBlocks);
    this.#victim = victim;
  }

  /** Block transfers in both directions. */
  get transfers(): number {
    return this.reads + this.writes;
  }

  /** The block a position lies in. */
  blockOf(position: number): number {
    return Math.floor(position / this.#blockKeys) % this.#blocks;
  }

  touch(from: number, to: number, use: "read" | "write" | "fresh"): void {
    if (to <= from) return;
    const last = Math.floor((to - 1) / this.#blockKeys);
    for (let block = Math.floor(from / this.#blockKeys); block <= last; block++) {
      this.#use(block % this.#blocks, use);
    }
  }

  sweep(from: number, to: number): void {
    let low = Math.floor(from / this.#blockKeys);
    let high = Math.floor((to - 1) / this.#blockKeys);
    while (low <= high) {
      this.#use(low++ % this.#blocks, "write");
      if (low <= high) this.#use(high-- % this.#blocks, "write");
    }
  }

  forget(from: number, to: number): void {
    // Only whole blocks: the first one may begin with keys forgotten earlier, the last one still has live keys.
    const end = Math.floor(to / this.#blockKeys);
    for (let block = Math.floor(from / this.#blockKeys); block < end; block++) {
      this.#cached.delete(block % this.#blocks);
      this.#onDisk.delete(block % this.#blocks);
    }
  }

  #use(block: number, use: "read" | "write" | "fresh"): void {
    const dirty = this.#cached.get(block);
    if (dirty === undefined) {
      if (use !== "fresh" && this.#onDisk.has(block)) this.reads++;
      if (this.#cached.size >= this.#cacheBlocks) this.#evict();
    } else {
      this.#cached.delete(block);
    }
    this.#cached.set(block, use !== "read" || dirty === true);
  }

  #evict(): void {
    const block = this.#victim(this.#cached.keys());
    if (this.#cached.get(block)) {
      this.writes++;
      this.#onDisk.add(block);
    }
    this.#cached.delete(block);
  }
}
