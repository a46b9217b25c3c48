/** Marsaglia's xorshift, as in queue/std-queue.cpp: a number in [0, 1), the same in every run. */
export function generator(seed = 1) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** Random 32-bit words that do not repeat: for fingerprints. */
export function mixer(seed, step) {
  let state = seed;
  return () => {
    state = (state + step) | 0;
    let h = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
    return (h ^ (h >>> 15)) >>> 0;
  };
}
