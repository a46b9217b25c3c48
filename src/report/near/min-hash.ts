import { mixed, wordRuns } from "./word-runs.ts";

/**
 * Two texts of similarity s agree in a minimum with probability s, in a band of 6 with s^6, and in at least one of 12 bands
 * with 1 - (1 - s^6)^12: 0.974 at 0.8, 0.9999 at 0.9, 0.17 at 0.5, 0.009 at 0.3.
 */
export const BANDS = 12;
export const ROWS = 6;
const MINIMA = BANDS * ROWS;
const HEX = 16;
/** Hexadecimal digits of a band. */
const DIGITS = 8;

/** A different order of all runs for each minimum; any fixed numbers without a pattern do. */
const SEEDS = Int32Array.from({ length: MINIMA }, (_, i) => mixed(Math.imul(i + 1, 0x9e3779b1)));
const minima = new Uint32Array(MINIMA);

/**
 * The MinHash bands of a text's runs of three words: for each of 72 orders of all runs the first one that the text has,
 * six of them hashed to a band of 32 bits. Undefined for a text that is too short.
 */
export function sketchOf(text: string): Uint32Array | undefined {
  const runs = wordRuns(text);
  if (runs === undefined) return undefined;
  const { length, low, high } = runs;
  for (let i = 0; i < MINIMA; i++) {
    const seed = SEEDS[i]!;
    let least = 0xffffffff;
    for (let run = 0; run < length; run++) {
      const hash = Math.imul(low[run]! ^ seed, 0x85ebca6b);
      const place = Math.imul(hash ^ (hash >>> 15) ^ high[run]!, 0xc2b2ae35) >>> 0;
      if (place < least) least = place;
    }
    minima[i] = least;
  }
  const sketch = new Uint32Array(BANDS);
  for (let band = 0; band < BANDS; band++) {
    let hash = band;
    for (let row = 0; row < ROWS; row++)
      hash = Math.imul(mixed(hash ^ minima[band * ROWS + row]!), 5) + row;
    sketch[band] = mixed(hash);
  }
  return sketch;
}

/** A sketch as text: 96 hexadecimal digits. */
export function sketchText(sketch: Uint32Array): string {
  return Array.from(sketch, (band) => band.toString(HEX).padStart(DIGITS, "0")).join("");
}

/** A sketch from its text. */
export function parseSketch(text: string): Uint32Array {
  return Uint32Array.from({ length: BANDS }, (_, band) =>
    Number.parseInt(text.slice(band * DIGITS, (band + 1) * DIGITS), HEX),
  );
}
