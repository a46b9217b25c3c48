import type { Keys } from "./keys.ts";

const BLOCK_KEYS = 32;
const NONE = -1;

/** One unordered bag of keys per range, as chains of small blocks from one pool; and which bags are not empty. */
export class RangeChains {
  readonly sizes: Int32Array;
  readonly #last: Int32Array;
  /** The block before in the chain, or the next free block. */
  #before = new Int32Array(0);
  #priorities = new Float64Array(0);
  #ids = new Uint32Array(0);
  #free = NONE;
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
    if (slot === 0) this.#addBlock(range);
    if (size === 0) this.#mark(range);
    const at = this.#last[range]! * BLOCK_KEYS + slot;
    this.#priorities[at] = priority;
    this.#ids[at] = id;
    this.sizes[range] = size + 1;
  }

  /** Moves all keys of a range to `into`. */
  drain(range: number, into: Keys): void {
    let block = this.#last[range]!;
    let count = this.sizes[range]! % BLOCK_KEYS || BLOCK_KEYS; // only the last block is partly filled
    while (block !== NONE) {
      const from = block * BLOCK_KEYS;
      const at = into.extend(count);
      for (let i = 0; i < count; i++) {
        into.priorities[at + i] = this.#priorities[from + i]!;
        into.ids[at + i] = this.#ids[from + i]!;
      }
      const before = this.#before[block]!;
      this.#before[block] = this.#free;
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

  #addBlock(range: number): void {
    if (this.#free === NONE) this.#grow();
    const block = this.#free;
    this.#free = this.#before[block]!;
    this.#before[block] = this.#last[range]!;
    this.#last[range] = block;
  }

  #grow(): void {
    const had = this.#before.length;
    const blocks = Math.max(64, Math.ceil(had * 1.5));
    const before = new Int32Array(blocks);
    const priorities = new Float64Array(blocks * BLOCK_KEYS);
    const ids = new Uint32Array(blocks * BLOCK_KEYS);
    before.set(this.#before);
    priorities.set(this.#priorities);
    ids.set(this.#ids);
    for (let block = had; block < blocks; block++) before[block] = block + 1;
    before[blocks - 1] = NONE;
    this.#free = had;
    this.#before = before;
    this.#priorities = priorities;
    this.#ids = ids;
  }
}
