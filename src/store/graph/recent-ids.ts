const SETS = 1 << 15;
const WAYS = 4;
const WORDS = 2 * WAYS;

/**
 * Ids of 64 bits that were met lately, in 1 MiB. The low bits of an id choose a set of four places, in which the latest
 * comes first and the oldest is forgotten: with one place for each, two ids that meet there push each other out for ever.
 */
export class RecentIds {
  readonly #words = new Uint32Array(SETS * WORDS);

  /** False when the id was met lately; it is now, in any case. */
  add(high: number, low: number): boolean {
    const words = this.#words;
    const first = (low & (SETS - 1)) * WORDS;
    for (let at = first; at < first + WORDS; at += 2) {
      if (words[at] === low && words[at + 1] === high) return false;
    }
    for (let at = first + WORDS - 1; at >= first + 2; at--) words[at] = words[at - 2]!;
    words[first] = low;
    words[first + 1] = high;
    return true;
  }
}
