/** Timers fire a little early or late; anything below this is "now". */
const MIN_TIMER_MS = 1;
const MAX_TIMER_MS = 60_000;

/** One timer at a time, for what is due first. */
export class WakeTimer {
  readonly #onTime: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(onTime: () => void) {
    this.#onTime = onTime;
  }

  /** Calls back at `dueMs`, unless it does so earlier anyway. */
  set(dueMs: number, nowMs: number): void {
    if (dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    const waitMs = Math.min(MAX_TIMER_MS, Math.max(MIN_TIMER_MS, Math.ceil(dueMs - nowMs)));
    this.#timer = setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#onTime();
    }, waitMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
