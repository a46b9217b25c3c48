/** Values by key, the least recently used dropped when their bytes together pass a limit. */
export class ByteCache<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  // A Map keeps the order of insertion; taking out and putting back makes an entry the newest.
  readonly #entries = new Map<string, T>();
  #bytes = 0;

  constructor(maxBytes: number, bytesOf: (value: T) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Puts a value in; one larger than the limit is not kept. */
  set(key: string, value: T): void {
    const before = this.#entries.get(key);
    if (before !== undefined) {
      this.#entries.delete(key);
      this.#bytes -= this.#bytesOf(before);
    }
    this.#entries.set(key, value);
    this.#bytes += this.#bytesOf(value);
    for (const [oldest, dropped] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(oldest);
      this.#bytes -= this.#bytesOf(dropped);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }
}
