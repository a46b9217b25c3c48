// Comments, raw text and scripts, as src/parse/markup.ts reads them. Every function takes an offset and returns the
// offset behind what it consumed; each byte is looked at a bounded number of times.
import { is } from "./byte-blocks";
import { BREAK, LOWER, NAMES, PAGE } from "./engine-layout";

// @ts-ignore: decorator
@inline
export function byteAt(p: i32): u8 {
  return load<u8>(<usize>p, PAGE);
}

// In the loops below an offset grows by 16 whatever is found: if it depended on that, each block would have to wait for the
// one before.

/** Offset of the next such byte; `end` when there is none. */
export function nextByte(byte: u8, from: i32, end: i32): i32 {
  const wanted = i8x16.splat(<i8>byte);
  let p = from - 16;
  let found = 0;
  while (found == 0 && p < end) {
    p += 16;
    found = i8x16.bitmask(i8x16.eq(v128.load(<usize>p, PAGE), wanted));
  }
  return min(p + ctz<i32>(found), end);
}

/** Offset of the next such byte that another one follows; `end` when there is none. */
function nextPair(byte: u8, follower: u8, from: i32, end: i32): i32 {
  const wanted = i8x16.splat(<i8>byte);
  const wantedBehind = i8x16.splat(<i8>follower);
  let p = from - 16;
  let found = 0;
  while (found == 0 && p < end) {
    p += 16;
    const isFirst = i8x16.eq(v128.load(<usize>p, PAGE), wanted);
    const isSecond = i8x16.eq(v128.load(<usize>p, PAGE + 1), wantedBehind);
    found = i8x16.bitmask(v128.and(isFirst, isSecond));
  }
  return min(p + ctz<i32>(found), end);
}

/** Behind the comment whose "<!--" is at `start`. */
export function afterComment(start: i32, end: i32): i32 {
  let p = start + 4;
  if (byteAt(p) == 0x3e) return p + 1;
  if (byteAt(p) == 0x2d && byteAt(p + 1) == 0x3e) return p + 2;
  let after = -1;
  while (after < 0) {
    p = nextPair(0x2d, 0x2d, p, end);
    if (p >= end) after = end;
    else {
      while (byteAt(p) == 0x2d) p++;
      if (byteAt(p) == 0x3e) after = p + 1;
      else if (byteAt(p) == 0x21 && byteAt(p + 1) == 0x3e) after = p + 2;
    }
  }
  return after;
}

/** Behind the next ">": the end of doctypes, of "<?" and of other bogus comments. */
export function afterBogusComment(from: i32, end: i32): i32 {
  const close = nextByte(0x3e, from, end);
  return close >= end ? end : close + 1;
}

/** Behind the markup at "<" that is not a tag; -1 when it is text. */
export function afterNonTag(p: i32, end: i32): i32 {
  const next = byteAt(p + 1);
  if (next == 0x21) {
    const isComment = byteAt(p + 2) == 0x2d && byteAt(p + 3) == 0x2d;
    return isComment ? afterComment(p, end) : afterBogusComment(p + 2, end);
  }
  if (next == 0x3f) return afterBogusComment(p + 1, end);
  if (next == 0x2f && p + 2 < end) return afterBogusComment(p + 2, end);
  return -1;
}

/** Whether "<!" opens a CDATA section. */
export function opensCdata(p: i32): bool {
  const at = <usize>(PAGE + p + 2);
  return load<u32>(at) == 0x4144435b && load<u32>(at, 3) == 0x5b415441; // "[CDA", "ATA["
}

/** Whether the letters at an offset spell a name in any case, and the tag's name ends there. */
function spells(from: i32, name: i32, length: i32): bool {
  let i = 0;
  while (
    i < length &&
    load<u8>(byteAt(from + i), LOWER) == load<u8>(<usize>(name + i), NAMES)
  )
    i++;
  if (i < length) return false;
  const kind = load<u8>(byteAt(from + length), BREAK);
  return kind != 0 && kind != 4;
}

/** Where the "</name" is that ends raw text. */
export function rawTextEnd(from: i32, end: i32, name: i32, length: i32): i32 {
  let p = from;
  let found = false;
  while (!found) {
    p = nextPair(0x3c, 0x2f, p, end);
    found = p >= end || spells(p + 2, name, length);
    if (!found) p++;
  }
  return p < end ? p : end;
}

/** Offset of the next "<" before a slash or "!": nothing else that a script compares with "<" matters. */
function nextScriptMark(from: i32, end: i32): i32 {
  let p = from - 16;
  let found = 0;
  while (found == 0 && p < end) {
    p += 16;
    const behind = v128.load(<usize>p, PAGE + 1);
    const isMark = v128.or(is(behind, 0x2f), is(behind, 0x21));
    found = i8x16.bitmask(v128.and(is(v128.load(<usize>p, PAGE), 0x3c), isMark));
  }
  return min(p + ctz<i32>(found), end);
}

/** Where the "</script" is that ends a script: inside "<!--" a nested "<script" hides one of them. */
export function scriptEnd(from: i32, end: i32, name: i32, length: i32): i32 {
  let isEscaped = false;
  let isNested = false;
  let dashes = 0;
  let p = from;
  while (p < end) {
    if (!isEscaped) {
      p = nextScriptMark(p, end);
      if (p >= end) return end;
      const next = byteAt(p + 1);
      if (next == 0x2f && spells(p + 2, name, length)) return p;
      if (next == 0x21 && byteAt(p + 2) == 0x2d && byteAt(p + 3) == 0x2d) {
        isEscaped = true;
        isNested = false;
        dashes = 2;
        p += 3;
      }
    } else {
      const byte = byteAt(p);
      if (byte == 0x2d) dashes++;
      else {
        if (byte == 0x3e && dashes >= 2) isEscaped = false;
        else if (byte == 0x3c) {
          if (byteAt(p + 1) == 0x2f && spells(p + 2, name, length)) {
            if (!isNested) return p;
            isNested = false;
          } else if (!isNested && spells(p + 1, name, length)) isNested = true;
        }
        dashes = 0;
      }
    }
    p++;
  }
  return end;
}
