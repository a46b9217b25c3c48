import { constants, deflateRawSync } from "node:zlib";
import { Random } from "../seeded-random.ts";
import { Markup } from "./page-markup.ts";
import { sentences } from "./word-list.ts";

/** Filler is handed out in blocks of this size. */
export const BLOCK_BYTES = 1024;
const BLOCKS_PER_CHAPTER = 64;
const CHAPTERS = 8;
const BLOCKS = CHAPTERS * BLOCKS_PER_CHAPTER;
/** Blocks that are deflated together: one Huffman table per block would be larger than what it saves. */
const BLOCKS_PER_PIECE = 16;
/** As far as deflate looks back. */
const DICTIONARY_BYTES = 32_768;

/**
 * What fills pages up to their size, ready plain and deflated: plain text, or the markup of real pages. A run starts at a
 * chapter and ends after any block. It is deflated in pieces that each end on a whole byte, the last one with as many
 * blocks as the run needs; deflate starts anew at each chapter, so a run is valid by itself and costs a copy per piece.
 */
export class Filler {
  readonly #plain: Buffer;
  /** By first block and number of blocks; each made when it is first asked for. */
  readonly #deflated: (Buffer | undefined)[] = new Array(BLOCKS + 1);

  constructor(seed: number, isMarkup: boolean) {
    const random = new Random(seed);
    const markup = isMarkup ? new Markup(random) : undefined;
    // A block is whole elements, so that a run of blocks is well-formed wherever it ends.
    const block = (): string =>
      markup?.piece(BLOCK_BYTES) ?? `<p>${sentences(random, BLOCK_BYTES - 8)}</p>\n`;
    this.#plain = Buffer.from(Array.from({ length: BLOCKS }, block).join(""), "latin1");
  }

  /** Copies `blocks` blocks from the chapter's start on to `out`, and says where they end. */
  copyPlain(chapter: number, blocks: number, out: Uint8Array, at: number): number {
    let end = at;
    for (const [from, to] of pieces(chapter, blocks)) {
      out.set(this.#plain.subarray(from * BLOCK_BYTES, to * BLOCK_BYTES), end);
      end += (to - from) * BLOCK_BYTES;
    }
    return end;
  }

  /** Copies the deflated form of the same blocks. */
  copyDeflated(chapter: number, blocks: number, out: Uint8Array, at: number): number {
    let end = at;
    for (const [from, to] of pieces(chapter, blocks)) {
      // A piece begins at a multiple of its size, so every end has a place of its own.
      const place = from + (to - from - 1);
      this.#deflated[place] ??= this.#deflate(from, to);
      out.set(this.#deflated[place]!, end);
      end += this.#deflated[place]!.length;
    }
    return end;
  }

  /** Blocks deflated with what came before in the chapter as dictionary, ending on a whole byte and not final. */
  #deflate(from: number, to: number): Buffer {
    const at = from * BLOCK_BYTES;
    const chapterAt = (from - (from % BLOCKS_PER_CHAPTER)) * BLOCK_BYTES;
    const dictionary = this.#plain.subarray(Math.max(chapterAt, at - DICTIONARY_BYTES), at);
    return deflateRawSync(this.#plain.subarray(at, to * BLOCK_BYTES), {
      finishFlush: constants.Z_SYNC_FLUSH,
      ...(dictionary.length > 0 && { dictionary }),
    });
  }
}

/** The run from a chapter's start on as [first block, end); one that passes the last block goes on at the first. */
function* pieces(chapter: number, blocks: number): Generator<readonly [number, number], void> {
  let from = (chapter % CHAPTERS) * BLOCKS_PER_CHAPTER;
  for (let left = blocks; left > 0; left -= BLOCKS_PER_PIECE) {
    yield [from, from + Math.min(left, BLOCKS_PER_PIECE)];
    from = (from + BLOCKS_PER_PIECE) % BLOCKS;
  }
}
