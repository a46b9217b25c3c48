// Reads one tag at a time, as src/parse/tag-reader.ts does.
import {
  BREAK,
  LENGTHS,
  LOWER,
  NAME_BYTE,
  NAMES,
  NAMES_AT,
  PACKED,
  PAGE,
  SLOTS,
  VALUES,
  WITH_ATTRIBUTES,
} from "./engine-layout";
import { byteAt, nextByte } from "./scan-markup";

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
  return load<i32>(<usize>(VALUES + 8 * attribute));
}

export function valueEnd(attribute: i32): i32 {
  return load<i32>(<usize>(VALUES + 8 * attribute), 4);
}

// @ts-ignore: decorator
@inline
function breakAt(p: i32): u8 {
  return load<u8>(<usize>(BREAK + byteAt(p)));
}

function tagId(start: i32, end: i32, packed: i32): i32 {
  const length = end - start;
  let slot = (((packed * -1640531535) >>> 22) + length) & 1023;
  let id: i32 = load<u8>(<usize>(SLOTS + slot));
  while (id != 0) {
    if (
      load<i32>(<usize>(PACKED + 4 * id)) == packed &&
      load<u8>(<usize>(LENGTHS + id)) == length &&
      (length <= 4 || beginsLike(start, id, length - 4))
    )
      return id;
    slot = (slot + 1) & 1023;
    id = load<u8>(<usize>(SLOTS + slot));
  }
  return 0;
}

/** Whether the name at an offset and that of an id have the same first letters. */
function beginsLike(start: i32, id: i32, count: i32): bool {
  const name = NAMES + <i32>load<u16>(<usize>(NAMES_AT + 2 * id));
  let i = 0;
  while (
    i < count &&
    load<u8>(<usize>(name + i)) == load<u8>(<usize>(LOWER + byteAt(start + i)))
  )
    i++;
  return i == count;
}

/** Reads the tag whose name begins at `from`; returns the offset behind ">", -1 when the page ends inside it. */
export function readTag(from: i32, end: i32, isClosing: bool): i32 {
  let packed = 0;
  let p = from;
  let byte: i32 = load<u8>(<usize>(NAME_BYTE + byteAt(p)));
  while (p < end && byte != 0) {
    packed = (packed << 8) | byte;
    p++;
    byte = load<u8>(<usize>(NAME_BYTE + byteAt(p)));
  }
  if (p >= end) return -1;
  nameStart = from;
  nameEnd = p;
  tag = tagId(from, p, packed);
  isSelfClosing = false;
  kept = 0;
  if (byteAt(p) == 0x3e) return p + 1;
  return !isClosing && load<u8>(<usize>(WITH_ATTRIBUTES + tag)) == 1
    ? attributes(p, end, true)
    : skip(p, end);
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
        load<u8>(<usize>(BREAK + before)) != 0 || before == 0x22 || before == 0x27;
      if (isUnusual || load<u8>(<usize>(BREAK + quote)) == 1) return attributes(from, end, false);
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
  let p = from;
  let found = 0;
  while (found == 0 && p < end) {
    const block = v128.load(<usize>(PAGE + p));
    found = i8x16.bitmask(
      v128.or(i8x16.eq(block, i8x16.splat(0x3e)), i8x16.eq(block, i8x16.splat(0x3d))),
    );
    p += found == 0 ? 16 : ctz<i32>(found);
  }
  return p;
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
  store<i32>(<usize>(VALUES + 8 * attribute), valueFrom);
  store<i32>(<usize>(VALUES + 8 * attribute), valueTo, 4);
}
