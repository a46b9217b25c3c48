import { type Cluster, Groups, twice } from "./clusters.ts";
import { BANDS } from "./min-hash.ts";
import { similarity } from "./word-runs.ts";

/** Two texts are near duplicates when so much of their runs of three words is the same. */
export const MIN_SIMILARITY = 0.8;
/** Texts with the same band that are looked at for one; more only when these led to something. */
const MAX_NEIGHBOURS = 4096;
/** Texts that were compared with one and are not near, and their runs: no corpus takes quadratic time. */
const MAX_MISSES = 64;
const MAX_MISSED_RUNS = 1 << 20;
const NONE = 0xffffffff;

/** The runs of a page's text, as `runSet` has them; undefined when they are not to be had. */
export type ReadRuns = (page: number) => Float64Array | undefined;

/** Finds near duplicates among texts by their sketches: some 60 bytes for each text while they are compared. */
export class NearTexts {
  readonly #bands = Array.from({ length: BANDS }, () => new Uint32Array(1024));
  #page = new Uint32Array(1024);
  length = 0;

  add(page: number, sketch: Uint32Array): void {
    if (this.length === this.#page.length) {
      this.#page = twice(this.#page);
      for (const [i, band] of this.#bands.entries()) this.#bands[i] = twice(band);
    }
    for (let i = 0; i < BANDS; i++) this.#bands[i]![this.length] = sketch[i]!;
    this.#page[this.length++] = page;
  }

  /**
   * Groups of two or more pages whose similarity to the group's first page is at least `MIN_SIMILARITY`. Not to any of the
   * group: chains of small steps would join texts that have nothing in common. Texts that share a band are compared run by
   * run, those that share most bands first. Texts with equal sketches are not: below 0.8 that happens once in ten million
   * pairs. Takes the sketches apart, so it can be asked once.
   */
  groups(read: ReadRuns): Cluster[] {
    const groups = this.#equal();
    const firsts: number[] = [];
    for (let i = 0; i < this.length; i++) if (groups.isFirst(i)) firsts.push(i);
    for (let i = 0; i < BANDS; i++) this.#bands[i] = chain(this.#bands[i]!, firsts, this.length);
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
    let runs: Float64Array | undefined;
    let missedRuns = 0;
    const missed = new Set<number>();
    for (let hasMore = true; hasMore; ) {
      const { found, isCut } = this.#neighbours(first, groups, shared);
      hasMore = false;
      for (const other of found) {
        if (missed.size === MAX_MISSES || missedRuns >= MAX_MISSED_RUNS) return;
        if (missed.has(other)) continue;
        runs ??= read(this.#page[first]!);
        if (runs === undefined) return;
        const others = read(this.#page[other]!);
        if (others !== undefined && similarity(runs, others) >= MIN_SIMILARITY) {
          groups.join(first, other);
          hasMore = isCut;
        } else {
          missed.add(other);
          missedRuns += others?.length ?? 0;
        }
      }
    }
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
