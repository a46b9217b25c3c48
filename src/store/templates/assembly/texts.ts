// Writing texts forward into memory, and checking those that came from the web. Copies write up to 15 bytes too many, which the
// next one overwrites; there is room behind everything that is written to.

// Behind the strings of the code itself.
let textsAt: usize = 32 * 1024;

/** Where a text is, and its length in the lowest 12 bits. */
export type Text = u32;

/** Puts the characters of a constant, which are ASCII, where they can be copied from; answers where. */
export function text(constant: string): Text {
  const from = textsAt;
  let i = 0;
  while (i < constant.length) {
    store<u8>(from + i, <u8>constant.charCodeAt(i));
    i++;
  }
  textsAt += constant.length + 16;
  return <u32>(from << 12) | constant.length;
}

/** Where the next byte is written. */
export let w: usize = 0;

export function startAt(at: usize): void {
  w = at;
}

// @ts-ignore: decorator
@inline
export function copy(from: usize, bytes: i32): void {
  if (bytes > 256) memory.copy(w, from, bytes);
  else {
    let i = 0;
    while (i < bytes) {
      v128.store(w + i, v128.load(from + i));
      i += 16;
    }
  }
  w += bytes;
}

// @ts-ignore: decorator
@inline
export function put(constant: Text): void {
  copy(constant >> 12, constant & 4095);
}

// @ts-ignore: decorator
@inline
export function putByte(byte: i32): void {
  store<u8>(w, byte);
  w++;
}

/** A number in decimal. */
export function putNumber(value: u64): void {
  let digits = 1;
  let rest = value;
  while (rest >= 10) {
    rest /= 10;
    digits++;
  }
  rest = value;
  let at = w + digits - 1;
  while (at >= w) {
    const tenth = rest / 10;
    store<u8>(at, <u8>(48 + (rest - tenth * 10)));
    rest = tenth;
    at--;
  }
  w += digits;
}

// @ts-ignore: decorator
@inline
function hexDigit(nibble: u32): u8 {
  return <u8>(nibble < 10 ? 48 + nibble : 87 + nibble);
}

/** A number of 64 bits as 16 hexadecimal digits. */
export function putHex(value: u64): void {
  let shift = 60;
  while (shift >= 0) {
    store<u8>(w, hexDigit(<u32>(value >> shift) & 15));
    w++;
    shift -= 4;
  }
}

/** A random UUID (version 4) from 16 bytes. */
export function putUuid(from: usize): void {
  let i = 0;
  while (i < 16) {
    let byte: u32 = load<u8>(from + i);
    if (i == 6) byte = (byte & 15) | 64;
    if (i == 8) byte = (byte & 63) | 128;
    if (i == 4 || i == 6 || i == 8 || i == 10) putByte(45);
    store<u8>(w, hexDigit(byte >> 4));
    store<u8>(w + 1, hexDigit(byte & 15));
    w += 2;
    i++;
  }
}

/** 20 bytes in base 32 (RFC 4648): 32 characters. */
export function putBase32(from: usize): void {
  let group = 0;
  while (group < 20) {
    // 40 bits at once, the first of them highest.
    const bits = bswap<u64>(load<u64>(from + group)) >> 24;
    let shift = 35;
    while (shift >= 0) {
      const digit = <u32>(bits >> shift) & 31;
      store<u8>(w, digit < 26 ? 65 + digit : 24 + digit);
      w++;
      shift -= 5;
    }
    group += 5;
  }
}

function putTwo(value: i32): void {
  store<u8>(w, 48 + value / 10);
  store<u8>(w + 1, 48 + (value % 10));
  w += 2;
}

/** An instant: "2026-01-31T23:59:59.123Z", or without what is between the digits and without milliseconds. */
export function putDate(ms: i64, isShort: bool): void {
  const seconds = ms / 1000;
  const days = <i32>(seconds / 86400);
  const second = <i32>(seconds % 86400);
  // Howard Hinnant, "chrono-compatible low-level date algorithms": civil_from_days, for days from 1970 on.
  const shifted = days + 719468;
  const era = shifted / 146097;
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const shiftedMonth = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  putTwo(year / 100);
  putTwo(year % 100);
  if (!isShort) putByte(45);
  putTwo(month);
  if (!isShort) putByte(45);
  putTwo(day);
  if (!isShort) putByte(84);
  putTwo(second / 3600);
  if (!isShort) putByte(58);
  putTwo((second / 60) % 60);
  if (!isShort) putByte(58);
  putTwo(second % 60);
  if (isShort) return;
  const rest = <i32>(ms % 1000);
  putByte(46);
  putByte(48 + rest / 100);
  putTwo(rest % 100);
  putByte(90);
}

