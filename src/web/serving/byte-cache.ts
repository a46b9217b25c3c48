/**
 * Values by key, kept until their bytes together reach a limit; then no more come in and none go out. A web
 * is read from end to end again and again: dropping the oldest would then drop each value before its use.
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

  /** Whether so many bytes more would still be kept. */
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
