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

  /** Adds copies of all keys of the batch. Ids may repeat. */
  insertMany(keys: Keys): void;

  /** Takes out the `count` best keys, or all if there are fewer, and appends them to `into` in no particular order. */
  extractTop(count: number, into?: Keys): Keys;

  /** The best key, which stays; undefined when nothing waits. */
  peek(): Key | undefined;
}
