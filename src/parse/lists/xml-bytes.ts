/** Bytes up to a limit; beyond it all are dropped, because half a value is worse than none. */
export class BoundedBytes {
  readonly #max: number;
  #bytes: Buffer<ArrayBuffer> = Buffer.alloc(1024);
  #length = 0;
  #overflow = false;
  /** All bytes or-ed together: below 0x80 for ASCII. */
  #union = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get isEmpty(): boolean {
    return this.#length === 0 && !this.#overflow;
  }

  clear(): void {
    this.#length = 0;
    this.#overflow = false;
    this.#union = 0;
  }

  /** Adds one byte. */
  add(byte: number): void {
    if (!this.#room(1)) return;
    this.#bytes[this.#length++] = byte;
    this.#union |= byte;
  }

  append(from: Uint8Array, start: number, end: number): void {
    if (end === start || !this.#room(end - start)) return;
    // Most values are short, and a loop is then quicker than a view and a copy.
    const bytes = this.#bytes;
    let to = this.#length;
    let union = this.#union;
    for (let at = start; at < end; at++) {
      const byte = from[at]!;
      bytes[to++] = byte;
      union |= byte;
    }
    this.#length = to;
    this.#union = union;
  }

  /** Valid until the next change; undefined when there was more than fits. */
  whole(): Uint8Array | undefined {
    return this.#overflow ? undefined : this.#bytes.subarray(0, this.#length);
  }

  /** The same as text; bytes that are not UTF-8 become U+FFFD. */
  text(): string | undefined {
    if (this.#overflow) return undefined;
    return this.#bytes.toString(this.#union < 0x80 ? "latin1" : "utf8", 0, this.#length);
  }

  #room(more: number): boolean {
    const needed = this.#length + more;
    if (this.#overflow || needed > this.#max) {
      this.#overflow = true;
      return false;
    }
    if (needed > this.#bytes.length) {
      const grown = Buffer.alloc(Math.min(this.#max, Math.max(needed, this.#bytes.length * 2)));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    return true;
  }
}
