// Counts words sixteen bytes at a time, and skips tags that the scanner does not need (src/parse/words/text-run.ts).
import {
  LENGTHS_AT,
  PACKED_AT,
  PAGE_AT,
  PASS_INLINE,
  PASSABLE_AT,
  SLOTS,
  SLOTS_AT,
} from "../text-run-layout";

/** Words begun so far; 1 when the last byte belonged to one. */
let words: i32 = 0;
let inWord: i32 = 0;

/** As `TextRun` in text-run.ts says. */
export function run(from: i32, to: i32, space: i32, utf8: i32, passes: i32): i32 {
  words = load<i32>(0);
  inWord = load<i32>(4);
  let at = countText(from, to, space, utf8 != 0);
  let isPassing = passes != 0;
  while (isPassing && at < to && byteAt(at) == 0x3c) {
    const behind = behindTag(at, to, passes);
    if (behind < 0) isPassing = false;
    else at = countText(behind, to, space, utf8 != 0);
  }
  store<i32>(0, words);
  store<i32>(4, inWord);
  return at;
}

// @ts-ignore: decorator
@inline
function byteAt(at: i32): i32 {
  return <i32>load<u8>(at, PAGE_AT);
}

/** Counts up to the next "<" or "&", or the end; returns that offset. */
function countText(from: i32, end: i32, space: i32, isUtf8: bool): i32 {
  const lessThan = i8x16.splat(0x3c);
  const ampersand = i8x16.splat(0x26);
  const blank = i8x16.splat(0x20);
  const other = i8x16.splat(<i8>space);
  const tab = i8x16.splat(0x09);
  const four = i8x16.splat(4);
  const verticalTab = i8x16.splat(0x0b);
  let count = words;
  let inside = inWord;
  /** What of a wide space reaches into the next block. */
  let left = 0;
  let at = from;
  let isText = at < end;
  while (isText) {
    const block = v128.load(at, PAGE_AT);
    const stops = v128.or(i8x16.eq(block, lessThan), i8x16.eq(block, ampersand));
    // Up to the first stop or the end, whichever comes first.
    let length = ctz<i32>(i8x16.bitmask(stops) | 0x10000);
    if (length > end - at) length = end - at;
    const plain = v128.or(i8x16.eq(block, blank), i8x16.eq(block, other));
    const control = v128.and(i8x16.le_u(i8x16.sub(block, tab), four), i8x16.ne(block, verticalTab));
    let spaces = i8x16.bitmask(v128.or(plain, control));
    // Only a byte above 7F begins or continues a wide one.
    if (isUtf8 && i8x16.bitmask(block) != 0) {
      left |= wideSpaces(at, block);
      spaces |= left;
      left >>= 16;
    }
    const letters = ~spaces & ((1 << length) - 1);
    // A word begins at a letter behind something else.
    count += popcnt<i32>(letters & ~((letters << 1) | inside));
    if (length > 0) inside = (letters >> (length - 1)) & 1;
    at += length;
    // A block that was not read whole is the last.
    isText = length == 16 && at < end;
  }
  words = count;
  inWord = inside;
  return at;
}

// @ts-ignore: decorator
@inline
function is(block: v128, byte: i32): v128 {
  return i8x16.eq(block, i8x16.splat(<i8>byte));
}

/** A bit for every byte of a wide space that begins in this block, up to two of them behind it. */
function wideSpaces(at: i32, block: v128): i32 {
  const next = v128.load(at, PAGE_AT + 1);
  const third = v128.load(at, PAGE_AT + 2);
  // U+3000, U+2000 to U+200A and U+202F, by their first bytes; then the no-break space.
  const general = v128.or(
    i8x16.le_u(i8x16.sub(third, i8x16.splat(<i8>0x80)), i8x16.splat(0x0a)),
    is(third, 0xaf),
  );
  const isSpace = v128.or(
    v128.and(is(block, 0xe3), is(third, 0x80)),
    v128.and(is(block, 0xe2), general),
  );
  const three = i8x16.bitmask(v128.and(is(next, 0x80), isSpace));
  const any = three | i8x16.bitmask(v128.and(is(block, 0xc2), is(next, 0xa0)));
  return any | (any << 1) | (three << 2);
}

// @ts-ignore: decorator
@inline
function isLetter(byte: i32): bool {
  // Bit 0x20 makes letters small and leaves digits as they are.
  return <u32>((byte | 0x20) - 0x61) < 26;
}

// @ts-ignore: decorator
@inline
function isDigit(byte: i32): bool {
  return <u32>(byte - 0x30) < 10;
}

// @ts-ignore: decorator
@inline
function endsName(byte: i32): bool {
  const isBlank = byte == 0x20 || (<u32>(byte - 9) < 5 && byte != 0x0b);
  return byte == 0x3e || byte == 0x2f || isBlank;
}

/** Where the tag at an offset ends; -1 for one that is left to the scanner. */
function behindTag(at: i32, end: i32, passes: i32): i32 {
  const closing = i32(byteAt(at + 1) == 0x2f);
  const name = at + 1 + closing;
  // A name of up to four letters and digits.
  let tag = name;
  let byte = byteAt(tag);
  if (!isLetter(byte)) return -1;
  let packed = 0;
  while (isLetter(byte) || isDigit(byte)) {
    if (tag - name == 4) return -1;
    packed = (packed << 8) | byte | 0x20;
    tag++;
    if (tag >= end) return -1;
    byte = byteAt(tag);
  }
  if (!endsName(byte)) return -1;
  const passable = <i32>load<u8>(idOf(packed, tag - name), PASSABLE_AT);
  if ((passable & passes & (1 << closing)) == 0) return -1;
  const behind = behindAttributes(tag, end);
  // A word ends at a tag that is no part of a line.
  if (behind >= 0 && (passable & PASS_INLINE) == 0) inWord = 0;
  return behind;
}

/** As `tagId` in tags.ts; 0 for an unknown name. */
// @ts-ignore: decorator
@inline
function idOf(packed: i32, length: i32): i32 {
  let slot = (<i32>(<u32>(packed * <i32>0x9e3779b1) >> 22) + length) & (SLOTS - 1);
  let id = <i32>load<u8>(slot, SLOTS_AT);
  while (
    id != 0 &&
    (load<i32>(<usize>(id << 2), PACKED_AT) != packed || <i32>load<u8>(id, LENGTHS_AT) != length)
  ) {
    slot = (slot + 1) & (SLOTS - 1);
    id = <i32>load<u8>(slot, SLOTS_AT);
  }
  return id;
}

/** Skips attributes of the form name="value"; -1 for others. */
function behindAttributes(from: i32, end: i32): i32 {
  let tag = from;
  while (tag < end) {
    const byte = byteAt(tag++);
    if (byte == 0x3e) return tag;
    if (byte == 0x3d) {
      // A quote counts only right behind "=", and only if a name stands before it.
      const before = byteAt(tag - 2);
      if (!isLetter(before) && !isDigit(before) && before != 0x2d) return -1;
      const quote = byteAt(tag++);
      if (quote != 0x22 && quote != 0x27) return -1;
      while (tag < end && byteAt(tag) != quote) tag++;
      if (tag >= end) return -1;
      tag++;
    }
  }
  return -1;
}
