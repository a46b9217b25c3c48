/** Whether a page may cost more; asked by the scanners between tags, so it has to be cheap. */
export class ParseBudget {
  readonly #limitMs: number;
  readonly #graceMs: number;
  readonly #startMs = performance.now();
  #startCpu: NodeJS.CpuUsage | undefined;
  #asked = 0;
  /** The page was given up. */
  exhausted = false;

  /** `limitMs` is CPU time of this thread, as far as it can be told. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#graceMs = Math.min(limitMs, GRACE_MS);
  }

  /** True when the scanner has to stop. */
  spent(): boolean {
    if (++this.#asked < EVERY || this.exhausted) return this.exhausted;
    this.#asked = 0;
    const passedMs = performance.now() - this.#startMs;
    if (passedMs < this.#graceMs) return false;
    // A thread's own CPU time is not to be had; it is at most the time on the wall, and at most the process's.
    this.#startCpu ??= process.cpuUsage();
    if (passedMs < this.#limitMs) return false;
    const { user, system } = process.cpuUsage(this.#startCpu);
    this.exhausted = this.#graceMs + (user + system) / 1000 >= this.#limitMs;
    return this.exhausted;
  }
}

/** Tags between two looks at the clock: some ten microseconds of work. */
const EVERY = 64;
/** Most pages are done before this: asking for CPU time costs as much as scanning a small one. */
const GRACE_MS = 5;

/** For callers who wait as long as it takes. */
export const NO_BUDGET = new ParseBudget(Number.POSITIVE_INFINITY);
