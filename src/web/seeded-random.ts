/** Scrambles two 32-bit words into one that looks random: the source of every per-page decision. */
export function mix(a: number, b: number): number {
  // The finalizer of MurmurHash3 over a sum with odd multipliers: full avalanche, no state.
  let h = (Math.imul(a, 0x9e3779b1) + Math.imul(b ^ 0x5bd1e995, 0x85ebca6b)) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Scrambles a text, character by character, into one word. */
export function mixText(text: string, start = 0): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}

/** A number in [0, 1) that depends on the two words alone. */
export function unit(a: number, b: number): number {
  return mix(a, b) / 0x100000000;
}

/** A small generator (mulberry32), the same on every machine: `Math.random` cannot be seeded. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = mix(seed, 0x0b5e55ed);
  }

  /** The next number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x100000000;
  }

  /** The next whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** The next number of the standard normal distribution (Box and Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return radius * Math.cos(2 * Math.PI * this.next());
  }
}
