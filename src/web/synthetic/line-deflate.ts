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

/** Writes codes bit by bit, the lowest first; bits that do not fill a byte yet are held. */
class BitWriter {
  readonly #out: Uint8Array;
  #at: number;
  #held = 0;
  #heldBits = 0;

  constructor(out: Uint8Array, at: number) {
    this.#out = out;
    this.#at = at;
  }

  put(code: number, bits: number): void {
    this.#held |= code << this.#heldBits;
    for (this.#heldBits += bits; this.#heldBits >= 8; this.#heldBits -= 8) {
      this.#out[this.#at++] = this.#held;
      this.#held >>>= 8;
    }
  }

  /** A repetition of what stands `distance` bytes before. */
  putMatch(length: number, distance: number): void {
    this.put(LENGTHS[length]!, LENGTH_BITS[length]!);
    const symbol = distanceSymbol(distance);
    const extra = (distance - DISTANCE_BASE[symbol]!) << 5;
    this.put(DISTANCES[symbol]! | extra, 5 + DISTANCE_EXTRA[symbol]!);
  }

  /** Ends the block (seven bits) and fills up the byte with an empty stored one; returns where that ends. */
  end(): number {
    this.put(0, 10);
    if (this.#heldBits > 0) this.put(0, 8 - this.#heldBits);
    this.#out.set([0, 0, 0xff, 0xff], this.#at);
    return this.#at + 4;
  }
}

/**
 * Writes the bytes of `text` from `from` to `to` to `out` from `outAt` on, as deflated blocks that end with a whole byte
 * and after which others follow; returns where they end.
 */
export function deflateLines(
  text: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  outAt: number,
): number {
  const writer = new BitWriter(out, outAt);
  // A block of fixed codes that is not the last one.
  writer.put(2, 3);
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
    if (start > line) writer.putMatch(start - line, distance);
    for (let i = start; i < tail; i++) writer.put(LITERALS[text[i]!]!, LITERAL_BITS[text[i]!]!);
    if (tail < end) writer.putMatch(end - tail, length);
    before = line;
    line = end;
  }
  return writer.end();
}

/** The symbol follows from the two highest bits of the distance. */
function distanceSymbol(distance: number): number {
  const last = distance - 1;
  const magnitude = 31 - Math.clz32(last);
  return last < 2 ? last : 2 * magnitude + ((last >> (magnitude - 1)) & 1);
}
