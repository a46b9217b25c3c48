import { Numbering } from "./numbering.ts";

/** Answers that are not one 32-bit number (64-bit words, byte ranges) get a number each. */
export class Values {
  readonly #wides = new Numbering<bigint, bigint>();
  readonly #ranges = new Numbering<string, Uint8Array>();

  /** The number of a 64-bit value. */
  wideKey(value: bigint): number {
    return this.#wides.numberOf(value, value);
  }

  /** The 64-bit value of a number. */
  wide(key: number): bigint {
    return this.#wides.at(key);
  }

  /** The number of a range of bytes; up to four bytes are their own number. */
  bytesKey(image: Uint8Array, at: number, length: number): number {
    if (length > 4) {
      const copy = image.slice(at, at + length);
      return this.#ranges.numberOf(Buffer.from(copy).toString("latin1"), copy);
    }
    let key = 0;
    for (let i = 0; i < length; i++) key |= image[at + i]! << (8 * i);
    return key;
  }

  /** The bytes of a number. */
  bytes(key: number, length: number): Uint8Array {
    if (length > 4) return this.#ranges.at(key);
    return Uint8Array.from({ length }, (_, i) => (key >>> (8 * i)) & 255);
  }
}
