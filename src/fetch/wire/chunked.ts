import type { BodyBuffer } from "./body-buffer.ts";

const SIZE = 0; // in the hexadecimal digits of a chunk's size
const EXTENSION = 1; // after the digits, until the end of the line
const DATA = 2;
const DATA_END = 3; // the line end after a chunk's data
const TRAILER = 4; // in or before a trailer line
const LF = 0x0a;
const CR = 0x0d;

// Larger sizes count as this one: the body limit is far below.
const SIZE_CEILING = 2 ** 48;

/** Verdict of the decoder: the body goes on in the next piece. */
export const CHUNKS_MORE = -1;
/** Verdict of the decoder: this is not a chunked body. */
export const CHUNKS_BAD = -2;
/** Verdict of the decoder: the body is larger than its buffer may become. */
export const CHUNKS_FULL = -3;

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/**
 * Removes the chunk framing of a body that arrives in any pieces. Lines may end in LF alone and sizes may be followed by
 * white space, as browsers accept; extensions and trailers are skipped within one common allowance of bytes.
 */
export class ChunkedDecoder {
  #state = SIZE;
  #size = 0;
  #digits = 0;
  #left = 0;
  #lineBytes = 0;
  #lineCr = false;
  #overhead: number;
  #trailersLeft: number;

  constructor(maxOverheadBytes: number, maxTrailers: number) {
    this.#overhead = maxOverheadBytes;
    this.#trailersLeft = maxTrailers;
  }

  /** True after the last chunk: a connection that ends now loses only trailers. */
  get lastChunkSeen(): boolean {
    return this.#state === TRAILER;
  }

  /** Position after the end of the body, or one of the verdicts. */
  push(piece: Uint8Array, from: number, to: number, body: BodyBuffer): number {
    let at = from;
    while (at < to) {
      if (this.#state === DATA) {
        const count = Math.min(this.#left, to - at);
        if (!body.append(piece, at, at + count)) return CHUNKS_FULL;
        at += count;
        this.#left -= count;
        if (this.#left > 0) return CHUNKS_MORE;
        this.#state = DATA_END;
        this.#lineCr = false;
        continue;
      }
      const byte = piece[at++]!;
      const ended = this.#state === TRAILER ? this.#trailer(byte) : this.#frame(byte);
      if (ended === CHUNKS_BAD) return CHUNKS_BAD;
      if (ended === 0) return at;
    }
    return CHUNKS_MORE;
  }

  #frame(byte: number): number {
    if (this.#state === DATA_END) {
      if (byte === LF) this.#startSize();
      else if (byte === CR && !this.#lineCr) this.#lineCr = true;
      else return CHUNKS_BAD;
      return CHUNKS_MORE;
    }
    const afterDigits = this.#state === SIZE;
    if (afterDigits) {
      const digit = hexDigit(byte);
      if (digit >= 0) {
        this.#size = Math.min(this.#size * 16 + digit, SIZE_CEILING);
        // Endless leading zeros are an attack, not a number.
        return ++this.#digits > 32 ? CHUNKS_BAD : CHUNKS_MORE;
      }
      if (this.#digits === 0) return CHUNKS_BAD;
      if (byte !== LF && byte !== CR && byte !== 0x3b && byte !== 0x20 && byte !== 0x09)
        return CHUNKS_BAD;
      this.#state = EXTENSION;
    }
    if (byte === LF) this.#endSizeLine();
    else if (!(afterDigits && byte === CR) && --this.#overhead < 0) return CHUNKS_BAD;
    return CHUNKS_MORE;
  }

  #startSize(): void {
    this.#state = SIZE;
    this.#size = this.#digits = 0;
  }

  #endSizeLine(): void {
    this.#left = this.#size;
    this.#state = this.#size === 0 ? TRAILER : DATA;
    this.#lineBytes = 0;
  }

  /** 0 at the blank line that ends the body. */
  #trailer(byte: number): number {
    if (byte === LF) {
      if (this.#lineBytes === 0) return 0;
      this.#lineBytes = 0;
      return --this.#trailersLeft < 0 ? CHUNKS_BAD : CHUNKS_MORE;
    }
    if (byte !== CR) this.#lineBytes++;
    return --this.#overhead < 0 ? CHUNKS_BAD : CHUNKS_MORE;
  }
}
