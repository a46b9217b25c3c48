import { CapacityError } from "../../../errors.ts";
import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import type { SetShape, VisitedSet } from "./visited-set.ts";

/*
 * Open addressing with 64-bit fingerprints, in segments that double:
 *
 *   segment 0  │window│window│            a URL has one window of 8 slots in every segment
 *   segment 1  │window│window│window│window│
 *   …
 *
 * A URL goes to the first empty slot of its windows, in order. A slot changes once, from 0 to a fingerprint, so all
 * threads that look for the same URL pass the same full slots and reach the same first empty one; there
 * compare-and-exchange lets one of them win, and the others see what it wrote. The table grows without a lock and
 * without moving anything: full windows overflow into the next segment.
 */
const WINDOW = 8;
const EMPTY = 0n;
const HEAD_BYTES = 8;
const DEFAULT_FIRST = 1 << 16;
/** Slots reserved per URL: enough that all windows of a URL are full with negligible probability only. */
const RESERVE = 4;

function segmentsOf(shape: SetShape): number {
  let slots = Math.max(WINDOW, shape.initial ?? DEFAULT_FIRST);
  let segments = 1;
  for (let total = slots; total < RESERVE * shape.maxUrls; total += slots) {
    slots *= 2;
    segments++;
  }
  return segments;
}

/** A visited set of fingerprints without locks; marking is one compare-and-exchange. */
export class CasSet implements VisitedSet {
  readonly #slots: BigInt64Array;
  readonly #count: Int32Array;
  readonly #first: number;
  readonly #segments: number;
  readonly #seedLow: number;
  readonly #seedHigh: number;
  /** The halves of a fingerprint and the same bytes as one number: faster than arithmetic on big integers. */
  readonly #halves: Int32Array;
  readonly #whole: BigInt64Array;

  constructor(memory: SharedArrayBuffer, shape: SetShape) {
    this.#count = new Int32Array(memory, 0, 1);
    this.#slots = new BigInt64Array(memory, HEAD_BYTES);
    this.#first = Math.max(WINDOW, shape.initial ?? DEFAULT_FIRST);
    this.#segments = segmentsOf(shape);
    this.#seedLow = shape.seedLow ?? 0;
    this.#seedHigh = shape.seedHigh ?? 0;
    this.#whole = new BigInt64Array(1);
    this.#halves = new Int32Array(this.#whole.buffer);
  }

  /** Bytes of shared memory, zero at first; untouched segments cost nothing. */
  static bytes(shape: SetShape): number {
    const first = Math.max(WINDOW, shape.initial ?? DEFAULT_FIRST);
    return HEAD_BYTES + first * (2 ** segmentsOf(shape) - 1) * 8;
  }

  mark(url: string): boolean {
    const key = this.#fingerprint(url);
    const { low, high } = lastFingerprint;
    for (let segment = 0; segment < this.#segments; segment++) {
      const window = this.#windowOf(segment, low, high);
      for (let slot = window; slot < window + WINDOW; slot++) {
        const seen = Atomics.load(this.#slots, slot);
        if (seen === key) return false;
        if (seen !== EMPTY) continue;
        const found = Atomics.compareExchange(this.#slots, slot, EMPTY, key);
        if (found === EMPTY) {
          Atomics.add(this.#count, 0, 1);
          return true;
        }
        if (found === key) return false;
      }
    }
    throw new CapacityError(`the visited set is full with ${this.count()} URLs`);
  }

  contains(url: string): boolean {
    const key = this.#fingerprint(url);
    const { low, high } = lastFingerprint;
    for (let segment = 0; segment < this.#segments; segment++) {
      const window = this.#windowOf(segment, low, high);
      for (let slot = window; slot < window + WINDOW; slot++) {
        const seen = Atomics.load(this.#slots, slot);
        if (seen === key) return true;
        if (seen === EMPTY) return false;
      }
    }
    return false;
  }

  /** Too low by one for every thread that died between marking and counting. */
  count(): number {
    return Atomics.load(this.#count, 0);
  }

  /** No thread ever holds anything here. */
  reclaim(_deadOwner: number): number {
    return 0;
  }

  #fingerprint(url: string): bigint {
    fingerprint(url, this.#seedLow, this.#seedHigh);
    this.#halves[0] = lastFingerprint.low;
    this.#halves[1] = lastFingerprint.high;
    const key = this.#whole[0]!;
    return key === EMPTY ? 1n : key;
  }

  /** Each segment uses other bits of the fingerprint: URLs that share one window do not share the next. */
  #windowOf(segment: number, low: number, high: number): number {
    const start = this.#first * (2 ** segment - 1);
    const windows = (this.#first / WINDOW) * 2 ** segment;
    return start + ((low + Math.imul(segment, high)) & (windows - 1)) * WINDOW;
  }
}
