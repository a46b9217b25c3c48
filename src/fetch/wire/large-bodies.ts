/** A body that passes this size needs one of the few pieces of memory that are kept for large ones. */
export const LARGE_BYTES = 512 * 1024;

/**
 * Memory for large bodies, so that a web of huge pages cannot fill the process: there are only so many pieces, and
 * each is used again. Whoever finds none free stops reading its socket until one comes back; small bodies never wait.
 */
export class LargeBodies {
  readonly #count: number;
  readonly #bytes: number;
  readonly #free: Buffer[] = [];
  #made = 0;
  #waiting: (() => void)[] = [];

  /** `count` pieces of `bytes` each, made when they are first needed. */
  constructor(count: number, bytes: number) {
    this.#count = count;
    this.#bytes = bytes;
  }

  /** A piece of memory, or undefined when all are in use. */
  take(): Buffer | undefined {
    const free = this.#free.pop();
    if (free !== undefined || this.#made >= this.#count) return free;
    this.#made++;
    return Buffer.allocUnsafeSlow(this.#bytes);
  }

  /** Calls back once when a piece may be free; whoever still wants it takes it then. */
  wait(onFree: () => void): void {
    this.#waiting.push(onFree);
  }

  /** Returns a piece; whatever was in it may be overwritten from now on. */
  giveBack(piece: Buffer): void {
    this.#free.push(piece);
    while (this.#free.length > 0 && this.#waiting.length > 0) this.#waiting.shift()!();
  }
}
