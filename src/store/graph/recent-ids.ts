const SETS = 1 << 15;
const WAYS = 4;
const WORDS = 2 * WAYS;
/** Words of memory for them; the code of `templates/` uses it in the same way. */
export const RECENT_WORDS = SETS * WORDS;

/**
 * Ids of 64 bits that were added lately, in 1 MiB: a cache of sets of four. The low bits of an id choose a set, in which
 * the latest id comes first and the oldest is forgotten; with sets of one, two ids could replace each other for ever.
 */
export class RecentIds {
  readonly #words: Uint32Array;

  constructor(words: Uint32Array = new Uint32Array(RECENT_WORDS)) {
    this.#words = words;
  }

  /** Adds an id; false when it was added lately. */
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
