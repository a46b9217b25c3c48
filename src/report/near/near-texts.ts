import { type Cluster, Groups, twice } from "./clusters.ts";
import { BANDS, estimate, SKETCH_WORDS } from "./min-hash.ts";
import { similarity } from "./word-runs.ts";

/** Two texts are near duplicates when so much of their runs of three words is the same. */
export const MIN_SIMILARITY = 0.8;
/** Texts with the same band that are looked at for one; more only when these led to something. */
const MAX_NEIGHBOURS = 4096;
/** Texts that were compared with one and are not near, by their sketches or run by run: no corpus takes quadratic time. */
const MAX_FAR = 512;
const MAX_MISSES = 64;
const MAX_MISSED_RUNS = 1 << 20;
/** Below this estimate a text is not read: one of 0.8 gets it hardly ever, even if it is so short that minima repeat. */
const MIN_ESTIMATE = 0.5;
/** Texts that are read, and one more for so many that there are: reading costs far more than estimating, which decides then. */
const MIN_READS = 4000;
const TEXTS_PER_READ = 32;
const NONE = 0xffffffff;
const MINIMA_WORDS = SKETCH_WORDS - BANDS;

/** The runs of a page's text, as `runSet` has them; undefined when they are not to be had. */
export type ReadRuns = (page: number) => Float64Array | undefined;

/** Finds near duplicates among texts by their sketches: some 140 bytes for each text while they are compared. */
export class NearTexts {
  readonly #bands = Array.from({ length: BANDS }, () => new Uint32Array(1024));
  #minima = new Uint32Array(1024 * MINIMA_WORDS);
  #page = new Uint32Array(1024);
  #readsLeft = 0;
  length = 0;

  add(page: number, sketch: Uint32Array): void {
    if (this.length === this.#page.length) {
      this.#page = twice(this.#page);
      this.#minima = twice(this.#minima);
      for (const [i, band] of this.#bands.entries()) this.#bands[i] = twice(band);
    }
    for (let i = 0; i < BANDS; i++) this.#bands[i]![this.length] = sketch[i]!;
    this.#minima.set(sketch.subarray(BANDS), this.length * MINIMA_WORDS);
    this.#page[this.length++] = page;
  }

  /**
   * Groups of two or more pages whose similarity to the group's first page is at least `MIN_SIMILARITY`. Not to any of the
   * group: chains of small steps would join texts that have nothing in common. Texts that share a band and may be near by
   * their minima are compared run by run, those that share most bands first; of a large corpus as many as may be read, for the
   * others the minima decide. Texts with equal minima are taken as near: below 0.8 that happens once in ten million pairs.
   * Takes the sketches apart, so it can be asked once.
   */
  groups(read: ReadRuns): Cluster[] {
    const groups = this.#equal();
    const firsts: number[] = [];
    for (let i = 0; i < this.length; i++) if (groups.isFirst(i)) firsts.push(i);
    for (let i = 0; i < BANDS; i++) this.#bands[i] = chain(this.#bands[i]!, firsts, this.length);
    this.#readsLeft = MIN_READS + Math.floor(this.length / TEXTS_PER_READ);
    const shared = new Uint8Array(this.length);
    for (const first of firsts)
      if (groups.isFirst(first)) this.#collect(first, groups, shared, read);
    return groups.clusters(this.#page);
  }

  /** A group for every distinct sketch. */
  #equal(): Groups {
    const groups = new Groups(this.length);
    const order = Uint32Array.from({ length: this.length }, (_, i) => i);
    const compare = (a: number, b: number) => {
      for (const band of this.#bands) {
        const difference = band[a]! - band[b]!;
        if (difference !== 0) return difference;
      }
      return 0;
    };
    order.sort(compare);
    for (let i = 1; i < order.length; i++)
      if (compare(order[i]!, order[i - 1]!) === 0) groups.join(order[i]!, order[i - 1]!);
    return groups;
  }

  /** Joins to a first text all later ones that are near it and in no group yet. */
  #collect(first: number, groups: Groups, shared: Uint8Array, read: ReadRuns): void {
    const comparison = new Comparison(this.#page[first]!, read);
    let far = 0;
    const missed = new Set<number>();
    for (let hasMore = true; hasMore; ) {
      const { found, isCut } = this.#neighbours(first, groups, shared);
      hasMore = false;
      for (const other of found) {
        if (far === MAX_FAR || comparison.isOver) return;
        if (missed.has(other)) continue;
        const alike = estimate(this.#minima, first * MINIMA_WORDS, other * MINIMA_WORDS);
        if (this.#isNear(comparison, other, alike)) {
          groups.join(first, other);
          hasMore = isCut;
        } else {
          missed.add(other);
          if (alike < MIN_ESTIMATE) far++;
        }
      }
    }
  }

  #isNear(comparison: Comparison, other: number, alike: number): boolean {
    if (alike < MIN_ESTIMATE) return false;
    if (alike === 1 || this.#readsLeft <= 0) return alike >= MIN_SIMILARITY;
    this.#readsLeft--;
    return comparison.isNear(this.#page[other]!);
  }

  /** Later texts that share a band and are in no group yet, those that share most first; whether there are more. */
  #neighbours(
    first: number,
    groups: Groups,
    shared: Uint8Array,
  ): { readonly found: readonly number[]; readonly isCut: boolean } {
    const found: number[] = [];
    let isCut = false;
    for (const next of this.#bands) {
      let count = 0;
      for (let last = first, at = next[first]!; at !== NONE; at = next[last]!) {
        if (!groups.isFirst(at)) {
          // It has joined a group, and is never asked for again.
          next[last] = next[at]!;
          continue;
        }
        if (count++ === MAX_NEIGHBOURS) {
          isCut = true;
          break;
        }
        if (shared[at]!++ === 0) found.push(at);
        last = at;
      }
    }
    const bands = new Map(found.map((each) => [each, shared[each]!]));
    for (const each of found) shared[each] = 0;
    found.sort((a, b) => bands.get(b)! - bands.get(a)! || a - b);
    return { found, isCut };
  }
}

/** One text against others, run by run, until it has been compared in vain too often. */
class Comparison {
  readonly #page: number;
  readonly #read: ReadRuns;
  #runs: Float64Array | undefined;
  #misses = 0;
  #missedRuns = 0;

  constructor(page: number, read: ReadRuns) {
    this.#page = page;
    this.#read = read;
  }

  get isOver(): boolean {
    return this.#misses === MAX_MISSES || this.#missedRuns >= MAX_MISSED_RUNS;
  }

  isNear(other: number): boolean {
    this.#runs ??= this.#read(this.#page);
    const others = this.#runs && this.#read(other);
    if (others !== undefined && similarity(this.#runs!, others) >= MIN_SIMILARITY) return true;
    this.#misses++;
    this.#missedRuns += others?.length ?? 0;
    return false;
  }
}

/** For each of some texts the next one with the same band. */
function chain(
  band: Uint32Array,
  firsts: readonly number[],
  length: number,
): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(length).fill(NONE);
  let size = 1;
  while (size < 2 * firsts.length) size *= 2;
  const slots = new Uint32Array(size).fill(NONE);
  for (const text of firsts.toReversed()) {
    let slot = band[text]! & (size - 1);
    while (slots[slot] !== NONE && band[slots[slot]!] !== band[text])
      slot = (slot + 1) & (size - 1);
    next[text] = slots[slot]!;
    slots[slot] = text;
  }
  return next;
}
