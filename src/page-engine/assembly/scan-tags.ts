// Reads one tag at a time, as src/parse/tag-reader.ts does.
import { below, between, bits64, is, isBreak } from "./byte-blocks";
import { BREAK, PAGE, VALUES, WITH_ATTRIBUTES } from "./engine-layout";
import { byteAt, nextByte } from "./scan-markup";
import { firstTagId, small, tagId } from "./tag-names";

// The attributes whose values are kept.
export const HREF: i32 = 0;
export const SRC: i32 = 1;
export const REL: i32 = 2;
export const CONTENT: i32 = 3;
export const HTTP_EQUIV: i32 = 4;
export const NAME: i32 = 5;
export const LANG: i32 = 6;
export const TYPE: i32 = 7;
export const XLINK_HREF: i32 = 8;

/** The tag that was read last. */
export let tag: i32 = 0;
export let isSelfClosing: bool = false;
export let nameStart: i32 = 0;
export let nameEnd: i32 = 0;
/** A bit for each attribute that it has. */
let kept: i32 = 0;

export function has(attribute: i32): bool {
  return ((kept >> attribute) & 1) == 1;
}

export function valueStart(attribute: i32): i32 {
  return load<i32>(<usize>(8 * attribute), VALUES);
}

export function valueEnd(attribute: i32): i32 {
  return load<i32>(<usize>(8 * attribute), VALUES + 4);
}

// @ts-ignore: decorator
@inline
function breakAt(p: i32): u8 {
  return load<u8>(byteAt(p), BREAK);
}

/** Where the name of a tag ends. */
// @ts-ignore: decorator
@inline
function endOfName(from: i32, end: i32): i32 {
  const breaks = i8x16.bitmask(isBreak(v128.load(<usize>from, PAGE)));
  return breaks != 0 ? from + ctz<i32>(breaks) : endOfLongName(from + 16, end);
}

function endOfLongName(from: i32, end: i32): i32 {
  let p = from - 16;
  let found = 0;
  while (found == 0 && p < end) {
    p += 16;
    found = i8x16.bitmask(isBreak(v128.load(<usize>p, PAGE)));
  }
  return p + ctz<i32>(found);
}

/** Reads the tag whose name begins at `from`; returns the offset behind ">", -1 when the page ends inside it. */
// @ts-ignore: decorator
@inline
export function readTag(from: i32, end: i32, isClosing: bool): i32 {
  kept = 0;
  isSelfClosing = false;
  nameStart = from;
  const letters = load<u64>(<usize>from, PAGE);
  const signs = letters ^ 0x3e3e3e3e3e3e3e3e;
  // The lowest bit that is set belongs to the first ">".
  const ends = (signs - 0x0101010101010101) & ~signs & 0x8080808080808080;
  if (ends != 0) {
    // Most tags are a name of ours and ">". One of ours has nothing in it that would end it earlier.
    const bit = ctz<u64>(ends);
    const id = firstTagId(small(letters) << (71 - bit));
    if (id != 0) {
      tag = id;
      nameEnd = from + <i32>(bit >> 3);
      return nameEnd + 1;
    }
  }
  return readLongTag(from, end, isClosing);
}

/** The same for any other tag. */
function readLongTag(from: i32, end: i32, isClosing: bool): i32 {
  const p = endOfName(from, end);
  if (p >= end) return -1;
  nameEnd = p;
  const id = tagId(from, p - from);
  tag = id;
  if (byteAt(p) == 0x3e) return p + 1;
  const keeps = !isClosing && load<u8>(<usize>id, WITH_ATTRIBUTES) == 1;
  const after = p - from < 64 ? shortTag(from, p - from, keeps) : 0;
  if (after > 0) return after;
  return keeps ? attributes(p, end, true) : skip(p, end);
}

/**
 * Reads a tag that ends within 64 bytes, if there are only attributes of the form name="value"; 0 when there is anything else.
 * It looks at the name as well, so that it need not wait for where that ends.
 */
