/*
 * Deflate (RFC 1951) for lists: lines that begin and end like the line before. With the codes that the standard fixes
 * (3.2.6) and two comparisons per line it needs a tenth of the time that zlib's search takes, for a little more room.
 */

const LINE_FEED = 10;
/** What a match may be: as long as its own description at least, 258 bytes at most, 32 KiB back at most. */
const MIN_MATCH = 4;
const MAX_MATCH = 258;
const MAX_DISTANCE = 32_768;

/** Codes of literals and of lengths with their extra bits, as they stand in the stream: lowest bit first. */
const LITERALS = new Uint16Array(256);
const LITERAL_BITS = new Uint8Array(256);
const LENGTHS = new Uint16Array(MAX_MATCH + 1);
const LENGTH_BITS = new Uint8Array(MAX_MATCH + 1);
/** Of each symbol of a distance: its code, the least distance, its extra bits. */
const DISTANCES = new Uint8Array(30);
const DISTANCE_BASE = new Uint16Array(30);
const DISTANCE_EXTRA = new Uint8Array(30);

function reversed(code: number, bits: number): number {
  let result = 0;
  for (let i = 0; i < bits; i++) result |= ((code >> i) & 1) << (bits - 1 - i);
  return result;
}

for (let byte = 0; byte < 256; byte++) {
  const bits = byte < 144 ? 8 : 9;
  LITERALS[byte] = reversed(byte < 144 ? 0x30 + byte : 0x190 + byte - 144, bits);
  LITERAL_BITS[byte] = bits;
}
for (let symbol = 257, length = 3; length < MAX_MATCH; symbol++) {
  const extra = symbol < 265 ? 0 : (symbol - 261) >> 2;
  const bits = symbol < 280 ? 7 : 8;
  const code = reversed(symbol < 280 ? symbol - 256 : 0xc0 + symbol - 280, bits);
  for (let i = 0; i < 1 << extra && length < MAX_MATCH; i++, length++) {
    LENGTHS[length] = code | (i << bits);
    LENGTH_BITS[length] = bits + extra;
  }
}
LENGTHS[MAX_MATCH] = reversed(0xc5, 8);
LENGTH_BITS[MAX_MATCH] = 8;
for (let symbol = 0, distance = 1; symbol < 30; symbol++) {
  DISTANCES[symbol] = reversed(symbol, 5);
  DISTANCE_BASE[symbol] = distance;
  DISTANCE_EXTRA[symbol] = symbol < 4 ? 0 : (symbol - 2) >> 1;
  distance += 1 << DISTANCE_EXTRA[symbol]!;
}

/** Bytes that `deflateLines` never exceeds: literals take nine bits at most. */
export function deflatedLinesRoom(bytes: number): number {
  return bytes + (bytes >> 3) + 16;
}

/**
 * Writes the bytes of `text` from `from` to `to` to `out` from `outAt` on, as deflated blocks that end with a whole byte
 * and after which others follow; answers where they end.
 */
export function deflateLines(
  text: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  outAt: number,
): number {
  let at = outAt;
  // Bits that do not fill a byte yet: those of a block of fixed codes that is not the last one.
  let held = 2;
  let heldBits = 3;
  let before = from;
  for (let line = from; line < to; ) {
    let end = line;
    while (end < to && text[end++] !== LINE_FEED);
    const distance = line - before;
    const length = end - line;
    let start = line;
    if (distance > 0 && distance <= MAX_DISTANCE) {
      const most = Math.min(end, line + distance, line + MAX_MATCH);
      while (start < most && text[start] === text[start - distance]) start++;
      if (start - line < MIN_MATCH) start = line;
    }
    // The ends of the two lines lie apart by the length of this one.
    let tail = end;
    if (distance > 0 && length <= MAX_DISTANCE) {
      const least = Math.max(start, before + length, end - MAX_MATCH);
      while (tail > least && text[tail - 1] === text[tail - 1 - length]) tail--;
      if (end - tail < MIN_MATCH) tail = end;
    }
    if (start > line) {
      held |= LENGTHS[start - line]! << heldBits;
      heldBits += LENGTH_BITS[start - line]!;
      for (; heldBits >= 8; heldBits -= 8, held >>>= 8) out[at++] = held;
      const symbol = distanceSymbol(distance);
      held |= (DISTANCES[symbol]! | ((distance - DISTANCE_BASE[symbol]!) << 5)) << heldBits;
      heldBits += 5 + DISTANCE_EXTRA[symbol]!;
      for (; heldBits >= 8; heldBits -= 8, held >>>= 8) out[at++] = held;
    }
    for (let i = start; i < tail; i++) {
      const byte = text[i]!;
      held |= LITERALS[byte]! << heldBits;
      heldBits += LITERAL_BITS[byte]!;
      for (; heldBits >= 8; heldBits -= 8, held >>>= 8) out[at++] = held;
    }
    if (tail < end) {
      held |= LENGTHS[end - tail]! << heldBits;
      heldBits += LENGTH_BITS[end - tail]!;
      for (; heldBits >= 8; heldBits -= 8, held >>>= 8) out[at++] = held;
      const symbol = distanceSymbol(length);
      held |= (DISTANCES[symbol]! | ((length - DISTANCE_BASE[symbol]!) << 5)) << heldBits;
      heldBits += 5 + DISTANCE_EXTRA[symbol]!;
      for (; heldBits >= 8; heldBits -= 8, held >>>= 8) out[at++] = held;
    }
    before = line;
    line = end;
  }
  // The end of the block, seven bits, and three of an empty stored one, which fills up the byte.
  for (heldBits += 10; heldBits > 0; heldBits -= 8, held >>>= 8) out[at++] = held;
  out[at++] = 0;
  out[at++] = 0;
  out[at++] = 0xff;
  out[at++] = 0xff;
  return at;
}

/** The symbol follows from the two highest bits of the distance. */
function distanceSymbol(distance: number): number {
  const last = distance - 1;
  const magnitude = 31 - Math.clz32(last);
  return last < 2 ? last : 2 * magnitude + ((last >> (magnitude - 1)) & 1);
}
