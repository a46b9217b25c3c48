/** Gives the next priority of a stream. */
export type NextKey = () => number;

/** Marsaglia's xorshift, as in bench/queue/std-queue.cpp: a number in [0, 1), the same in every run. */
export function xorshift(seed = 1): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** Keys as a frontier would see them: integers up to 2^53, the same for the same seed. */
export const STREAMS = {
  uniform: (seed?: number): NextKey => {
    const random = xorshift(seed);
    return () => Math.floor(random() * 2 ** 53);
  },
  // Cash spread over out-links has a heavy tail: most pages hold little, a few hold very much.
  "OPIC-like": (seed?: number): NextKey => {
    const random = xorshift(seed);
    return () => Math.min(2 ** 53 - 1, Math.floor(1000 * (random() + 2 ** -33) ** -1.3));
  },
  "16 values": (seed?: number): NextKey => {
    const random = xorshift(seed);
    return () => Math.floor(random() * 16);
  },
  "all equal": (): NextKey => () => 7,
  "better and better": (): NextKey => {
    let next = 0;
    return () => next++;
  },
  "worse and worse": (): NextKey => {
    let next = 2 ** 52;
    return () => next--;
  },
} as const;
