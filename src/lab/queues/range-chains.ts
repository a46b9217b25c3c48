import type { Keys } from "../../frontier/queue/keys.ts";

const NONE = -1;
const BLOCK_KEYS = 32;
const SEGMENT_BLOCKS = 1024; // 32,768 keys, 388 KiB

/** Blocks that are allocated together. */
class Segment {
  readonly priorities = new Float64Array(SEGMENT_BLOCKS * BLOCK_KEYS);
  readonly ids = new Uint32Array(SEGMENT_BLOCKS * BLOCK_KEYS);
  /** The block before in its chain, or the next free block. */
  readonly before = new Int32Array(SEGMENT_BLOCKS);
}

/**
 * One unordered bag of keys per range, and which bags are not empty. A bag is a chain of small blocks, linked backwards,
 * from one pool that grows by segments which never move: no pause to copy what is there, no second copy of a gigabyte.
 */
export class RangeChains {
  readonly sizes: Int32Array;
  readonly #last: Int32Array;
  readonly #segments: Segment[] = [];
  #free = NONE;
  /** Blocks from here on were never used. */
  #unused = 0;
  /** Bit r of level 0 is set if range r is not empty, bit w of level n + 1 if word w of level n is not zero. */
  readonly #levels: Int32Array[] = [];

  constructor(ranges: number) {
    this.sizes = new Int32Array(ranges);
    this.#last = new Int32Array(ranges).fill(NONE);
    for (let bits = ranges; bits > 1; bits = Math.ceil(bits / 32)) {
      this.#levels.push(new Int32Array(Math.ceil(bits / 32)));
    }
  }

  append(range: number, priority: number, id: number): void {
    const size = this.sizes[range]!;
    const slot = size % BLOCK_KEYS;
    if (slot === 0) this.#last[range] = this.#takeBlock(this.#last[range]!);
    if (size === 0) this.#mark(range);
    const block = this.#last[range]!;
    const { priorities, ids } = this.#segmentOf(block);
    const at = (block % SEGMENT_BLOCKS) * BLOCK_KEYS + slot;
    priorities[at] = priority;
    ids[at] = id;
    this.sizes[range] = size + 1;
  }

  /** Moves all keys of a range to `into`. */
  drain(range: number, into: Keys): void {
    let block = this.#last[range]!;
    let count = this.sizes[range]! % BLOCK_KEYS || BLOCK_KEYS; // only the last block is partly filled
    while (block !== NONE) {
      const segment = this.#segmentOf(block);
      const place = block % SEGMENT_BLOCKS;
      into.append(segment, place * BLOCK_KEYS, count);
      const before = segment.before[place]!;
      segment.before[place] = this.#free;
      this.#free = block;
      block = before;
      count = BLOCK_KEYS;
    }
    this.#last[range] = NONE;
    this.sizes[range] = 0;
    this.#unmark(range);
  }

  /** The highest range that is not empty, or -1: one word per level. */
  highest(): number {
    let bit = 0;
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      const word = this.#levels[level]![bit]!;
      if (word === 0) return NONE;
      bit = bit * 32 + 31 - Math.clz32(word);
    }
    return bit;
  }

  #segmentOf(block: number): Segment {
    return this.#segments[Math.floor(block / SEGMENT_BLOCKS)]!;
  }

  /** A block that follows `before` in its chain. */
  #takeBlock(before: number): number {
    const block = this.#free === NONE ? this.#unused++ : this.#free;
    if (block === this.#segments.length * SEGMENT_BLOCKS) this.#segments.push(new Segment());
    const links = this.#segmentOf(block).before;
    const place = block % SEGMENT_BLOCKS;
    if (block === this.#free) this.#free = links[place]!;
    links[place] = before;
    return block;
  }

  #mark(range: number): void {
    let bit = range;
    for (const words of this.#levels) {
      words[bit >> 5]! |= 1 << (bit & 31);
      bit >>= 5;
    }
  }

  #unmark(range: number): void {
    let bit = range;
    for (const words of this.#levels) {
      words[bit >> 5]! &= ~(1 << (bit & 31));
      bit >>= 5;
      if (words[bit] !== 0) return;
    }
  }
}
