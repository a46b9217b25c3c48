// Samples per window: the window slides in these steps, so a stall is noticed one step late at most.
const STEPS = 30;

/** Watches whether a body is too slow over any window; fed by a coarse clock tick, not by every read. */
export class RateWindow {
  readonly #minBytes: number;
  readonly #stepMs: number;
  readonly #samples = new Float64Array(STEPS);
  #count = 0;
  #nextMs: number;

  constructor(minRateBytesPerS: number, windowMs: number, startMs: number) {
    this.#minBytes = (minRateBytesPerS * windowMs) / 1000;
    this.#stepMs = windowMs / STEPS;
    this.#nextMs = startMs + this.#stepMs;
  }

  /** True when fewer bytes than the minimum came within the last whole window. */
  tooSlow(nowMs: number, bytes: number): boolean {
    if (nowMs < this.#nextMs) return false;
    const due = Math.floor((nowMs - this.#nextMs) / this.#stepMs) + 1;
    // After a whole window without a tick nothing is known about it.
    const steps = due < STEPS ? due : 1;
    // Ticks that were missed because this thread was busy count as if nothing had come since the one before: what came
    // meanwhile is credited to the tick that saw it.
    for (let missed = 1; missed < steps; missed++) {
      const before = this.#samples[this.#count % STEPS]!;
      this.#samples[++this.#count % STEPS] = before;
    }
    this.#nextMs = Math.max(this.#nextMs + steps * this.#stepMs, nowMs);
    this.#count++;
    const slot = this.#count % STEPS;
    // The slot holds the total of one window ago (0 at the start of the body).
    if (this.#count >= STEPS && bytes - this.#samples[slot]! < this.#minBytes) return true;
    this.#samples[slot] = bytes;
    return false;
  }
}
