/** Limits the CPU time of a page; scanners ask between tags, so the check has to be cheap. */
export class ParseBudget {
  readonly #limitMs: number;
  readonly #startMs = performance.now();
  #startCpu: NodeJS.CpuUsage | undefined;
  #asked = 0;
  /** The page was given up. */
  exhausted = false;

  /** `limitMs` is CPU time of this thread, as far as it can be measured. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** True when the scanner has to stop. */
  spent(): boolean {
    if (++this.#asked < EVERY || this.exhausted) return this.exhausted;
    this.#asked = 0;
    const tookMs = performance.now() - this.#startMs;
    // Measuring CPU time costs as much as a small page, so it begins only when a page takes long.
    if (tookMs < Math.min(QUICK_MS, this.#limitMs)) return false;
    this.#startCpu ??= process.cpuUsage();
    // The CPU time of a single thread is not available; it is at most the wall time and at most that of the process.
    if (tookMs < this.#limitMs) return false;
    const { user, system } = process.cpuUsage(this.#startCpu);
    this.exhausted = (user + system) / 1000 >= this.#limitMs - QUICK_MS;
    return this.exhausted;
  }
}

/** Hardly any page takes longer. */
const QUICK_MS = 10;
/** Tags between two looks at the clock: about ten microseconds of work. */
const EVERY = 64;

/** No limit. */
export const NO_BUDGET = new ParseBudget(Number.POSITIVE_INFINITY);
