import { OrbweaverError } from "../errors.ts";

const SMALLEST_CAPACITY = 16;

/** Checks a priority once, where it enters: NaN has no place in any order. */
export function checkPriority(priority: number): void {
  if (Number.isNaN(priority)) throw new OrbweaverError("OW_BAD_KEY", "a priority cannot be NaN");
}

/** One key: higher priorities leave the queue first, the id is the caller's (usually a URL's number). */
export interface Key {
  readonly priority: number;
  readonly id: number;
}

/**
 * A batch of keys in two parallel columns, 12 bytes per key. A priority is a double, so OPIC cash in integers up to
 * 2^53 keeps every bit; an id is an unsigned 32-bit integer. Only `push` checks; whoever writes columns directly vouches.
 */
export class Keys {
  priorities: Float64Array;
  ids: Uint32Array;
  length = 0;

  constructor(capacity: number = SMALLEST_CAPACITY) {
    this.priorities = new Float64Array(capacity);
    this.ids = new Uint32Array(capacity);
  }

  /** Makes a batch of existing columns, without copying. */
  static over(priorities: Float64Array, ids: Uint32Array, length = priorities.length): Keys {
    const keys = new Keys(0);
    keys.priorities = priorities;
    keys.ids = ids;
    keys.length = length;
    return keys;
  }

  /** Appends one key. */
  push(priority: number, id: number): void {
    checkPriority(priority);
    const at = this.extend(1);
    this.priorities[at] = priority;
    this.ids[at] = id;
  }

  /** Makes room for `count` more keys and counts them; the caller fills the columns from the position returned. */
  extend(count: number): number {
    const from = this.length;
    const length = from + count;
    if (length > this.priorities.length) this.#grow(length);
    this.length = length;
    return from;
  }

  /** Forgets the keys and keeps the memory. */
  clear(): void {
    this.length = 0;
  }

  #grow(length: number): void {
    const capacity = Math.max(SMALLEST_CAPACITY, length, Math.ceil(this.priorities.length * 1.5));
    const priorities = new Float64Array(capacity);
    const ids = new Uint32Array(capacity);
    priorities.set(this.priorities.subarray(0, this.length));
    ids.set(this.ids.subarray(0, this.length));
    this.priorities = priorities;
    this.ids = ids;
  }
}
