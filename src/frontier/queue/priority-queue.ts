import { OrbweaverError } from "../../errors.ts";
import type { Key, Keys } from "./keys.ts";

/**
 * Keys that wait, best first, in bulk: crawling takes and adds keys by the thousand, never one at a time
 * (Marin, Paredes, Bonacic 2008). Every implementation passes one contract; only the cost differs.
 *
 * The highest priority leaves first. The order among equal priorities is unspecified, but the same calls always give the
 * same answer: nothing here depends on time, addresses or unseeded randomness.
 */
export interface PriorityQueue {
  /** How many keys wait. */
  readonly size: number;

  /** Comparisons of two keys so far; the deterministic measure of work. */
  readonly comparisons: number;

  /** Adds copies of all keys of the batch, or none when one of them has no priority (NaN). Ids may repeat. */
  insertMany(keys: Keys): void;

  /**
   * Takes out the `count` best keys, or all if there are fewer (Infinity asks for all), and appends them to `into` in
   * no particular order. Anything but a whole number or Infinity throws OW_BAD_COUNT and takes out nothing.
   */
  extractTop(count: number, into?: Keys): Keys;

  /** The best key, which stays; undefined when nothing waits. */
  peek(): Key | undefined;
}

/** How many keys a call for `count` gets. Checked where it enters: half a key would corrupt positions. */
export function available(count: number, size: number): number {
  if (count === Number.POSITIVE_INFINITY) return size;
  return Math.min(whole(count, 0, "the number of keys to extract"), size);
}

/** Returns a whole number of at least `min`; anything else throws OW_BAD_COUNT. */
export function whole(value: number, min: number, what: string): number {
  if (Number.isSafeInteger(value) && value >= min) return value;
  const shown = typeof value === "number" ? value : `a ${typeof value}`;
  throw new OrbweaverError(
    "OW_BAD_COUNT",
    `${what} is a whole number from ${min} on, not ${shown}`,
  );
}
