import { Monitor } from "../../sync/monitor.ts";
import { PlainSlots } from "./plain-slots.ts";

/** Conditions; a monitor with one condition uses NOT_FULL for both. */
const NOT_FULL = 0;
const NOT_EMPTY = 1;

/**
 * A bounded buffer with a monitor: two conditions as it should be, or one and signal-one as in the collapse. It holds
 * nothing but the number of items, for state spaces with many threads.
 */
export class MonitorCounter {
  static readonly WORDS = Monitor.words(2);
  readonly #capacity: number;
  readonly #count: Int32Array;
  readonly #monitor: Monitor;
  readonly #notEmpty: number;

  /** `count` is one plain word, guarded by the monitor in `words`. */
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

  insert(item = 0): void {
    this.#monitor.enter();
    while (this.#count[0] === this.#capacity) this.#monitor.wait(NOT_FULL);
    this.put(item);
    this.#count[0] = this.#count[0]! + 1;
    this.#monitor.signal(this.#notEmpty);
    this.#monitor.leave();
  }

  remove(): number {
    this.#monitor.enter();
    while (this.#count[0] === 0) this.#monitor.wait(this.#notEmpty);
    const item = this.take();
    this.#count[0] = this.#count[0]! - 1;
    this.#monitor.signal(NOT_FULL);
    this.#monitor.leave();
    return item;
  }

  protected put(_item: number): void {}

  protected take(): number {
    return 0;
  }
}

/** The same with the items themselves, and two conditions. */
export class MonitorBuffer extends MonitorCounter {
  readonly #slots: PlainSlots;

  constructor(words: Int32Array, count: Int32Array, plain: Int32Array, ownerId: number) {
    const slots = new PlainSlots(plain);
    super(words, count, slots.capacity, 2, ownerId);
    this.#slots = slots;
  }

  protected override put(item: number): void {
    this.#slots.put(item);
  }

  protected override take(): number {
    return this.#slots.take();
  }
}
