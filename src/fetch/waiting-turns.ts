/** Nobody is told to come back sooner or later than this, however wrong the estimate is. */
const MIN_MS = 20;
const MAX_MS = 60_000;

/**
 * When those who find no place should come back: one after the other, as places get free at the rate so far. Nobody
 * waits inside a place, and a thousand who wait do not all ask again for each place that gets free.
 */
export class WaitingTurns {
  readonly #places: number;
  /** How long a place is held, as a moving average. */
  #heldMs: number;
  #lastMs = 0;

  /** `places` get free again after about `heldMs` each. */
  constructor(places: number, heldMs: number) {
    this.#places = places;
    this.#heldMs = heldMs;
  }

  /** A place was held for so long. */
  ended(heldMs: number): void {
    this.#heldMs += (heldMs - this.#heldMs) / 8;
  }

  /** When the next one should come back. */
  nextMs(nowMs: number): number {
    const next = Math.max(this.#lastMs, nowMs) + this.#heldMs / this.#places;
    this.#lastMs = Math.min(Math.max(next, nowMs + MIN_MS), nowMs + MAX_MS);
    return this.#lastMs;
  }
}
