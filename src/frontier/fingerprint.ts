/** The two halves of the fingerprint computed last; a pair of numbers costs no allocation. */
export const print = { low: 0, high: 0 };

// One native copy into bytes, then whole words, is half as expensive as asking the string for every character.
let bytes = Buffer.alloc(8192);
let words = wordsOf(bytes);

/**
 * Computes the 64-bit fingerprint of a string into `print`: HalfSipHash-1-3 (Aumasson, Bernstein 2012/2016) of its
 * UTF-8 bytes, the seed being the key. The seed is random per crawl, so nobody can prepare URLs that collide: unlike
 * murmur and its kin, this function has no known collisions that hold for every seed.
 */
export function fingerprint(text: string, seedLow: number, seedHigh: number): void {
  // UTF-8 needs at most three bytes for a UTF-16 unit; a URL that does not fit whole would lose its tail.
  if (text.length * 3 + 4 > bytes.length) reserve(text.length * 3 + 4);
  const length = bytes.write(text, 0, bytes.length, "utf8");
  const whole = length >> 2;
  let v0 = seedLow | 0;
  let v1 = seedHigh ^ 0xee;
  let v2 = seedLow ^ 0x6c796765;
  let v3 = seedHigh ^ 0x74656462;
  for (let i = 0; i < whole; i++) {
    const word = words[i]!;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  // The last word: the bytes left over and the length in the top byte, so that "a" and "a\0" differ.
  const tail = (words[whole]! & ((1 << ((length & 3) << 3)) - 1)) | (length << 24);
  v3 ^= tail;
  // One round for the last word, three before each half of the result.
  for (let round = 0; round < 7; round++) {
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    if (round === 0) {
      v0 ^= tail;
      v2 ^= 0xee;
    } else if (round === 3) {
      print.low = (v1 ^ v3) >>> 0;
      v1 ^= 0xdd;
    }
  }
  print.high = (v1 ^ v3) >>> 0;
}

/** The fingerprint as 16 hexadecimal digits, for redirect chains. */
export function fingerprintText(text: string, seedLow: number, seedHigh: number): string {
  fingerprint(text, seedLow, seedHigh);
  return print.high.toString(16).padStart(8, "0") + print.low.toString(16).padStart(8, "0");
}

function reserve(minBytes: number): void {
  bytes = Buffer.alloc(2 ** Math.ceil(Math.log2(minBytes)));
  words = wordsOf(bytes);
}

/** `Buffer.alloc` never shares a pool, so the view starts at a word. */
function wordsOf(buffer: Buffer): Int32Array {
  return new Int32Array(buffer.buffer, buffer.byteOffset, buffer.length >> 2);
}
