const FIRST_BITS = 10; // blocks of the first segment: 32,768 keys, 388 KiB
const FIRST_BLOCKS = 1 << FIRST_BITS;
const NONE = -1;

/** Keys of one block. */
export const BLOCK_KEYS = 32;

// Segment s holds 2^(10 + s) blocks. Counted from 2^10, the highest bit of a block's number names its segment and the
// bits below its place in it.
const segmentOf = (block: number) => 31 - FIRST_BITS - Math.clz32(block + FIRST_BLOCKS);
const placeOf = (block: number, segment: number) =>
  block + FIRST_BLOCKS - (FIRST_BLOCKS << segment);

/**
 * Blocks of keys that are chained backwards. The pool grows by segments that double in size and never move: no pause to
 * copy what is there, no second copy of a gigabyte, and at most a few dozen segments to look through.
 * Memory of a segment that was never used is not resident.
 */
export class BlockPool {
  readonly #priorities: Float64Array[] = [];
  readonly #ids: Uint32Array[] = [];
  /** The block before in its chain, or the next free block. */
  readonly #before: Int32Array[] = [];
  #free = NONE;
  /** Blocks from here on were never used. */
  #unused = 0;

  /** A block that follows `before` in its chain. */
  take(before: number): number {
    const block = this.#free === NONE ? this.#unused++ : this.#free;
    const segment = segmentOf(block);
    if (segment === this.#before.length) this.#addSegment();
    const links = this.#before[segment]!;
    const place = placeOf(block, segment);
    if (block === this.#free) this.#free = links[place]!;
    links[place] = before;
    return block;
  }

  /** Gives a block back and returns the one before it, or -1. */
  release(block: number): number {
    const segment = segmentOf(block);
    const links = this.#before[segment]!;
    const place = placeOf(block, segment);
    const before = links[place]!;
    links[place] = this.#free;
    this.#free = block;
    return before;
  }

  put(block: number, slot: number, priority: number, id: number): void {
    const segment = segmentOf(block);
    const at = placeOf(block, segment) * BLOCK_KEYS + slot;
    this.#priorities[segment]![at] = priority;
    this.#ids[segment]![at] = id;
  }

  /** Copies the first `count` keys of a block to columns. */
  copy(block: number, count: number, priorities: Float64Array, ids: Uint32Array, to: number): void {
    const segment = segmentOf(block);
    const from = placeOf(block, segment) * BLOCK_KEYS;
    const sourcePriorities = this.#priorities[segment]!;
    const sourceIds = this.#ids[segment]!;
    for (let i = 0; i < count; i++) {
      priorities[to + i] = sourcePriorities[from + i]!;
      ids[to + i] = sourceIds[from + i]!;
    }
  }

  #addSegment(): void {
    const blocks = FIRST_BLOCKS << this.#before.length;
    this.#before.push(new Int32Array(blocks));
    this.#priorities.push(new Float64Array(blocks * BLOCK_KEYS));
    this.#ids.push(new Uint32Array(blocks * BLOCK_KEYS));
  }
}
