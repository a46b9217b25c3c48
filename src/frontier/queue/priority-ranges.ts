import { CapacityError } from "../../errors.ts";
import { whole } from "./priority-queue.ts";

const MAX_BITS = 16; // 3.5 million ranges
const HIGHEST_OCTAVE = 53; // cash is an integer up to 2^53
/** Computed once: V8 computes a power of named constants at every call. */
const HIGHEST = 2 ** HIGHEST_OCTAVE;
const ONE = 0x3ff00000; // high word of the double 1.0

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;

/**
 * Static logarithmic ranges of priorities: 2^bits ranges of equal width per power of two from 1 to 2^53, range 0 for
 * what is below 1 and the last for what is above. The higher range holds the higher priorities; any double has a place.
 */
export class PriorityRanges {
  readonly count: number;
  readonly #shift: number;

  constructor(bitsPerOctave: number) {
    if (whole(bitsPerOctave, 0, "the bits of a range") > MAX_BITS) {
      throw new CapacityError(`ranges have at most ${MAX_BITS} bits, not ${bitsPerOctave}`);
    }
    this.#shift = 20 - bitsPerOctave; // the high word of a double has 20 bits of fraction
    this.count = (HIGHEST_OCTAVE << bitsPerOctave) + 2;
  }

  /** The lowest priority of a range. */
  lowest(range: number): number {
    if (range <= 0) return 0;
    double[0] = 0;
    words[HIGH] = ((range - 1) << this.#shift) + ONE;
    return double[0];
  }

  /** The number of the range a priority lies in: its exponent and first bits of fraction, no logarithm needed. */
  of(priority: number): number {
    if (priority < 1) return 0;
    if (priority >= HIGHEST) return this.count - 1;
    double[0] = priority;
    return ((words[HIGH]! - ONE) >>> this.#shift) + 1;
  }
}
