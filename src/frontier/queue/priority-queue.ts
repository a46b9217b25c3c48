import { OrbweaverError } from "../../errors.ts";
import type { Key, Keys } from "./keys.ts";

/**
 * Keys that wait, best first, in bulk: crawling takes and adds keys by the thousand, never one at a time
 * (Marin, Paredes, Bonacic 2008). Every implementation passes one contract; only the cost differs.
 *
 * The highest priority leaves first. Which of several equal priorities leaves first is not said, but the same calls
 * always give the same answer: nothing here depends on time, addresses or unseeded chance.
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
   * no particular order. What is no such number takes out nothing: OW_BAD_COUNT.
   */
  extractTop(count: number, into?: Keys): Keys;

  /** The best key, which stays; undefined when nothing waits. */
  peek(): Key | undefined;
}

/** How many keys a call for `count` of a queue gets. Checked where it enters: half a key would corrupt positions. */
export function available(count: number, size: number): number {
  if (count === Number.POSITIVE_INFINITY) return size;
  return Math.min(whole(count, 0, "the number of keys to extract"), size);
}

/** A whole number of at least `least`, or an error that says what is wrong with it. */
export function whole(value: number, least: number, what: string): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  const shown = typeof value === "number" ? value : `a ${typeof value}`;
  throw new OrbweaverError(
    "OW_BAD_COUNT",
    `${what} is a whole number from ${least} on, not ${shown}`,
  );
}
