import { Compressor } from "./compressor.ts";
import { MEMBER_HEADER, TRAILER_BYTES } from "./member-buffer.ts";

const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Members that no level explains before their file is taken for the work of another zlib. */
const MAX_STRANGERS = 3;

/**
 * Compresses content once more, to find bits of a compressed member that mean nothing to a reader: the description of a
 * code that is never used, the bits behind the last one. The same zlib makes the same bytes; another one need not.
 */
export class DeflateAgain {
  readonly #compressor = new Compressor();
  #level = LEVELS[0]!;
  #strangers = 0;
  #knows = false;

  /**
   * The compressed bytes as they must have been written, header and trailer left out, valid until the next call;
   * undefined where that cannot be told. `found` differs from them in a few bytes at most.
   */
  written(found: Uint8Array, content: Uint8Array, maxDifferent: number): Uint8Array | undefined {
    if (!this.#knows && this.#strangers >= MAX_STRANGERS) return undefined;
    for (const level of [this.#level, ...LEVELS.filter((each) => each !== this.#level)]) {
      const member = this.#compressor.member(content, level);
      const again = member.subarray(MEMBER_HEADER.length, member.length - TRAILER_BYTES);
      if (countDifferent(found, again, maxDifferent) > maxDifferent) continue;
      this.#level = level;
      this.#knows = true;
      return again;
    }
    this.#strangers++;
    return undefined;
  }
}

function countDifferent(a: Uint8Array, b: Uint8Array, most: number): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let count = 0;
  for (let i = 0; i < a.length && count <= most; i++) if (a[i] !== b[i]) count++;
  return count;
}
