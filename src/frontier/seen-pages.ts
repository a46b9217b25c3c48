/** A new chunk is at most this part of what is there: memory grows by 1.6 % at a time. */
const PARTS_BITS = 6;
const PARTS = 1 << PARTS_BITS;

/**
 * Pages of slots in a growing row of typed arrays: pages 0 to 127 have a chunk each, the next 128 share 64 chunks of
 * two, the next 256 have chunks of four. So a small store takes a page, a large one some hundred arrays (they
 * stay in the cache), and nothing is ever copied.
 */
export class PageStore {
  readonly #pageWords: number;
  readonly #chunks: Int32Array[] = [];
  #count = 0;
  #bytes = 0;

  constructor(pageSlots: number) {
    this.#pageWords = 2 * pageSlots;
  }

  /** How many pages were appended. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(): void {
    const chunk = chunkOf(this.#count);
    if (chunk === this.#chunks.length) {
      const words = new Int32Array(this.#pageWords << shiftOf(this.#count));
      this.#chunks.push(words);
      this.#bytes += words.byteLength;
    }
    this.#count++;
  }

  /** The array a page lies in. */
  wordsOf(page: number): Int32Array {
    return this.#chunks[chunkOf(page)]!;
  }

  /** Where in its array the page starts. */
  offsetOf(page: number): number {
    return (page & ((1 << shiftOf(page)) - 1)) * this.#pageWords;
  }
}

/** The chunk's size as a power of two, in pages. */
function shiftOf(page: number): number {
  return page < PARTS ? 0 : 31 - PARTS_BITS - Math.clz32(page);
}

/** Numbers chunks like floating-point values: the exponent, then the first bits after the leading one. */
function chunkOf(page: number): number {
  const shift = shiftOf(page);
  return (shift << PARTS_BITS) + (page >>> shift);
}
