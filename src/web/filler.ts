import { constants, deflateRawSync } from "node:zlib";
import { Random } from "./random.ts";
import { sentences } from "./words.ts";

/** Filler is handed out in blocks of this size. */
export const BLOCK_BYTES = 1024;
const BLOCKS_PER_CHAPTER = 64;
const CHAPTERS = 8;
const BLOCKS = CHAPTERS * BLOCKS_PER_CHAPTER;
// Deflate could look back 32 KiB, but a longer dictionary costs more time at the start than it saves bytes.
const DICTIONARY_BYTES = 8_192;

/**
 * Text that fills pages up to their size, ready plain and deflated. A run starts at a chapter and ends
 * after any block: deflate starts anew at each chapter and is flushed to a whole byte after each block,
 * so that any such run, cut out of the deflated bytes, is valid by itself and costs one copy.
 */
export class Filler {
  readonly #plain: Buffer;
  #deflated: Buffer | undefined;
  /** Where block b starts in the deflated bytes; one more entry for the end. */
  readonly #starts = new Uint32Array(BLOCKS + 1);

  constructor(seed: number) {
    const random = new Random(seed);
    // A block is a paragraph of its own, so that a run of blocks is well-formed wherever it ends.
    const paragraph = (): string => `<p>${sentences(random, BLOCK_BYTES - 8)}</p>\n`;
    this.#plain = Buffer.from(Array.from({ length: BLOCKS }, paragraph).join(""), "latin1");
  }

  /** Copies `blocks` blocks from the chapter's start on to `out`, and says where they end. */
  copyPlain(chapter: number, blocks: number, out: Uint8Array, at: number): number {
    return this.#runs(chapter, blocks, (from, to) => {
      out.set(this.#plain.subarray(from * BLOCK_BYTES, to * BLOCK_BYTES), at);
      at += (to - from) * BLOCK_BYTES;
      return at;
    });
  }

  /** Copies the deflated form of the same blocks. */
  copyDeflated(chapter: number, blocks: number, out: Uint8Array, at: number): number {
    this.#deflated ??= this.#deflate(); // not before someone asks: it takes a tenth of a second
    const deflated = this.#deflated;
    return this.#runs(chapter, blocks, (from, to) => {
      const part = deflated.subarray(this.#starts[from], this.#starts[to]);
      out.set(part, at);
      at += part.length;
      return at;
    });
  }

  #deflate(): Buffer {
    const parts: Buffer[] = [];
    let size = 0;
    for (let block = 0; block < BLOCKS; block++) {
      const at = block * BLOCK_BYTES;
      const chapterAt = at - (block % BLOCKS_PER_CHAPTER) * BLOCK_BYTES;
      const before = this.#plain.subarray(Math.max(chapterAt, at - DICTIONARY_BYTES), at);
      const part = deflateBlock(this.#plain.subarray(at, at + BLOCK_BYTES), before);
      parts.push(part);
      size += part.length;
      this.#starts[block + 1] = size;
    }
    return Buffer.concat(parts, size);
  }

  /** A run that passes the last block goes on at the first. */
  #runs(chapter: number, blocks: number, copy: (from: number, to: number) => number): number {
    let from = (chapter % CHAPTERS) * BLOCKS_PER_CHAPTER;
    let end = copy(from, from); // also right for 0 blocks
    for (let left = blocks; left > 0; ) {
      const to = Math.min(BLOCKS, from + left);
      end = copy(from, to);
      left -= to - from;
      from = to % BLOCKS;
    }
    return end;
  }
}

/** One block, deflated with what came before as dictionary, ending on a whole byte and not final. */
function deflateBlock(block: Buffer, dictionary: Buffer): Buffer {
  return deflateRawSync(block, {
    finishFlush: constants.Z_SYNC_FLUSH,
    ...(dictionary.length > 0 && { dictionary }),
  });
}
