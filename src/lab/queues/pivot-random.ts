/** Seeded 32-bit generator (xorshift, Marsaglia 2003): pivots look random to any input and are the same in every run. */
export class Random {
  #state: number;

  constructor(seed = 0x9e3779b9) {
    this.#state = seed | 0 || 1; // 0 is the one state it never leaves
  }

  /** An integer in [0, bound), bound below 2^32. */
  below(bound: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return Math.floor((x >>> 0) * 2.3283064365386963e-10 * bound);
  }
}
