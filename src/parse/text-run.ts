import {
  add32,
  and32,
  binary,
  type Code,
  countBits,
  get,
  I32,
  i32,
  instantiate,
  isBelow32,
  load32,
  lowestBit,
  or32,
  select,
  set,
  shiftLeft32,
  shiftRight32,
  store32,
  subtract32,
  V128,
  WASM_PAGE_BYTES,
  when,
  whileTrue,
  xor32,
} from "../frontier/wasm-module.ts";

/*
 * Counts words sixteen bytes at a time. Most bytes of a page are text, and a loop over them costs as much as all that
 * is done with its tags. The page lies in the memory of the module, behind two cells that hold the count.
 */

/** Pages up to this length are read this way. */
export const MAX_RUN_BYTES = 1 << 20;
const CELLS_BYTES = 64;
/** Blocks are read whole, and two bytes further. */
const MARGIN_BYTES = 64;

/** Counts the words of a page that was copied into its memory. */
export interface TextRun {
  /** Room for a page of MAX_RUN_BYTES; the two bytes behind a page must be 0. */
  readonly page: Buffer;
  /** Words begun so far, and whether the last byte belonged to one (1) or not (0). */
  readonly cells: Int32Array;
  /**
   * Reads from `from` up to the next "<" or "&", or up to `to`, and answers that offset. `space` is a byte that
   * separates words beside those that always do; with `utf8` 1 the wide spaces of Unicode do as well.
   */
  run(from: number, to: number, space: number, utf8: 0 | 1): number;
}

/** Undefined where there is no WebAssembly, or no room for it. */
export function makeTextRun(): TextRun | undefined {
  try {
    const bytes = CELLS_BYTES + MAX_RUN_BYTES + MARGIN_BYTES;
    const { memory, run } = instantiate({
      name: "run",
      parameters: [I32, I32, I32, I32],
      locals: [[8, I32], [3, V128]], // biome-ignore format: a table
      result: I32,
      body: BODY,
      memoryPages: Math.ceil(bytes / WASM_PAGE_BYTES),
    }) as { memory: { buffer: ArrayBuffer }; run: TextRun["run"] };
    const page = Buffer.from(memory.buffer, CELLS_BYTES);
    return { page, cells: new Int32Array(memory.buffer, 0, 2), run };
  } catch {
    return undefined;
  }
}

// Parameters and locals by number.
const AT = 0;
const END = 1;
const SPACE = 2;
const UTF8 = 3;
const WORDS = 4;
const IN_WORD = 5;
/** Bytes of the block that are read. */
const COUNT = 6;
/** A bit for each byte of the block: separates words; belongs to one; begins a separator; begins one of three bytes. */
const SPACES = 7;
const LETTERS = 8;
const WIDE = 9;
const WIDE_3 = 10;
const LEFT = 11;
const BLOCK = 12;
const NEXT = 13;
const THIRD = 14;

const BLOCK_BYTES = 16;

// Instructions on sixteen bytes.
const loadBlock = (at: Code, further: number): Code => [
  ...at,
  0xfd,
  0x00,
  0,
  CELLS_BYTES + further,
];
const all = (byte: Code): Code => [...byte, 0xfd, 0x0f];
const equal = binary(0xfd, 0x23);
const differ = binary(0xfd, 0x24);
const isAtMost = binary(0xfd, 0x2a);
const both = binary(0xfd, 0x4e);
const either = binary(0xfd, 0x50);
const minus = binary(0xfd, 0x71);
const bits = (block: Code): Code => [...block, 0xfd, 0x64];
const is = (block: number, byte: number): Code => equal(get(block), all(i32(byte)));
const isBetween = (block: number, first: number, last: number): Code =>
  isAtMost(minus(get(block), all(i32(first))), all(i32(last - first)));

/** Tab, line feed, form feed, carriage return, space, and the one that was asked for. */
const ONE_BYTE_SPACES: Code = either(
  either(is(BLOCK, 0x20), equal(get(BLOCK), all(get(SPACE)))),
  both(isBetween(BLOCK, 0x09, 0x0d), differ(get(BLOCK), all(i32(0x0b)))),
);

/** U+3000, U+2000 to U+200A and U+202F, by their first bytes. */
const THREE_BYTE_SPACES: Code = both(
  is(NEXT, 0x80),
  either(
    both(is(BLOCK, 0xe3), is(THIRD, 0x80)),
    both(is(BLOCK, 0xe2), either(isBetween(THIRD, 0x80, 0x8a), is(THIRD, 0xaf))),
  ),
);
const NO_BREAK_SPACES: Code = both(is(BLOCK, 0xc2), is(NEXT, 0xa0));

/** All bytes of a separator are spaces; what reaches into the next block is kept for it. */
const WIDE_SPACES: Code = [
  ...set(NEXT, loadBlock(get(AT), 1)),
  ...set(THIRD, loadBlock(get(AT), 2)),
  ...set(WIDE_3, bits(THREE_BYTE_SPACES)),
  ...set(WIDE, or32(get(WIDE_3), bits(NO_BREAK_SPACES))),
  ...set(
    LEFT,
    or32(
      or32(get(LEFT), get(WIDE)),
      or32(shiftLeft32(get(WIDE), i32(1)), shiftLeft32(get(WIDE_3), i32(2))),
    ),
  ),
  ...set(SPACES, or32(get(SPACES), get(LEFT))),
  ...set(LEFT, shiftRight32(get(LEFT), i32(BLOCK_BYTES))),
];

const STOPS: Code = bits(either(is(BLOCK, 0x3c), is(BLOCK, 0x26)));

const BODY: Code = [
  ...set(WORDS, load32(i32(0))),
  ...set(IN_WORD, load32(i32(4))),
  ...whileTrue(isBelow32(get(AT), get(END)), [
    ...set(BLOCK, loadBlock(get(AT), 0)),
    // Up to the first stop or the end, whichever comes first.
    ...set(COUNT, lowestBit(or32(STOPS, i32(1 << BLOCK_BYTES)))),
    ...set(LETTERS, subtract32(get(END), get(AT))),
    ...set(COUNT, select(get(COUNT), get(LETTERS), isBelow32(get(COUNT), get(LETTERS)))),
    ...set(SPACES, bits(ONE_BYTE_SPACES)),
    // Only a byte above 7F begins or continues one of these.
    ...when(select(bits(get(BLOCK)), i32(0), get(UTF8)), WIDE_SPACES),
    ...set(
      LETTERS,
      and32(xor32(get(SPACES), i32(-1)), subtract32(shiftLeft32(i32(1), get(COUNT)), i32(1))),
    ),
    // A word begins at a letter behind something else.
    ...set(
      WORDS,
      add32(
        get(WORDS),
        countBits(
          and32(
            get(LETTERS),
            xor32(or32(shiftLeft32(get(LETTERS), i32(1)), get(IN_WORD)), i32(-1)),
          ),
        ),
      ),
    ),
    ...set(
      IN_WORD,
      select(
        and32(shiftRight32(get(LETTERS), subtract32(get(COUNT), i32(1))), i32(1)),
        get(IN_WORD),
        get(COUNT),
      ),
    ),
    ...set(AT, add32(get(AT), get(COUNT))),
    // A block that was not read whole is the last.
    ...set(END, select(get(END), i32(0), shiftRight32(get(COUNT), i32(4)))),
  ]),
  ...store32(i32(0), get(WORDS)),
  ...store32(i32(4), get(IN_WORD)),
  ...get(AT),
];
