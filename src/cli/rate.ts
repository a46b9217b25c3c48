const WINDOW_MS = 5000;

/** Pages per second over the last seconds, so that the figure follows what happens now. */
export class Rate {
  readonly #points: { at: number; total: number }[] = [];

  /** Takes a running total at a time. */
  add(atMs: number, total: number): void {
    this.#points.push({ at: atMs, total });
    // The newest point outside the window stays: it is where the window begins.
    while (this.#points.length > 2 && this.#points[1]!.at <= atMs - WINDOW_MS) this.#points.shift();
  }

  /** 0 until two moments are known. */
  perSecond(): number {
    const first = this.#points[0];
    const last = this.#points.at(-1);
    if (first === undefined || last === undefined || last.at <= first.at) return 0;
    return ((last.total - first.total) * 1000) / (last.at - first.at);
  }
}
