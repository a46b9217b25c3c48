import {
  add32,
  and32,
  block,
  type Code,
  differs32,
  get,
  i32,
  isBelow32,
  isEqual32,
  isZero,
  leave,
  leaveIf,
  loadByte,
  loadWord,
  loop,
  multiply32,
  or32,
  select,
  set,
  shiftLeft32,
  shiftRight32,
  subtract32,
} from "../../hash/wasm-assembler.ts";
import {
  AT,
  BYTE,
  CLOSING,
  END,
  ID,
  IN_WORD,
  LENGTHS_AT,
  LETTERS,
  NAME,
  PACKED,
  PACKED_AT,
  PAGE_AT,
  PASS_INLINE,
  PASSABLE_AT,
  PASSES,
  SLOTS,
  SLOTS_AT,
  TAG,
} from "./text-run-layout.ts";

// Part of `text-run.ts`: skips tags that the scanner does not need.

/** A byte of the page. */
export const byteAt = (at: Code): Code => loadByte(at, PAGE_AT);
const isOneOf = (local: number, first: number, count: number): Code =>
  isBelow32(subtract32(get(local), i32(first)), i32(count));
/** Bit 0x20 makes letters small and leaves digits as they are. */
const FOLDED: Code = or32(get(BYTE), i32(0x20));
const IS_LETTER: Code = isBelow32(subtract32(FOLDED, i32(0x61)), i32(26));
const IS_DIGIT: Code = isOneOf(BYTE, 0x30, 10);
const isByte = (byte: string): Code => isEqual32(get(BYTE), i32(byte.charCodeAt(0)));
const NAME_LENGTH: Code = subtract32(get(TAG), get(NAME));
const READ: Code = set(BYTE, byteAt(get(TAG)));
const STEP: Code = set(TAG, add32(get(TAG), i32(1)));
const IS_OVER: Code = isZero(isBelow32(get(TAG), get(END)));
/** A tag that is not passed over: the loop of tags stands in a block, and this is how far out. */
export const GIVE_UP = 1;

/** A name of up to four letters and digits; other names are left to the scanner. */
const READ_NAME: Code = [
  ...set(TAG, add32(get(AT), i32(1))),
  ...set(CLOSING, isEqual32(byteAt(get(TAG)), i32(0x2f))),
  ...set(TAG, add32(get(TAG), get(CLOSING))),
  ...set(NAME, get(TAG)),
  ...set(PACKED, i32(0)),
  ...READ,
  ...leaveIf(isZero(IS_LETTER), GIVE_UP),
  ...block(
    loop([
      ...leaveIf(isZero(or32(IS_LETTER, IS_DIGIT)), 1),
      ...leaveIf(isEqual32(NAME_LENGTH, i32(4)), GIVE_UP + 2),
      ...set(PACKED, or32(shiftLeft32(get(PACKED), i32(8)), FOLDED)),
      ...STEP,
      ...leaveIf(IS_OVER, GIVE_UP + 2),
      ...READ,
      ...leave(0),
    ]),
  ),
  // What ends a name: ">", "/", white space.
  ...leaveIf(
    isZero(
      or32(
        or32(isByte(">"), isByte("/")),
        or32(isByte(" "), and32(isOneOf(BYTE, 0x09, 5), differs32(get(BYTE), i32(0x0b)))),
      ),
    ),
    GIVE_UP,
  ),
];

/** As `tagId`; ID is the slot until it is found. */
const FIND_ID: Code = [
  ...set(
    ID,
    and32(
      add32(shiftRight32(multiply32(get(PACKED), i32(0x9e3779b1 | 0)), i32(22)), NAME_LENGTH),
      i32(SLOTS - 1),
    ),
  ),
  ...set(LETTERS, get(ID)),
  ...block(
    loop([
      ...set(ID, loadByte(get(LETTERS), SLOTS_AT)),
      ...leaveIf(isZero(get(ID)), 1),
      ...leaveIf(
        and32(
          isEqual32(loadWord(shiftLeft32(get(ID), i32(2)), PACKED_AT), get(PACKED)),
          isEqual32(loadByte(get(ID), LENGTHS_AT), NAME_LENGTH),
        ),
        1,
      ),
      ...set(LETTERS, and32(add32(get(LETTERS), i32(1)), i32(SLOTS - 1))),
      ...leave(0),
    ]),
  ),
  ...set(ID, loadByte(get(ID), PASSABLE_AT)),
  ...leaveIf(
    isZero(and32(and32(get(ID), get(PASSES)), shiftLeft32(i32(1), get(CLOSING)))),
    GIVE_UP,
  ),
];

/** Skips attributes of the form name="value"; others are left to the scanner. */
const PASS_ATTRIBUTES: Code = block(
  loop([
    ...leaveIf(IS_OVER, GIVE_UP + 2),
    ...READ,
    ...STEP,
    ...leaveIf(isByte(">"), 1),
    ...leaveIf(isZero(isByte("=")), 0),
    // A quote counts only right behind "=", and only if a name stands before it.
    ...set(BYTE, byteAt(subtract32(get(TAG), i32(2)))),
    ...leaveIf(isZero(or32(or32(IS_LETTER, IS_DIGIT), isByte("-"))), GIVE_UP + 2),
    ...READ,
    ...leaveIf(isZero(or32(isByte('"'), isByte("'"))), GIVE_UP + 2),
    ...set(LETTERS, get(BYTE)),
    ...STEP,
    ...loop([
      ...leaveIf(IS_OVER, GIVE_UP + 3),
      ...READ,
      ...STEP,
      ...leaveIf(differs32(get(BYTE), get(LETTERS)), 0),
    ]),
    ...leave(0),
  ]),
);

/** Goes on behind the tag at AT, or gives up. */
export const PASS_TAG: Code = [
  ...READ_NAME,
  ...FIND_ID,
  ...PASS_ATTRIBUTES,
  ...set(AT, get(TAG)),
  // A word ends at a tag that is no part of a line.
  ...set(IN_WORD, select(get(IN_WORD), i32(0), and32(get(ID), i32(PASS_INLINE)))),
];
