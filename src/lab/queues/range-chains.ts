import type { Keys } from "../../frontier/queue/keys.ts";
import { BLOCK_KEYS, BlockPool } from "./block-pool.ts";

const NONE = -1;

/** One unordered bag of keys per range, as chains of small blocks from one pool; and which bags are not empty. */
export class RangeChains {
  readonly sizes: Int32Array;
  readonly #last: Int32Array;
  readonly #pool = new BlockPool();
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
    if (slot === 0) this.#last[range] = this.#pool.take(this.#last[range]!);
    if (size === 0) this.#mark(range);
    this.#pool.put(this.#last[range]!, slot, priority, id);
    this.sizes[range] = size + 1;
  }

  /** Moves all keys of a range to `into`. */
  drain(range: number, into: Keys): void {
    let block = this.#last[range]!;
    let count = this.sizes[range]! % BLOCK_KEYS || BLOCK_KEYS; // only the last block is partly filled
    while (block !== NONE) {
      const at = into.extend(count);
      this.#pool.copy(block, count, into.priorities, into.ids, at);
      block = this.#pool.release(block);
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
}
