import { print } from "../fingerprint.ts";

/**
 * Computes into `print` what `fingerprint` computes of the same characters: recovery reads millions of URLs and needs
 * no string of them. A test holds the two together.
 */
export function fingerprintBytes(
  bytes: Uint8Array,
  from: number,
  to: number,
  seedLow: number,
  seedHigh: number,
): void {
  let low = seedLow | 0;
  let high = seedHigh | 0;
  for (let i = from; i < to; i++) {
    const code = bytes[i]!;
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x85ebca6b);
    low ^= low >>> 15;
    high = (high << 13) | (high >>> 19);
  }
  low = mix(low ^ (to - from));
  high = mix(high ^ Math.imul(low, 0x27d4eb2f));
  print.low = low >>> 0;
  print.high = high >>> 0;
}

function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
