/** Timers are not more exact than this. */
const MIN_TIMER_MS = 1;
const MAX_TIMER_MS = 60_000;

/** One timer, set to the earliest due time. */
export class WakeTimer {
  readonly #onTime: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(onTime: () => void) {
    this.#onTime = onTime;
  }

  /** Calls back at `dueMs`, or earlier if an earlier time is set. */
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
