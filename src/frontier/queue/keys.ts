import { OrbweaverError } from "../../errors.ts";

const MIN_CAPACITY = 16;

/** Checks a priority where it enters: NaN has no place in any order. */
function checkPriority(priority: number): void {
  if (typeof priority === "number" && !Number.isNaN(priority)) return;
  const shown = typeof priority === "number" ? "NaN" : `a ${typeof priority}`;
  throw new OrbweaverError("OW_BAD_KEY", `a priority is a number, not ${shown}`);
}

/** Checks an id where it enters: a column of 32-bit integers would keep another one. */
function checkId(id: number): void {
  if (id >>> 0 === id) return;
  throw new OrbweaverError("OW_BAD_KEY", `an id is an integer from 0 to ${2 ** 32 - 1}, not ${id}`);
}

/** One key: higher priorities leave the queue first, the id is the caller's (usually a URL's number). */
export interface Key {
  readonly priority: number;
  readonly id: number;
}

/** Priorities and ids of the same keys, side by side. */
export interface KeyColumns {
  readonly priorities: Float64Array;
  readonly ids: Uint32Array;
}

/**
 * A batch of keys in two parallel columns, 12 bytes per key. A priority is a double, so OPIC cash in integers up to
 * 2^53 keeps every bit; an id is an unsigned 32-bit integer.
 */
export class Keys {
  priorities: Float64Array;
  ids: Uint32Array;
  length = 0;

  constructor(capacity: number = MIN_CAPACITY) {
    if (!(Number.isSafeInteger(capacity) && capacity >= 0)) {
      throw new OrbweaverError(
        "OW_BAD_COUNT",
        `a batch has room for 0 keys or more, not ${capacity}`,
      );
    }
    this.priorities = new Float64Array(capacity);
    this.ids = new Uint32Array(capacity);
  }

  /** Makes a batch of numbers: keys are numbered 0, 1, 2 … unless their ids are given. */
  static of(priorities: ArrayLike<number>, ids?: ArrayLike<number>): Keys {
    const keys = new Keys(priorities.length);
    for (let i = 0; i < priorities.length; i++) keys.push(priorities[i]!, ids ? ids[i]! : i);
    return keys;
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
    checkId(id);
    this.add(priority, id);
  }

  /** Appends one key that was checked before. */
  add(priority: number, id: number): void {
    const at = this.extend(1);
    this.priorities[at] = priority;
    this.ids[at] = id;
  }

  /** Appends `count` keys of other columns. */
  append(source: KeyColumns, from: number, count: number): void {
    this.put(this.extend(count), source, from, count);
  }

  /** Overwrites the keys at `at` with `count` keys of other columns; the length stays. */
  put(at: number, { priorities, ids }: KeyColumns, from: number, count: number): void {
    this.priorities.set(priorities.subarray(from, from + count), at);
    this.ids.set(ids.subarray(from, from + count), at);
  }

  /** Makes room for `count` more keys and counts them; the caller fills the columns from the position returned. */
  extend(count: number): number {
    const from = this.length;
    const length = from + count;
    if (length > this.priorities.length) this.#grow(length);
    this.length = length;
    return from;
  }

  /** The keys, one by one; for loops that need not be fast. */
  *[Symbol.iterator](): IterableIterator<Key> {
    for (let i = 0; i < this.length; i++) yield { priority: this.priorities[i]!, id: this.ids[i]! };
  }

  /** Checks columns that the caller filled: a NaN, or a length that they do not have. */
  check(): void {
    const { priorities, ids, length } = this;
    if (!(length >= 0 && length <= priorities.length && length <= ids.length)) {
      throw new OrbweaverError("OW_BAD_KEY", `these columns do not hold ${length} keys`);
    }
    for (let i = 0; i < length; i++) if (Number.isNaN(priorities[i]!)) checkPriority(Number.NaN);
  }

  /** Forgets the keys and keeps the memory. */
  clear(): void {
    this.length = 0;
  }

  #grow(length: number): void {
    const { priorities, ids } = this;
    const capacity = Math.max(MIN_CAPACITY, length, Math.ceil(priorities.length * 1.5));
    this.priorities = new Float64Array(capacity);
    this.ids = new Uint32Array(capacity);
    this.put(0, { priorities, ids }, 0, this.length);
  }
}
