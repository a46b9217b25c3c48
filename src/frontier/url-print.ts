import type { CrawlUrl } from "../url/crawl-url.ts";
import { print } from "./fingerprint.ts";

// One native copy into bytes, then whole words, is cheaper than asking the string for every character.
let bytes = newBytes(4096);
let words = wordsOf(bytes);

/**
 * Computes the 64-bit fingerprint of a URL into `print`: HalfSipHash-1-3 (Aumasson, Bernstein 2012/2016) of its bytes,
 * the seed being the key. The seed is random per crawl, so nobody can prepare URLs that collide: this function has
 * no known collisions that hold for every seed. For 74 characters it is cheaper than `fingerprint`, which goes through
 * them one by one and so can be run by the explorer. A canonical URL is ASCII: one byte is one character.
 */
export function urlPrint(url: CrawlUrl, seedLow: number, seedHigh: number): void {
  if (url.length + 4 > bytes.length) reserve(url.length + 4);
  const length = bytes.latin1Write(url, 0, url.length);
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

function reserve(minBytes: number): void {
  bytes = newBytes(2 ** Math.ceil(Math.log2(minBytes)));
  words = wordsOf(bytes);
}

/** What `write(text, offset, length, "latin1")` calls after checks that cost a fifth of the fingerprint. */
type LatinBuffer = Buffer & { latin1Write(text: string, offset: number, length: number): number };

function newBytes(count: number): LatinBuffer {
  return Buffer.alloc(count) as LatinBuffer;
}

/** `Buffer.alloc` never shares a pool, so the view starts at a word. */
function wordsOf(buffer: Buffer): Int32Array {
  return new Int32Array(buffer.buffer, buffer.byteOffset, buffer.length >> 2);
}
