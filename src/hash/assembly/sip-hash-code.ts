// SipHash-1-3 (Aumasson, Bernstein 2012) of many texts, as src/hash/sip-hash.ts defines it: JavaScript has no fast
// 64-bit arithmetic. A round is written out five times: in a function of its own its words would be in memory, and with
// the last word and the last rounds in loops every text costs some 6 % more.
import { LENGTHS_AT, MARKS_AT, PRINTS_AT, TEXT_AT } from "../sip-hash-layout";

const QUESTION_MARK: u8 = 0x3f;
const NUMBER_SIGN: u8 = 0x23;

/** Puts one "#" in the place of every run of digits in a text; returns its length then. */
export function foldNumbers(length: i32): i32 {
  const end: usize = TEXT_AT + length;
  let from: usize = TEXT_AT;
  let to: usize = TEXT_AT;
  let isInNumber = false;
  while (from < end) {
    const block = v128.load(from);
    const digits = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(10));
    if (from + 16 <= end && !v128.any_true(digits)) {
      v128.store(to, block);
      from += 16;
      to += 16;
      isInNumber = false;
    } else {
      const byte = load<u8>(from++);
      const isDigit = <u32>byte - 0x30 < 10;
      if (!isDigit || !isInNumber) store<u8>(to++, isDigit ? NUMBER_SIGN : byte);
      isInNumber = isDigit;
    }
  }
  return <i32>(to - TEXT_AT);
}

/** Hashes so many texts, and marks those with "%" or with "?" at the end. */
export function hashAll(count: i32, seedLow: u32, seedHigh: u32): i32 {
  return hashTexts(count, seedLow, seedHigh, true);
}

/** The same when no text contains "%": looking for it is a fifth of the cost. */
export function hashUnescaped(count: i32, seedLow: u32, seedHigh: u32): i32 {
  return hashTexts(count, seedLow, seedHigh, false);
}

// @ts-ignore: decorator
@inline
function hashTexts(count: i32, seedLow: u32, seedHigh: u32, looksForPercent: bool): i32 {
  const key0 = <u64>seedLow | (<u64>seedHigh << 32);
  const key1 = <u64>seedHigh | (<u64>seedLow << 32);
  let marks = 0;
  let at: usize = TEXT_AT;
  let text = 0;
  while (text < count) {
    const length = load<u32>(<usize>(text << 2), LENGTHS_AT);
    let v0 = key0 ^ 0x736f6d6570736575;
    let v1 = key1 ^ 0x646f72616e646f6d;
    let v2 = key0 ^ 0x6c7967656e657261;
    let v3 = key1 ^ 0x7465646279746573;
    let percents: u64 = 0;
    const whole = at + (length & ~7);
    while (at < whole) {
      const word = load<u64>(at);
      if (looksForPercent) {
        // It becomes a zero byte, and subtracting 1 from each byte sets a new top bit only at or above a zero.
        const zero = word ^ 0x2525252525252525;
        percents |= (zero - 0x0101010101010101) & ~zero & 0x8080808080808080;
      }
      v3 ^= word;
      v0 += v1;
      v1 = rotl<u64>(v1, 13) ^ v0;
      v0 = rotl<u64>(v0, 32);
      v2 += v3;
      v3 = rotl<u64>(v3, 16) ^ v2;
      v0 += v3;
      v3 = rotl<u64>(v3, 21) ^ v0;
      v2 += v1;
      v1 = rotl<u64>(v1, 17) ^ v2;
      v2 = rotl<u64>(v2, 32);
      v0 ^= word;
      at += 8;
    }
    // The last word: the bytes left over and the length in the top byte, so that "a" and "a\0" differ.
    let last = load<u64>(at) & ((<u64>1 << (<u64>(length & 7) << 3)) - 1);
    if (looksForPercent) {
      const zero = last ^ 0x2525252525252525;
      percents |= (zero - 0x0101010101010101) & ~zero & 0x8080808080808080;
    }
    last |= <u64>length << 56;
    v3 ^= last;
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    v0 ^= last;
    v2 ^= 0xff;
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    store<u64>(<usize>(text << 3), v0 ^ v1 ^ v2 ^ v3, PRINTS_AT);
    at = whole + (length & 7);
    const mark = i32(percents != 0) | i32(load<u8>(at - 1) == QUESTION_MARK);
    store<u8>(<usize>text, <u8>mark, MARKS_AT);
    marks += mark;
    text++;
  }
  return marks;
}
