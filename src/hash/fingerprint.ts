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
