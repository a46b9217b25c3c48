import { Monitor } from "../../sync/monitor.ts";

/** Conditions; a monitor with one condition uses NOT_FULL for both. */
const NOT_FULL = 0;
const NOT_EMPTY = 1;
/** Plain, guarded by the monitor. */
const COUNT = 0;
const TAKEN = 1;
const SLOTS = 2;

/** Bounded buffer with a monitor: two conditions as it should be, or one and signal-one as in the collapse. */
export class MonitorBuffer {
  readonly #capacity: number;
  readonly #plain: Int32Array;
  readonly #monitor: Monitor;
  readonly #notEmpty: number;

  constructor(words: Int32Array, plain: Int32Array, conditions: 1 | 2, ownerId: number) {
    this.#plain = plain;
    this.#capacity = plain.length - SLOTS;
    this.#monitor = new Monitor(words, 0, ownerId);
    this.#notEmpty = conditions === 2 ? NOT_EMPTY : NOT_FULL;
  }

  static readonly WORDS = Monitor.words(2);

  /** Plain words for a buffer of that capacity. */
  static plainWords(capacity: number): number {
    return SLOTS + capacity;
  }

  insert(item: number): void {
    this.#monitor.enter();
    while (this.#plain[COUNT] === this.#capacity) this.#monitor.wait(NOT_FULL);
    const count = this.#plain[COUNT]!;
    this.#plain[SLOTS + ((this.#plain[TAKEN]! + count) % this.#capacity)] = item;
    this.#plain[COUNT] = count + 1;
    this.#monitor.signal(this.#notEmpty);
    this.#monitor.leave();
  }

  remove(): number {
    this.#monitor.enter();
    while (this.#plain[COUNT] === 0) this.#monitor.wait(this.#notEmpty);
    const taken = this.#plain[TAKEN]!;
    const item = this.#plain[SLOTS + taken]!;
    this.#plain[TAKEN] = (taken + 1) % this.#capacity;
    this.#plain[COUNT] = this.#plain[COUNT]! - 1;
    this.#monitor.signal(NOT_FULL);
    this.#monitor.leave();
    return item;
  }
}

/** The same with nothing but the number of items, for state spaces with many threads. */
export class MonitorCounter {
  readonly #capacity: number;
  readonly #count: Int32Array;
  readonly #monitor: Monitor;
  readonly #notEmpty: number;

  constructor(
    words: Int32Array,
    count: Int32Array,
    capacity: number,
    conditions: 1 | 2,
    ownerId: number,
  ) {
    this.#count = count;
    this.#capacity = capacity;
    this.#monitor = new Monitor(words, 0, ownerId);
    this.#notEmpty = conditions === 2 ? NOT_EMPTY : NOT_FULL;
  }

  insert(): void {
    this.#monitor.enter();
    while (this.#count[0] === this.#capacity) this.#monitor.wait(NOT_FULL);
    this.#count[0] = this.#count[0]! + 1;
    this.#monitor.signal(this.#notEmpty);
    this.#monitor.leave();
  }

  remove(): void {
    this.#monitor.enter();
    while (this.#count[0] === 0) this.#monitor.wait(this.#notEmpty);
    this.#count[0] = this.#count[0]! - 1;
    this.#monitor.signal(NOT_FULL);
    this.#monitor.leave();
  }
}