// @ts-ignore: decorator
@inline
function shortTag(from: i32, nameLength: i32, keeps: bool): i32 {
  const a = v128.load(<usize>from, PAGE);
  const b = v128.load(<usize>from, PAGE + 16);
  const c = v128.load(<usize>from, PAGE + 32);
  const d = v128.load(<usize>from, PAGE + 48);
  const behindName = <u64>-1 << <u64>nameLength;
  const quotes = bits64(is(a, 0x22), is(b, 0x22), is(c, 0x22), is(d, 0x22));
  const inside = between(quotes);
  const ends = bits64(is(a, 0x3e), is(b, 0x3e), is(c, 0x3e), is(d, 0x3e)) & ~inside;
  if (ends == 0) return 0;
  const outside = ~inside & below(ends);
  const opening = quotes & inside & below(ends);
  const equals = bits64(is(a, 0x3d), is(b, 0x3d), is(c, 0x3d), is(d, 0x3d)) & outside;
  const odd = oddBits(from, a, b, c, d) & outside;
  // Quotes and signs in the name of the tag mean nothing.
  if (opening != equals << 1 || (odd | (equals & ~behindName)) != 0) return 0;
  if (keeps && !keepEach(from, outside & behindName, equals, quotes)) return 0;
  const close = from + <i32>ctz<u64>(ends);
  isSelfClosing = byteAt(close - 1) == 0x2f;
  return close + 1;
}

/** Where a single quote is, or "=" behind anything but a letter or "_" (and a few signs that are as good in a name). */
// @ts-ignore: decorator
@inline
function oddBits(from: i32, a: v128, b: v128, c: v128, d: v128): u64 {
  return bits64(
    isOdd(a, v128.load(<usize>from, PAGE - 1)),
    isOdd(b, v128.load(<usize>from, PAGE + 15)),
    isOdd(c, v128.load(<usize>from, PAGE + 31)),
    isOdd(d, v128.load(<usize>from, PAGE + 47)),
  );
}

// @ts-ignore: decorator
@inline
function isOdd(block: v128, before: v128): v128 {
  const isLetter = i8x16.gt_s(before, i8x16.splat(0x3f));
  return v128.or(v128.andnot(is(block, 0x3d), isLetter), is(block, 0x27));
}

/**
 * Keeps attributes by the places of "=" and quotes; false when there are names without a value. A name begins behind a break
 * or a closing quote.
 */
