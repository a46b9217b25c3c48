const MAX_POSITIONS = 2 ** 30;

/**
 * Positions of a ring along which its two ends move: position = lap * slots + slot, starting over before a word overflows.
 * The lap distinguishes a slot's last use from its next one.
 */
export class Positions {
  readonly slots: number;
  readonly #laps: number;
  readonly #count: number;

  constructor(slots: number) {
    this.slots = slots;
    this.#laps = Math.floor(MAX_POSITIONS / slots);
    this.#count = this.#laps * slots;
  }

  /** The position after this one. */
  after(position: number): number {
    return position + 1 === this.#count ? 0 : position + 1;
  }

  /** Positions from the tail up to the head. */
  between(head: number, tail: number): number {
    return head >= tail ? head - tail : head - tail + this.#count;
  }

  /** Slots in use, by the words that hold head and tail. The tail is read first, so it is not ahead of the head. */
  used(words: Int32Array, head: number, tail: number): number {
    const from = Atomics.load(words, tail);
    return this.between(Atomics.load(words, head), from);
  }

  /** The slot of a position. */
  slotOf(position: number): number {
    return position % this.slots;
  }

  /** The lap of a position. */
  lapOf(position: number): number {
    return Math.floor(position / this.slots);
  }

  /** The lap after this one. */
  lapAfter(lap: number): number {
    return lap + 1 === this.#laps ? 0 : lap + 1;
  }
}
