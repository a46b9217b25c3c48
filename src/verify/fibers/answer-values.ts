/** Answers that are not one 32-bit number (64-bit words, byte ranges) get a number each. */
export class Values {
  readonly #wideIds = new Map<bigint, number>();
  readonly #wides: bigint[] = [];
  readonly #byteIds = new Map<string, number>();
  readonly #bytes: Uint8Array[] = [];

  /** The number of a 64-bit value. */
  wideKey(value: bigint): number {
    let id = this.#wideIds.get(value);
    if (id === undefined) {
      id = this.#wides.push(value) - 1;
      this.#wideIds.set(value, id);
    }
    return id;
  }

  /** The 64-bit value of a number. */
  wide(key: number): bigint {
    return this.#wides[key]!;
  }

  /** The number of a range of bytes; up to four bytes are their own number. */
  bytesKey(image: Uint8Array, at: number, length: number): number {
    if (length <= 4) {
      let key = 0;
      for (let i = 0; i < length; i++) key |= image[at + i]! << (8 * i);
      return key;
    }
    const copy = image.slice(at, at + length);
    const text = Buffer.from(copy).toString("latin1");
    let id = this.#byteIds.get(text);
    if (id === undefined) {
      id = this.#bytes.push(copy) - 1;
      this.#byteIds.set(text, id);
    }
    return id;
  }

  /** The bytes of a number. */
  bytes(key: number, length: number): Uint8Array {
    if (length > 4) return this.#bytes[key]!;
    return Uint8Array.from({ length }, (_, i) => (key >>> (8 * i)) & 255);
  }
}
