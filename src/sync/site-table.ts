import { CapacityError } from "../errors.ts";

/** No site has this key: a key of 0 is taken for 1. */
const FREE = 0n;
const NO_KEY_BUT_ONE = 1n;

/** Words of a slot beside its key: places that are reserved or pages, and pages. */
const TAKEN = 0;
const PAGES = 1;
const SLOT_WORDS = 2;

/** Bytes of shared memory for a table of `slots` slots, a power of two. */
export function siteTableBytes(slots: number): number {
  if (slots < 1 || (slots & (slots - 1)) !== 0) {
    throw new CapacityError(`the table of sites needs a power of two, not ${slots}`);
  }
  return slots * (8 + 4 * SLOT_WORDS);
}

/**
 * How many pages of each site there are and how many more are on their way, for threads that share sites: `--max-pages-per-site`
 * without owners. A slot gets its key in one atomic step and keeps it; a place is reserved only below the limit.
 */
export class SiteTable {
  readonly #keys: BigInt64Array;
  readonly #words: Int32Array;
  readonly #limit: number;

  constructor(memory: SharedArrayBuffer, limit: number) {
    const slots = memory.byteLength / (8 + 4 * SLOT_WORDS);
    this.#keys = new BigInt64Array(memory, 0, slots);
    this.#words = new Int32Array(memory, 8 * slots);
    this.#limit = limit;
  }

  /** The slot of a site, by the halves of its fingerprint; a new site gets a free one. */
  slotOf(low: number, high: number): number {
    const wide = (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
    const key = wide === FREE ? NO_KEY_BUT_ONE : wide;
    const mask = this.#keys.length - 1;
    for (let i = 0; i <= mask; i++) {
      const slot = (low + i) & mask;
      const found = Atomics.compareExchange(this.#keys, slot, FREE, key);
      if (found === FREE || found === key) return slot;
    }
    throw new CapacityError(`more than ${mask + 1} sites: --max-pages-per-site has no room left`);
  }

  /** Reserves a place; false when all are reserved or used. */
  tryReserve(slot: number): boolean {
    const at = SLOT_WORDS * slot + TAKEN;
    for (;;) {
      const taken = Atomics.load(this.#words, at);
      if (taken >= this.#limit) return false;
      if (Atomics.compareExchange(this.#words, at, taken, taken + 1) === taken) return true;
    }
  }

  /** The reserved place has become a page. */
  becomePage(slot: number): void {
    Atomics.add(this.#words, SLOT_WORDS * slot + PAGES, 1);
  }

  /** The reserved place is free again. */
  giveBack(slot: number): void {
    Atomics.sub(this.#words, SLOT_WORDS * slot + TAKEN, 1);
  }

  /** True when there are as many pages as allowed: no place will come back. */
  isSpent(slot: number): boolean {
    return Atomics.load(this.#words, SLOT_WORDS * slot + PAGES) >= this.#limit;
  }
}
