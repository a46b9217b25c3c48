/** The two halves of the fingerprint computed last; a pair of numbers costs no allocation. */
export const lastFingerprint = { low: 0, high: 0 };

/**
 * Computes the 64-bit fingerprint of a string into `lastFingerprint`. The seed is random per crawl, so that nobody can
 * prepare URLs that collide. Two multiplicative 32-bit lanes with different constants, then murmur3's finish.
 */
export function fingerprint(text: string, seedLow: number, seedHigh: number): void {
  let low = seedLow | 0;
  let high = seedHigh | 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x85ebca6b);
    low ^= low >>> 15;
    high = (high << 13) | (high >>> 19);
  }
  finish(low, high, text.length);
}

const SLASH = 47;
const MAX_ORIGIN_BYTES = 128;

/** Fingerprints of many URLs in ASCII bytes. Links of a page mostly share one origin, so its intermediate state is kept. */
export class UrlFingerprints {
  readonly #seedLow: number;
  readonly #seedHigh: number;
  /** The last origin, through its third slash, and the lanes after it. */
  readonly #origin = new Uint8Array(MAX_ORIGIN_BYTES);
  #originBytes = 0;
  #low = 0;
  #high = 0;

  constructor(seedLow: number, seedHigh: number) {
    this.#seedLow = seedLow | 0;
    this.#seedHigh = seedHigh | 0;
  }

  /** Computes the `fingerprint` of the text from `from` up to the next byte `end`; returns where that is. */
  until(bytes: Uint8Array, from: number, end: number): number {
    const origin = this.#origin;
    const known = this.#originBytes;
    let at = from;
    while (at - from < known && bytes[at] === origin[at - from]) at++;
    const isKnown = known > 0 && at - from === known;
    if (!isKnown) at = from;
    let low = isKnown ? this.#low : this.#seedLow;
    let high = isKnown ? this.#high : this.#seedHigh;
    let slashes = isKnown ? 3 : 0;
    for (const to = bytes.length; at < to; at++) {
      const code = bytes[at]!;
      if (code === end) break;
      low = Math.imul(low ^ code, 0x9e3779b1);
      high = Math.imul(high ^ code, 0x85ebca6b);
      low ^= low >>> 15;
      high = (high << 13) | (high >>> 19);
      if (slashes < 3 && code === SLASH && ++slashes === 3 && at - from < MAX_ORIGIN_BYTES) {
        this.#originBytes = at + 1 - from;
        origin.set(bytes.subarray(from, at + 1));
        this.#low = low;
        this.#high = high;
      }
    }
    finish(low, high, at - from);
    return at;
  }
}

function finish(low: number, high: number, length: number): void {
  const mixed = mix(low ^ length);
  lastFingerprint.low = mixed >>> 0;
  lastFingerprint.high = mix(high ^ Math.imul(mixed, 0x27d4eb2f)) >>> 0;
}

function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** The fingerprint as 16 hexadecimal digits, for redirect chains. */
export function fingerprintText(text: string, seedLow: number, seedHigh: number): string {
  fingerprint(text, seedLow, seedHigh);
  return (
    lastFingerprint.high.toString(16).padStart(8, "0") +
    lastFingerprint.low.toString(16).padStart(8, "0")
  );
}
