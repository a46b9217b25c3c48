// Deflates metadata records. Nearly all of such a record are lines of links that share their beginnings, so the codes are fixed
// beforehand, matches are sought at one place only, and no line is looked at twice.

import { BLOCK_HEADER, BLOCK_HEADER_BITS, DISTANCE_LENGTHS, LITERAL_LENGTHS } from "./deflate-codes";
import { CODES, DISTANCE_CODES, LENGTH_CODES, SEEN } from "./store-layout";

const HASH_BITS: u32 = 12;
const MIN_MATCH: usize = 4;
const MAX_MATCH: usize = 258;
const MAX_DISTANCE: usize = 32768;
const END: i32 = 256;
/** Shorter ones have nothing to gain. */
const MIN_BYTES: i32 = 512;
let headerBytes: i32 = 0;

function digit(text: string, index: i32): u32 {
  const code = text.charCodeAt(index);
  return code < 58 ? code - 48 : code - 87;
}

function reversed(code: u32, bits: u32): u32 {
  let result: u32 = 0;
  let i: u32 = 0;
  while (i < bits) {
    result |= ((code >>> i) & 1) << (bits - 1 - i);
    i++;
  }
  return result;
}

/** Puts the canonical codes of these lengths (RFC 1951, 3.2.2): each in a word, how many bits in the lowest byte, the bits above it. */
function putCodes(lengths: string, at: usize): void {
  let code: u32 = 0;
  let bits: u32 = 1;
  while (bits < 16) {
    let i = 0;
    while (i < lengths.length) {
      if (digit(lengths, i) == bits) {
        store<u32>(at + 4 * i, (reversed(code, bits) << 8) | bits);
        code++;
      }
      i++;
    }
    code <<= 1;
    bits++;
  }
}

/** Makes the tables. */
export function makeCodes(): void {
  putCodes(LITERAL_LENGTHS, CODES);
  const distances = CODES + 4 * 288;
  putCodes(DISTANCE_LENGTHS, distances);
  let length: u32 = 3;
  let symbol = 257;
  while (symbol < 286) {
    const extra: u32 = symbol < 265 || symbol == 285 ? 0 : (symbol - 261) >> 2;
    // 258 has a code of its own.
    if (symbol == 285) length = 258;
    let i: u32 = 0;
    while (i < 1 << extra && length < 259) {
      const code = load<u32>(CODES + 4 * symbol);
      const bits = code & 255;
      store<u32>(LENGTH_CODES + 4 * length, (((code >>> 8) | (i << bits)) << 8) | (bits + extra));
      length++;
      i++;
    }
    symbol++;
  }
  symbol = 0;
  while (symbol < 30) {
    store<u32>(DISTANCE_CODES + 4 * symbol, load<u32>(distances + 4 * symbol));
    symbol++;
  }
  headerBytes = BLOCK_HEADER.length / 2;
  let i = 0;
  while (i < headerBytes) {
    store<u8>(DISTANCE_CODES + 128 + i, <u8>((digit(BLOCK_HEADER, 2 * i) << 4) | digit(BLOCK_HEADER, 2 * i + 1)));
    i++;
  }
}

/**
 * Deflates bytes into one block; answers where it ends, 0 when it would not become smaller. Up to 8 bytes behind what is read are
 * read, too, and as many behind what is written are written.
 */
export function deflate(from: usize, bytes: i32, to: usize): usize {
  if (bytes < MIN_BYTES) return 0;
  memory.fill(SEEN, 0, 4 << HASH_BITS);
  memory.copy(to, DISTANCE_CODES + 128, headerBytes);
  let out = to + (BLOCK_HEADER_BITS >> 3);
  let held: u64 = (BLOCK_HEADER_BITS & 7) == 0 ? 0 : load<u8>(out);
  let count: u64 = BLOCK_HEADER_BITS & 7;
  const end = from + bytes;
  const outEnd = to + bytes - 32;
  let at = from;
  while (at < end && out < outEnd) {
    const four = load<u32>(at);
    const slot = SEEN + (((four * 0x9e3779b1) >>> (32 - HASH_BITS)) << 2);
    const seen = <usize>load<u32>(slot);
    store<u32>(slot, <u32>at);
    // Nothing before `from` is in the table but zeros.
    if (seen != 0 && at - seen <= MAX_DISTANCE && end - at >= MIN_MATCH && load<u32>(seen) == four) {
      const most = min(end - at, MAX_MATCH);
      let length = MIN_MATCH;
      let isSame = true;
      while (isSame && length < most) {
        const different = load<u64>(seen + length) ^ load<u64>(at + length);
        isSame = different == 0;
        length += isSame ? 8 : <usize>(ctz(different) >> 3);
      }
      length = min(length, most);
      let code = load<u32>(LENGTH_CODES + 4 * <i32>length);
      held |= <u64>(code >>> 8) << count;
      count += code & 255;
      const distance = <u32>(at - seen) - 1;
      const high = distance < 2 ? 0 : 30 - clz(distance);
      const symbol = distance < 2 ? distance : 2 * high + 2 + ((distance >>> high) & 1);
      code = load<u32>(DISTANCE_CODES + 4 * symbol);
      held |= <u64>(code >>> 8) << count;
      count += code & 255;
      held |= <u64>(distance & ((1 << high) - 1)) << count;
      count += high;
      at += length;
    } else {
      const code = load<u32>(CODES + 4 * <i32>(four & 255));
      held |= <u64>(code >>> 8) << count;
      count += code & 255;
      at++;
    }
    store<u64>(out, held);
    out += <usize>(count >> 3);
    held >>= count & ~7;
    count &= 7;
  }
  if (at < end) return 0;
  const code = load<u32>(CODES + 4 * END);
  held |= <u64>(code >>> 8) << count;
  count += code & 255;
  store<u64>(out, held);
  return out + <usize>((count + 7) >> 3);
}
