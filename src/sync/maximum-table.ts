import { CapacityError } from "../errors.ts";

/** A word is 0, or a value and the tag of the key it belongs to. */
const EMPTY = 0n;
const TAGS = 4096;
/** Two keys share the word: its value holds for every key of the slot. */
const ANY_KEY = TAGS + 1;
const TAG_SPAN = 2 * TAGS;
/** What fits beside a tag into an integer that a double can hold: 34 years of milliseconds. */
const MAX_VALUE = 2 ** 40 - 1;
const HEAD_BYTES = 8;

/** Bytes of shared memory for a table of `slots` slots. */
export function maximumBytes(slots: number): number {
  if (slots < 1 || (slots & (slots - 1)) !== 0) {
    throw new CapacityError(`a table of maxima needs a power of two, not ${slots}`);
  }
  return HEAD_BYTES + slots * 8;
}

/**
 * Hash of a host -> the largest number that any thread has raised for it: its delay, or the time until which it wants to
 * be left alone. Few hosts have one, so most slots are empty and a value that lasts for hours must not hold for the
 * neighbours: a word names its key by twelve more bits of the hash. Keys that share a slot all the same get the larger
 * value, so a collision only slows down.
 */
export class MaximumTable {
  /** 0 until something is raised: a crawl without such hosts pays for one look. */
  readonly #used: Int32Array;
  readonly #words: BigInt64Array;
  readonly #mask: number;
  readonly #bits: number;

  constructor(memory: SharedArrayBuffer) {
    this.#used = new Int32Array(memory, 0, 1);
    this.#words = new BigInt64Array(memory, HEAD_BYTES);
    this.#mask = this.#words.length - 1;
    this.#bits = 31 - Math.clz32(this.#words.length);
  }

  /** The largest value raised for this key; 0 when there is none. */
  of(hash: number): number {
    if (Atomics.load(this.#used, 0) === 0) return 0;
    const word = Number(Atomics.load(this.#words, hash & this.#mask));
    const tag = word % TAG_SPAN;
    return tag === this.#tagOf(hash) || tag === ANY_KEY ? Math.floor(word / TAG_SPAN) : 0;
  }

  /** Raises the value of a key, rounded up; another key's value of at most `pastValue` is worth nothing any more. */
  raise(hash: number, value: number, pastValue: number): void {
    const slot = hash & this.#mask;
    const mine = this.#tagOf(hash);
    const wanted = Math.min(Math.ceil(value), MAX_VALUE);
    Atomics.store(this.#used, 0, 1);
    for (;;) {
      const word = Atomics.load(this.#words, slot);
      const known = Math.floor(Number(word) / TAG_SPAN);
      const tag = Number(word) % TAG_SPAN;
      const isFree = word === EMPTY || known <= pastValue;
      if (!isFree && known >= wanted && (tag === mine || tag === ANY_KEY)) return;
      const next = isFree ? wanted : Math.max(known, wanted);
      const after = BigInt(next * TAG_SPAN + (isFree || tag === mine ? mine : ANY_KEY));
      if (Atomics.compareExchange(this.#words, slot, word, after) === word) return;
    }
  }

  #tagOf(hash: number): number {
    return ((hash >>> this.#bits) % TAGS) + 1;
  }
}
