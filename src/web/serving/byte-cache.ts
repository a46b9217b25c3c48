/**
 * A cache with a limit in bytes; when it is full, nothing is added and nothing removed. A web is crawled from end to
 * end again and again: dropping the oldest value would drop each one before its next use.
 */
export class ByteCache<K, T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  readonly #entries = new Map<K, T>();
  #bytes = 0;

  constructor(maxBytes: number, bytesOf: (value: T) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(key: K): T | undefined {
    return this.#entries.get(key);
  }

  /** Whether a value of this size would still be kept. */
  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.#maxBytes;
  }

  /** Keeps a value, if it is new and there is room for it. */
  set(key: K, value: T): void {
    const bytes = this.#bytesOf(value);
    if (this.#entries.has(key) || !this.hasRoom(bytes)) return;
    this.#entries.set(key, value);
    this.#bytes += bytes;
  }
}
