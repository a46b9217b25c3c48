/** A larger body needs one of the few pieces of memory for large ones. */
export const LARGE_BYTES = 512 * 1024;

/**
 * Memory for large bodies, so that huge pages cannot fill the process: a fixed number of pieces that are used again. A
 * connection that finds none free stops reading until one is returned; small bodies never wait.
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

  /** Calls back once when a piece may be free, which then has to be taken. */
  wait(onFree: () => void): void {
    this.#waiting.push(onFree);
  }

  /** Returns a piece; its content may be overwritten from now on. */
  giveBack(piece: Buffer): void {
    this.#free.push(piece);
    while (this.#free.length > 0 && this.#waiting.length > 0) this.#waiting.shift()!();
  }
}
