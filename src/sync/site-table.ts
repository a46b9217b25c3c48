import { CapacityError } from "../errors.ts";
import { KEY_BYTES, KeySlots } from "./key-slots.ts";

/** Words of a slot beside its key: places that are reserved or pages, and pages. */
const TAKEN = 0;
const PAGES = 1;
const SLOT_WORDS = 2;

/** Bytes of shared memory for a table of `slots` slots, a power of two. */
export function siteTableBytes(slots: number): number {
  if (slots < 1 || (slots & (slots - 1)) !== 0) {
    throw new CapacityError(`the table of sites needs a power of two, not ${slots}`);
  }
  return slots * (KEY_BYTES + 4 * SLOT_WORDS);
}

/**
 * How many pages of each site there are and how many more are on their way, for threads that share sites: `--max-pages-per-site`
 * without owners. A place is reserved only below the limit.
 */
export class SiteTable {
  readonly #keys: KeySlots;
  readonly #slots: number;
  readonly #words: Int32Array;
  readonly #limit: number;

  constructor(memory: SharedArrayBuffer, limit: number) {
    this.#slots = memory.byteLength / (KEY_BYTES + 4 * SLOT_WORDS);
    this.#keys = new KeySlots(memory, 0, this.#slots);
    this.#words = new Int32Array(memory, KEY_BYTES * this.#slots);
    this.#limit = limit;
  }

  /** The slot of a site, by the halves of its fingerprint; a new site gets a free one. */
  slotOf(low: number, high: number): number {
    const slot = this.#keys.of(low, high);
    if (slot >= 0) return slot;
    throw new CapacityError(
      `more than ${this.#slots} sites: --max-pages-per-site has no room left`,
    );
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
