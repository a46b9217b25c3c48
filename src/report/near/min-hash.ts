import { mixed, wordRuns } from "./word-runs.ts";

/**
 * Two texts of similarity s agree in a minimum with probability s, in a band of 6 with s^6, and in at least one of 12 bands
 * with 1 - (1 - s^6)^12: 0.974 at 0.8, 0.9999 at 0.9, 0.17 at 0.5, 0.009 at 0.3.
 */
export const BANDS = 12;
export const ROWS = 6;
const MINIMA = BANDS * ROWS;
/** Behind the bands a sketch has the last byte of every minimum, four in a word. */
const PER_WORD = 4;
export const SKETCH_WORDS = BANDS + MINIMA / PER_WORD;
/** Bytes of minima that differ are the same by chance. */
const BY_CHANCE = 1 / 256;
const HEX = 16;
/** Hexadecimal digits of a band. */
const DIGITS = 8;

const minima = new Uint32Array(MINIMA);
const isFull = new Uint8Array(MINIMA);

/**
 * The MinHash bands of a text's runs of three words: a run falls into one of 72 parts and has a place there; the first one
 * that the text has of each part is a minimum, so each run is looked at once and not 72 times. A part of which the text has none
 * takes the minimum of another, and looks for it in the same order in all texts (optimal densification). Six minima are hashed to
 * a band of 32 bits; a byte of each minimum, by which similarity is estimated, follows the bands. Undefined for a text that is
 * too short.
 */
export function sketchOf(text: string): Uint32Array | undefined {
  const runs = wordRuns(text);
  if (runs === undefined) return undefined;
  const { length, low, high } = runs;
  minima.fill(0xffffffff);
  isFull.fill(0);
  for (let run = 0; run < length; run++) {
    const part = Math.floor(((high[run]! >>> 0) / 2 ** 32) * MINIMA);
    const place = low[run]! >>> 0;
    if (place < minima[part]!) minima[part] = place;
    isFull[part] = 1;
  }
  for (let part = 0; part < MINIMA; part++) if (isFull[part] === 0) minima[part] = borrowed(part);
  const sketch = new Uint32Array(SKETCH_WORDS);
  for (let band = 0; band < BANDS; band++) {
    let hash = band;
    for (let row = 0; row < ROWS; row++)
      hash = Math.imul(mixed(hash ^ minima[band * ROWS + row]!), 5) + row;
    sketch[band] = mixed(hash);
  }
  for (let i = 0; i < MINIMA; i++)
    sketch[BANDS + Math.floor(i / PER_WORD)]! |= (minima[i]! & 0xff) << (8 * (i % PER_WORD));
  return sketch;
}

/** The minimum that an empty part takes: of the first part that has one, in an order of its own. */
function borrowed(part: number): number {
  for (let attempt = 1; ; attempt++) {
    const other = (mixed(Math.imul(part * 1024 + attempt, 0x9e3779b1)) >>> 0) % MINIMA;
    if (isFull[other] === 1) return minima[other]!;
  }
}

/**
 * The similarity of two texts by the minima in which they agree, words from `a` on with those from `b` on: at 0.8 two of three
 * estimates are within 0.05 of it.
 */
export function estimate(words: Uint32Array, a: number, b: number): number {
  let equal = 0;
  for (let i = 0; i < SKETCH_WORDS - BANDS; i++) {
    const differs = words[a + i]! ^ words[b + i]!;
    // A bit for every byte that is zero.
    const zero = ~(((differs & 0x7f7f7f7f) + 0x7f7f7f7f) | differs) & 0x80808080;
    equal += Math.imul(zero >>> 7, 0x01010101) >>> 24;
  }
  return Math.max(0, (equal / MINIMA - BY_CHANCE) / (1 - BY_CHANCE));
}

/** A sketch as text: 240 hexadecimal digits. */
export function sketchText(sketch: Uint32Array): string {
  return Array.from(sketch, (word) => word.toString(HEX).padStart(DIGITS, "0")).join("");
}

/** A sketch from its text. */
export function parseSketch(text: string): Uint32Array {
  return Uint32Array.from({ length: SKETCH_WORDS }, (_, i) =>
    Number.parseInt(text.slice(i * DIGITS, (i + 1) * DIGITS), HEX),
  );
}