/** A clean text as a string of JSON, with its quotes. */
export function putJson(from: usize, bytes: i32): void {
  putByte(34);
  let i = 0;
  while (i < bytes) {
    const byte = load<u8>(from + i);
    if (byte == 34 || byte == 92) putByte(92);
    store<u8>(w, byte);
    w++;
    i++;
  }
  putByte(34);
}

/** Whether a text stands everywhere as it is: printable ASCII without quotes and backslashes, no space at its ends. */
export function isPlain(from: usize, bytes: i32): bool {
  let i = 0;
  while (i < bytes) {
    const byte = load<u8>(from + i);
    if (byte < 32 || byte > 126 || byte == 34 || byte == 92) return false;
    i++;
  }
  return bytes == 0 || (load<u8>(from) != 32 && load<u8>(from + bytes - 1) != 32);
}

/**
 * Whether a text (UTF-8) is one line as it is, and only needs quotes and backslashes escaped in JSON: no control characters,
 * no separators of lines, and nothing at its ends that might be white space.
 */
export function isClean(from: usize, bytes: i32): bool {
  const end = from + bytes;
  let at = from;
  while (at < end) {
    const byte = load<u8>(at);
    if (byte < 32 || byte == 127) return false;
    if (byte == 0xc2 && load<u8>(at + 1) < 0xa0) return false;
    if (byte == 0xe2 && load<u8>(at + 1) == 0x80 && (load<u8>(at + 2) & 0xfe) == 0xa8) return false;
    at++;
  }
  if (bytes == 0) return true;
  if (load<u8>(from) == 32 || load<u8>(end - 1) == 32) return false;
  if (isWide(from) || (bytes > 2 && isWide(end - 3))) return false;
  return !(bytes > 1 && load<u8>(end - 2) == 0xc2 && load<u8>(end - 1) == 0xa0);
}

/** Whether a character here may be white space beyond ASCII. */
function isWide(at: usize): bool {
  const first = load<u8>(at);
  const second = load<u8>(at + 1);
  if (first == 0xc2) return second == 0xa0;
  if (first == 0xe1) return second == 0x9a;
  if (first == 0xe2) return second == 0x80 || second == 0x81;
  if (first == 0xe3) return second == 0x80;
  return first == 0xef && second == 0xbb;
}

/** Whether a URL stands everywhere as it is; one with a user's name before its host does not. */
export function isPlainUrl(from: usize, bytes: i32): bool {
  if (bytes < 8 || load<u32>(from) != 0x70747468) return false;
  const scheme = load<u8>(from + 4) == 115 ? 8 : 7;
  if (load<u8>(from + scheme - 1) != 47 || load<u16>(from + scheme - 3) != 0x2f3a) return false;
  let isHost = true;
  let i = scheme;
  while (i < bytes) {
    const byte = load<u8>(from + i);
    if (byte < 33 || byte > 126 || byte == 34 || byte == 92) return false;
    if (byte == 47 || byte == 63 || byte == 35) isHost = false;
    if (byte == 64 && isHost) return false;
    i++;
  }
  return true;
}

/** Whether all bytes are ASCII. */
export function isAscii(from: usize, bytes: i32): bool {
  let seen: u64 = 0;
  const whole = bytes & ~7;
  let i = 0;
  while (i < whole) {
    seen |= load<u64>(from + i);
    i += 8;
  }
  while (i < bytes) {
    seen |= load<u8>(from + i);
    i++;
  }
  return (seen & 0x8080808080808080) == 0;
}

/** Whether bytes are these letters, which are lower case, in either case. */
export function isWord(at: usize, word: Text): bool {
  const from = word >> 12;
  const bytes = word & 4095;
  let i: u32 = 0;
  while (i < bytes) {
    const byte = load<u8>(at + i);
    const lower = byte >= 65 && byte <= 90 ? byte | 32 : byte;
    if (lower != load<u8>(from + i)) return false;
    i++;
  }
  return true;
}

/** Whether two pieces of memory hold the same. */
export function isSame(one: usize, other: usize, bytes: i32): bool {
  const whole = bytes & ~7;
  let i = 0;
  while (i < whole) {
    if (load<u64>(one + i) != load<u64>(other + i)) return false;
    i += 8;
  }
  while (i < bytes) {
    if (load<u8>(one + i) != load<u8>(other + i)) return false;
    i++;
  }
  return true;
}
