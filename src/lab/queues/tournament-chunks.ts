import { Keys } from "../../frontier/queue/keys.ts";
import type { AccessWatch } from "./external-blocks.ts";

const NONE = -1;

/** Who is told about the use of chunks, and how long a disk block is. */
export interface WatchedBlocks {
  readonly watch: AccessWatch;
  readonly blockKeys: number;
}

/** The chunks of a tournament, by item number. Free item numbers are chained through `leafOf`, as in the paper. */
export class ChunkPool {
  readonly chunkKeys: number;
  /** The item's leaf, or the next free item. */
  leafOf = new Int32Array(0);
  /** None of the item's keys is below, none of those it has beaten above. */
  floors = new Float64Array(0);
  #counts = new Int32Array(0);
  #priorities = new Float64Array(0);
  #ids = new Uint32Array(0);
  #free = NONE;
  readonly #watch: AccessWatch | undefined;
  /** Distance of two chunks on disk, in keys: every chunk begins a block. */
  readonly #stride: number;

  constructor(chunkKeys: number, blocks?: WatchedBlocks) {
    this.chunkKeys = chunkKeys;
    this.#watch = blocks?.watch;
    const blockKeys = blocks?.blockKeys ?? 1;
    this.#stride = Math.ceil(chunkKeys / blockKeys) * blockKeys;
  }

  /** An item with an empty chunk. */
  take(): number {
    if (this.#free === NONE) this.#grow();
    const item = this.#free;
    this.#free = this.leafOf[item]!;
    return item;
  }

  release(item: number): void {
    this.#watch?.forget(item * this.#stride, (item + 1) * this.#stride);
    this.#counts[item] = 0;
    this.leafOf[item] = this.#free;
    this.#free = item;
  }

  fill(item: number, keys: Keys): void {
    this.store(item, keys, 0, keys.length);
  }

  /** Copies the item's keys to `arena` at `at`; returns how many. */
  load(item: number, arena: Keys, at: number): number {
    const count = this.#counts[item]!;
    const from = item * this.chunkKeys;
    this.#watch?.touch(item * this.#stride, item * this.#stride + count, "read");
    arena.priorities.set(this.#priorities.subarray(from, from + count), at);
    arena.ids.set(this.#ids.subarray(from, from + count), at);
    return count;
  }

  /** Replaces the item's keys by `count` keys of `arena`. */
  store(item: number, arena: Keys, from: number, count: number): void {
    const to = item * this.chunkKeys;
    this.#priorities.set(arena.priorities.subarray(from, from + count), to);
    this.#ids.set(arena.ids.subarray(from, from + count), to);
    this.#counts[item] = count;
    this.#watch?.touch(item * this.#stride, item * this.#stride + count, "fresh");
  }

  /** The item's keys in place. */
  view(item: number): Keys {
    const from = item * this.chunkKeys;
    const to = from + this.#counts[item]!;
    return Keys.over(this.#priorities.subarray(from, to), this.#ids.subarray(from, to));
  }

  #grow(): void {
    const had = this.leafOf.length;
    const items = Math.max(4, Math.ceil(had * 1.5));
    const grow = <A extends Float64Array | Int32Array | Uint32Array>(old: A, to: A): A => {
      to.set(old);
      return to;
    };
    this.leafOf = grow(this.leafOf, new Int32Array(items));
    this.floors = grow(this.floors, new Float64Array(items));
    this.#counts = grow(this.#counts, new Int32Array(items));
    this.#priorities = grow(this.#priorities, new Float64Array(items * this.chunkKeys));
    this.#ids = grow(this.#ids, new Uint32Array(items * this.chunkKeys));
    for (let item = items - 1; item >= had; item--) this.release(item);
  }
}
