const SEGMENT_BITS = 11; // blocks per segment: 65,536 keys, 768 KiB
const SEGMENT_MASK = (1 << SEGMENT_BITS) - 1;
const NONE = -1;

/** Keys of one block. */
export const BLOCK_KEYS = 32;

/**
 * Blocks of keys that are chained backwards. The pool grows by segments that never move: no pause to copy what is there,
 * and at 8e7 keys no second copy of a gigabyte.
 */
export class BlockPool {
  readonly #priorities: Float64Array[] = [];
  readonly #ids: Uint32Array[] = [];
  /** The block before in its chain, or the next free block. */
  readonly #before: Int32Array[] = [];
  #free = NONE;
  #blocks = 0;

  /** A block that follows `before` in its chain. */
  take(before: number): number {
    if (this.#free === NONE) this.#addSegment();
    const block = this.#free;
    const links = this.#before[block >> SEGMENT_BITS]!;
    this.#free = links[block & SEGMENT_MASK]!;
    links[block & SEGMENT_MASK] = before;
    return block;
  }

  /** Gives a block back and returns the one before it, or -1. */
  release(block: number): number {
    const links = this.#before[block >> SEGMENT_BITS]!;
    const before = links[block & SEGMENT_MASK]!;
    links[block & SEGMENT_MASK] = this.#free;
    this.#free = block;
    return before;
  }

  put(block: number, slot: number, priority: number, id: number): void {
    const at = (block & SEGMENT_MASK) * BLOCK_KEYS + slot;
    this.#priorities[block >> SEGMENT_BITS]![at] = priority;
    this.#ids[block >> SEGMENT_BITS]![at] = id;
  }

  /** Copies the first `count` keys of a block to columns. */
  copy(block: number, count: number, priorities: Float64Array, ids: Uint32Array, to: number): void {
    const from = (block & SEGMENT_MASK) * BLOCK_KEYS;
    const sourcePriorities = this.#priorities[block >> SEGMENT_BITS]!;
    const sourceIds = this.#ids[block >> SEGMENT_BITS]!;
    for (let i = 0; i < count; i++) {
      priorities[to + i] = sourcePriorities[from + i]!;
      ids[to + i] = sourceIds[from + i]!;
    }
  }

  #addSegment(): void {
    const first = this.#blocks;
    const count = SEGMENT_MASK + 1;
    const links = Int32Array.from({ length: count }, (_, i) => first + i + 1);
    links[count - 1] = NONE;
    this.#before.push(links);
    this.#priorities.push(new Float64Array(count * BLOCK_KEYS));
    this.#ids.push(new Uint32Array(count * BLOCK_KEYS));
    this.#free = first;
    this.#blocks += count;
  }
}
