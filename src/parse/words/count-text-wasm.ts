import {
  add32,
  and32,
  binary,
  type Code,
  countBits,
  get,
  i32,
  isBelow32,
  loadBlock,
  lowestBit,
  or32,
  select,
  set,
  shiftLeft32,
  shiftRight32,
  subtract32,
  when,
  whileTrue,
  xor32,
} from "../../hash/wasm-assembler.ts";
import {
  ALL_4,
  ALL_AMPERSAND,
  ALL_BLANK,
  ALL_LESS_THAN,
  ALL_SPACE,
  ALL_TAB,
  ALL_VT,
  AT,
  BLOCK,
  COUNT,
  END,
  IN_WORD,
  LEFT,
  LETTERS,
  NEXT,
  PAGE_AT,
  SPACE,
  SPACES,
  TEXT_END,
  THIRD,
  UTF8,
  WIDE,
  WIDE_3,
  WORDS,
} from "./text-run-layout.ts";

// Part of `text-run.ts`: words, sixteen bytes at a time.

const BLOCK_BYTES = 16;

// Instructions on sixteen bytes.
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

/** Tab, line feed, form feed, carriage return, space, and the byte SPACE. */
const ONE_BYTE_SPACES: Code = either(
  either(equal(get(BLOCK), get(ALL_BLANK)), equal(get(BLOCK), get(ALL_SPACE))),
  both(isAtMost(minus(get(BLOCK), get(ALL_TAB)), get(ALL_4)), differ(get(BLOCK), get(ALL_VT))),
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
  ...set(NEXT, loadBlock(get(AT), PAGE_AT + 1)),
  ...set(THIRD, loadBlock(get(AT), PAGE_AT + 2)),
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

const STOPS: Code = bits(
  either(equal(get(BLOCK), get(ALL_LESS_THAN)), equal(get(BLOCK), get(ALL_AMPERSAND))),
);

/** Computed once, because that costs more than comparing. */
export const PREPARE_BLOCKS: Code = [
  ...set(ALL_LESS_THAN, all(i32(0x3c))),
  ...set(ALL_AMPERSAND, all(i32(0x26))),
  ...set(ALL_BLANK, all(i32(0x20))),
  ...set(ALL_SPACE, all(get(SPACE))),
  ...set(ALL_TAB, all(i32(0x09))),
  ...set(ALL_4, all(i32(4))),
  ...set(ALL_VT, all(i32(0x0b))),
];

/** Counts words from AT up to the next "<" or "&", or the end. */
export const COUNT_TEXT: Code = [
  ...set(TEXT_END, get(END)),
  // The last block before a tag may have looked at a separator behind it.
  ...set(LEFT, i32(0)),
  ...whileTrue(isBelow32(get(AT), get(TEXT_END)), [
    ...set(BLOCK, loadBlock(get(AT), PAGE_AT)),
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
    ...set(TEXT_END, select(get(TEXT_END), i32(0), shiftRight32(get(COUNT), i32(4)))),
  ]),
];
