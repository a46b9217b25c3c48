const MAX_POSITIONS = 2 ** 30;

/**
 * Positions of a ring that ends run along: position = lap * slots + slot, starting over before a word overflows.
 * Laps tell a slot's last use from its next one.
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
