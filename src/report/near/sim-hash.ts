/** Words in a shingle: two texts share few runs of three words by chance. */
const SHINGLE = 3;
/** Shorter texts are alike by chance. */
export const MIN_WORDS = 16;
/** Planes of the counters: up to 2^24 shingles. */
const PLANES = 24;

/** A 64-bit fingerprint of a text, of which few bits change when little of the text does. */
export interface SimHash {
  readonly low: number;
  readonly high: number;
}

/**
 * Charikar's SimHash over runs of three words: each bit is the majority of that bit over the hashes of all runs. The 64
 * counters are kept as bit planes, so that adding a hash to all of them takes a few operations instead of 64. Undefined
 * for a text of fewer than 16 words.
 */
export function simHash(text: string): SimHash | undefined {
  lowPlanes.fill(0);
  highPlanes.fill(0);
  let first = 0;
  let second = 0;
  let words = 0;
  let shingles = 0;
  for (let at = 0; at < text.length; ) {
    const hash = wordAt(text, at);
    at = wordEnd;
    if (hash === 0) continue;
    words++;
    if (words >= SHINGLE) {
      const mixed = Math.imul(first ^ rotated(second, 11) ^ rotated(hash, 22), 0x9e3779b1);
      const other = Math.imul(mixed ^ rotated(first, 7) ^ second, 0x85ebca6b) ^ hash;
      addTo(lowPlanes, finish(mixed));
      addTo(highPlanes, finish(other));
      shingles++;
    }
    first = second;
    second = hash;
  }
  if (words < MIN_WORDS) return undefined;
  return { low: majority(lowPlanes, shingles), high: majority(highPlanes, shingles) };
}

const lowPlanes = new Int32Array(PLANES);
const highPlanes = new Int32Array(PLANES);
let wordEnd = 0;

/** Hash of the word that begins at a place, in lower case; 0 when none does. Sets `wordEnd` behind what was read. */
function wordAt(text: string, start: number): number {
  let hash = 0x811c9dc5;
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    if (kind === NONE || (kind === ALONE && at > start)) break;
    hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code | 32 : code), 0x01000193);
    if (kind === ALONE) {
      at++;
      break;
    }
  }
  wordEnd = at === start ? start + 1 : at;
  return at === start ? 0 : finish(hash) || 1;
}

const NONE = 0;
const PART = 1;
/** A word by itself: scripts that put no spaces between words. */
const ALONE = 2;

function kindOf(code: number): number {
  if (code < 0x80) {
    const lower = code | 32;
    return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) ? PART : NONE;
  }
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? PART : NONE;
  if (code >= 0x2000 && code <= 0x206f) return NONE;
  if (code >= 0x3000 && code <= 0x303f) return NONE;
  return (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) ? ALONE : PART;
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Murmur3's final mix. */
function finish(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Adds 1 to the counters of all bits that are set; plane p holds bit p of each counter. */
function addTo(planes: Int32Array, bits: number): void {
  let carry = bits;
  for (let p = 0; carry !== 0 && p < PLANES; p++) {
    const plane = planes[p]!;
    planes[p] = plane ^ carry;
    carry &= plane;
  }
}

/** The bits whose counters are above half of all: counters and threshold are compared from the highest plane down. */
function majority(planes: Int32Array, shingles: number): number {
  const half = shingles >>> 1;
  let above = 0;
  let equal = -1;
  for (let p = PLANES - 1; p >= 0; p--) {
    const plane = planes[p]!;
    const threshold = -((half >>> p) & 1);
    above |= equal & plane & ~threshold;
    equal &= ~(plane ^ threshold);
  }
  return above >>> 0;
}
