/** Whether a page may cost more; asked by the scanners between tags, so it has to be cheap. */
export class ParseBudget {
  readonly #limitMs: number;
  readonly #startMs = performance.now();
  #startCpu: NodeJS.CpuUsage | undefined;
  #asked = 0;
  /** The page was given up. */
  exhausted = false;

  /** `limitMs` is CPU time of this thread, as far as it can be told. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** True when the scanner has to stop. */
  spent(): boolean {
    if (++this.#asked < EVERY || this.exhausted) return this.exhausted;
    this.#asked = 0;
    const tookMs = performance.now() - this.#startMs;
    // Asking for CPU time costs as much as a small page: only for pages that take long, less what they took until then.
    if (tookMs < Math.min(QUICK_MS, this.#limitMs)) return false;
    this.#startCpu ??= process.cpuUsage();
    // A thread's own CPU time is not to be had; it is at most the time on the wall, and at most the process's.
    if (tookMs < this.#limitMs) return false;
    const { user, system } = process.cpuUsage(this.#startCpu);
    this.exhausted = (user + system) / 1000 >= this.#limitMs - QUICK_MS;
    return this.exhausted;
  }
}

/** Hardly a page takes longer. */
const QUICK_MS = 10;
/** Tags between two looks at the clock: some ten microseconds of work. */
const EVERY = 64;

/** For callers who wait as long as it takes. */
export const NO_BUDGET = new ParseBudget(Number.POSITIVE_INFINITY);
