/** Bytes that grow up to a limit; beyond it nothing is kept, because half a value is worse than none. */
export class BoundedBytes {
  readonly #max: number;
  #bytes = new Uint8Array(1024);
  #length = 0;
  #overflow = false;

  constructor(max: number) {
    this.#max = max;
  }

  get isEmpty(): boolean {
    return this.#length === 0 && !this.#overflow;
  }

  clear(): void {
    this.#length = 0;
    this.#overflow = false;
  }

  /** Adds one byte. */
  add(byte: number): void {
    if (this.#room(1)) this.#bytes[this.#length++] = byte;
  }

  append(from: Uint8Array, start: number, end: number): void {
    if (end === start || !this.#room(end - start)) return;
    // Most values are short, and a loop is then quicker than a view and a copy.
    for (let at = start; at < end; at++) this.#bytes[this.#length++] = from[at]!;
  }

  /** Valid until the next change; undefined when there was more than fits. */
  whole(): Uint8Array | undefined {
    return this.#overflow ? undefined : this.#bytes.subarray(0, this.#length);
  }

  #room(more: number): boolean {
    const needed = this.#length + more;
    if (this.#overflow || needed > this.#max) {
      this.#overflow = true;
      return false;
    }
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#max, Math.max(needed, this.#bytes.length * 2)));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    return true;
  }
}
