/** Words in a run: two texts share few runs of three words by chance. */
const RUN_WORDS = 3;
/** Shorter texts are alike by chance. */
export const MIN_WORDS = 16;

/** Hashes of all runs of three words of a text, of 64 bits in two halves; valid until the next text is read. */
export interface WordRuns {
  readonly length: number;
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/**
 * The runs of three words of a text, one after the other, repeats included. Words are letters and digits in lower case;
 * a sign of a script without spaces is a word. Undefined for a text of fewer than 16 words.
 */
export function wordRuns(text: string): WordRuns | undefined {
  let first = 0;
  let second = 0;
  let words = 0;
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const hash = wordAt(text, at);
    at = wordEnd;
    if (hash === 0) continue;
    if (++words >= RUN_WORDS) {
      if (length === low.length) makeRoom();
      const one = Math.imul(first ^ rotated(second, 11) ^ rotated(hash, 22), 0x9e3779b1);
      const other = Math.imul(one ^ rotated(first, 7) ^ second, 0x85ebca6b) ^ hash;
      low[length] = mixed(one);
      high[length++] = mixed(other);
    }
    first = second;
    second = hash;
  }
  return words < MIN_WORDS ? undefined : { length, low, high };
}

let low = new Int32Array(4096);
let high = new Int32Array(4096);
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
  return at === start ? 0 : mixed(hash) || 1;
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
export function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function makeRoom(): void {
  const [oldLow, oldHigh] = [low, high];
  low = new Int32Array(2 * oldLow.length);
  high = new Int32Array(2 * oldHigh.length);
  low.set(oldLow);
  high.set(oldHigh);
}

const HIGH_BITS = 2 ** 32;
/** Of the high half as many as a number holds beside 32 others. */
const HIGH_MASK = 2 ** 21 - 1;

/** The distinct runs of a text as numbers of 53 bits, sorted; undefined for a text that is too short. */
export function runSet(text: string): Float64Array | undefined {
  const runs = wordRuns(text);
  if (runs === undefined) return undefined;
  const all = new Float64Array(runs.length);
  for (let i = 0; i < all.length; i++)
    all[i] = (runs.high[i]! & HIGH_MASK) * HIGH_BITS + (runs.low[i]! >>> 0);
  all.sort();
  return all.filter((run, i) => i === 0 || run !== all[i - 1]);
}

/** Jaccard similarity of two sets: what they have in common, as a part of all that they have. */
export function similarity(a: Float64Array, b: Float64Array): number {
  let both = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) both++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return both / (a.length + b.length - both);
}