function keepEach(from: i32, outside: u64, equals: u64, quotes: u64): bool {
  const edges = quotes | breakBits(from);
  let names = outside & ~(edges | equals) & (edges << 1);
  if (popcnt<u64>(names) != popcnt<u64>(equals)) return false;
  let signs = equals;
  let closing = quotes & outside;
  while (signs != 0) {
    const stop = from + <i32>ctz<u64>(signs);
    keep(from + <i32>ctz<u64>(names), stop, stop + 2, from + <i32>ctz<u64>(closing));
    names &= names - 1;
    closing &= closing - 1;
    signs &= signs - 1;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function breakBits(from: i32): u64 {
  return bits64(
    isBreak(v128.load(<usize>from, PAGE)),
    isBreak(v128.load(<usize>from, PAGE + 16)),
    isBreak(v128.load(<usize>from, PAGE + 32)),
    isBreak(v128.load(<usize>from, PAGE + 48)),
  );
}

/** Skips attributes that are not needed; anything unusual is read again, attribute by attribute. */
function skip(from: i32, end: i32): i32 {
  let p = nextMark(from, end);
  while (p < end) {
    const byte = byteAt(p);
    if (byte == 0x3e) {
      isSelfClosing = byteAt(p - 1) == 0x2f;
      return p + 1;
    }
    if (byte == 0x3d) {
      p++;
      const quote: u8 = p < end ? byteAt(p) : 0;
      const before = byteAt(p - 2);
      const isUnusual =
        load<u8>(before, BREAK) != 0 || before == 0x22 || before == 0x27;
      if (isUnusual || load<u8>(quote, BREAK) == 1) return attributes(from, end, false);
      if (quote == 0x22 || quote == 0x27) {
        p = nextByte(quote, p + 1, end);
      } else {
        let kind = p < end ? breakAt(p) : 1;
        while (kind != 1 && kind != 3) {
          p++;
          kind = p < end ? breakAt(p) : 1;
        }
        if (kind == 3) return p + 1;
      }
    }
    p = nextMark(p + 1, end);
  }
  return -1;
}

/** The next ">" or "=". */
// @ts-ignore: decorator
@inline
function nextMark(from: i32, end: i32): i32 {
  let p = from - 16;
  let found = 0;
  while (found == 0 && p < end) {
    p += 16;
    const block = v128.load(<usize>p, PAGE);
    found = i8x16.bitmask(v128.or(is(block, 0x3e), is(block, 0x3d)));
  }
  return p + ctz<i32>(found);
}

function skipSpace(from: i32, end: i32): i32 {
  let p = from;
  while (p < end && breakAt(p) == 1) p++;
  return p;
}

/** Reads attribute by attribute; -1 when the page ends. */
function attributes(from: i32, end: i32, keeps: bool): i32 {
  let p = from;
  while (p < end) {
    // Before a name: white space and slashes; a slash right before ">" closes the element.
    let isSlash = false;
    let kind = breakAt(p);
    while (p < end && (kind == 1 || kind == 2)) {
      isSlash = kind == 2;
      p++;
      kind = breakAt(p);
    }
    if (p >= end) return -1;
    if (byteAt(p) == 0x3e) {
      isSelfClosing = isSlash;
      return p + 1;
    }
    const start = p;
    p++; // whatever is here belongs to the name, even "="
    while (p < end && breakAt(p) == 0) p++;
    const stop = p;
    p = skipSpace(p, end);
    if (p >= end) return -1;
    if (byteAt(p) != 0x3d) {
      if (keeps) keep(start, stop, stop, stop);
    } else {
      p = skipSpace(p + 1, end);
      if (p >= end) return -1;
      const quote = byteAt(p);
      let valueFrom = p;
      if (quote == 0x22 || quote == 0x27) {
        p++;
        valueFrom = p;
        p = nextByte(quote, p, end);
        if (p >= end) return -1;
        if (keeps) keep(start, stop, valueFrom, p);
        p++;
      } else {
        let ends = breakAt(p);
        while (p < end && ends != 1 && ends != 3) {
          p++;
          ends = breakAt(p);
        }
        if (p >= end) return -1;
        if (keeps) keep(start, stop, valueFrom, p);
      }
    }
  }
  return -1;
}

/** Which attribute a name is; -1 for all others. Bit 0x20 makes letters small. */
function attributeOf(start: i32, length: i32): i32 {
  const at = <usize>(PAGE + start);
  if (length == 3) {
    const name = (load<u32>(at) | 0x20202020) & 0xffffff;
    return name == 0x637273 ? SRC : name == 0x6c6572 ? REL : -1;
  }
  if (length == 4) {
    const name = load<u32>(at) | 0x20202020;
    if (name == 0x66657268) return HREF;
    if (name == 0x656d616e) return NAME;
    if (name == 0x676e616c) return LANG;
    return name == 0x65707974 ? TYPE : -1;
  }
  if (length == 7) {
    const isContent =
      (load<u32>(at) | 0x20202020) == 0x746e6f63 && (load<u32>(at, 3) | 0x20202020) == 0x746e6574;
    return isContent ? CONTENT : -1;
  }
  if (length != 10) return -1;
  // Only letters have two forms.
  const first = load<u64>(at);
  const last = load<u16>(at, 8) | 0x2020;
  if (byteAt(start + 4) == 0x2d)
    return (first | 0x2020202020202020) == 0x7571652d70747468 && last == 0x7669 ? HTTP_EQUIV : -1;
  if (byteAt(start + 5) != 0x3a) return -1;
  return (first | 0x2020202020202020) == 0x72683a6b6e696c78 && last == 0x6665 ? XLINK_HREF : -1;
}

/** Remembers a value if its name is one of ours and did not occur before in this tag. */
function keep(start: i32, stop: i32, valueFrom: i32, valueTo: i32): void {
  const attribute = attributeOf(start, stop - start);
  if (attribute < 0 || has(attribute)) return;
  kept |= 1 << attribute;
  store<i32>(<usize>(8 * attribute), valueFrom, VALUES);
  store<i32>(<usize>(8 * attribute), valueTo, VALUES + 4);
}
