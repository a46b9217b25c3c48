/** CPU time that removing the codings of one body may cost: some ten times what 10 MiB of ordinary HTML need (gzip 22 ms, brotli 7 ms). */
const LIMIT_MS = 250;
/** And so much more for every MiB of output, for those who raise `--max-body`: ordinary bodies need a tenth of it. */
const MS_PER_MIB = 20;
/** After so long the event loop turns, so that the other requests of the thread go on. */
const SLICE_MS = 10;

const MIB = 1024 * 1024;

/**
 * What decoding one body costs, all codings and passes together. A stream of empty blocks costs time and gives nothing,
 * so sizes alone do not bound it.
 */
export class DecodeBudget {
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #startCpu: NodeJS.CpuUsage = process.cpuUsage();
  #startMs = 0;
  #sliceMs = 0;
  #outBytes = 0;
  /** Time spent in decoders so far. */
  spentMs = 0;

  constructor(limitMs: number = LIMIT_MS, now: () => number = () => performance.now()) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  /** A decoder gets its next piece. */
  start(): void {
    this.#startMs = this.#now();
  }

  /** It has returned so many bytes, or a negative number if it failed. */
  stop(bytes: number): void {
    const tookMs = this.#now() - this.#startMs;
    this.spentMs += tookMs;
    this.#sliceMs += tookMs;
    this.#outBytes += Math.max(0, bytes);
  }

  /** The rest of the body is not decoded. */
  get isSpent(): boolean {
    const limitMs = this.#limitMs + (this.#outBytes / MIB) * MS_PER_MIB;
    if (this.spentMs <= limitMs) return false;
    // The CPU time of a single thread is not available; it is at most that of the process. On a busy machine time passes
    // without it.
    const { user, system } = process.cpuUsage(this.#startCpu);
    return (user + system) / 1000 >= limitMs;
  }

  /** The event loop has to turn before the next piece; says so once. */
  takePause(): boolean {
    if (this.#sliceMs < SLICE_MS) return false;
    this.#sliceMs = 0;
    return true;
  }
}
