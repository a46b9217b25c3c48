import { EDGE_WORDS } from "./edge-file.ts";

// Edges that fit memory (at most 2^20), in both orders. A builder writes the edges of a page together, so there are few sources to be
// sorted: each gets its rank, and an edge is its target and that rank until it is written.

/** High and low word of the target, rank of the source. */
const RECORD_WORDS = 3;
const RANK = 2;
const WORD_BITS = 32;
/** Fewer are sorted faster by 8 bits at a time: a pass goes over all values of a digit, and 2^16 are many. */
const MANY_EDGES = 32 * 1024;
/** More groups than this would not fit the number that a group is sorted by. */
const MAX_GROUPS = 1 << 21;

/** Edges sorted once; both orders are read from it. */
export interface SortedEdges {
  /** High and low word of each source, by its rank. */
  readonly sources: Uint32Array;
  /** By target, then by source. */
  readonly records: Uint32Array;
}

/** Sorts edges by target, and by source where targets are equal. */
export function sortGrouped(edges: Uint32Array): SortedEdges {
  const { records, sources } = recordsOf(edges, groupsOf(edges));
  const bits = records.length < MANY_EDGES * RECORD_WORDS ? 8 : 16;
  let from = records;
  let to: Uint32Array = new Uint32Array(records.length);
  for (let shift = 0; shift < WORD_BITS; shift += bits) {
    placeByDigit(from, to, shift, digitStarts(from, shift, 1 << bits));
    [from, to] = [to, from];
  }
  putInOrder(from);
  return { sources, records: from };
}

/** Fills memory with the edges as (target, source), by target, then source. */
export function putReversed({ sources, records }: SortedEdges, edges: Uint32Array): void {
  for (let at = 0, to = 0; at < records.length; at += RECORD_WORDS, to += EDGE_WORDS) {
    const source = 2 * records[at + RANK]!;
    edges[to] = records[at]!;
    edges[to + 1] = records[at + 1]!;
    edges[to + 2] = sources[source]!;
    edges[to + 3] = sources[source + 1]!;
  }
}

/** Fills memory with the edges by source, then target: they are dealt out by rank, in the order they have. */
export function putForward({ sources, records }: SortedEdges, edges: Uint32Array): void {
  const next = rankStarts(records, sources.length / 2);
  for (let at = 0; at < records.length; at += RECORD_WORDS) {
    const rank = records[at + RANK]!;
    const to = EDGE_WORDS * next[rank]!++;
    edges[to] = sources[2 * rank]!;
    edges[to + 1] = sources[2 * rank + 1]!;
    edges[to + 2] = records[at]!;
    edges[to + 3] = records[at + 1]!;
  }
}

/** Where the groups of edges with one source begin, in words and in the order of their sources. */
function groupsOf(edges: Uint32Array): Float64Array {
  const begins = beginsOf(edges);
  const keys = new Float64Array(begins.length);
  // One number holds the high word of the source and the number of the group: sorted without a function to compare.
  for (let i = 0; i < keys.length; i++) keys[i] = edges[begins[i]!]! * MAX_GROUPS + i;
  keys.sort();
  const starts = keys;
  for (let i = 0; i < keys.length; i++) starts[i] = begins[keys[i]! % MAX_GROUPS]!;
  // Ids are random: that two share a high word and not the low one is rare.
  for (let i = 1; i < starts.length; i++) {
    const start = starts[i]!;
    let place = i;
    while (place > 0 && isSourceBefore(edges, start, starts[place - 1]!)) place--;
    if (place === i) continue;
    starts.copyWithin(place + 1, place, i);
    starts[place] = start;
  }
  return starts;
}

function beginsOf(edges: Uint32Array): Uint32Array {
  let begins = new Uint32Array(1024);
  let count = 0;
  for (let at = 0; at < edges.length; at += EDGE_WORDS) {
    if (at > 0 && hasSameSource(edges, at, at - EDGE_WORDS)) continue;
    if (count === begins.length) {
      const larger = new Uint32Array(2 * count);
      larger.set(begins);
      begins = larger;
    }
    begins[count++] = at;
  }
  return begins.subarray(0, count);
}

function recordsOf(edges: Uint32Array, starts: Float64Array): SortedEdges {
  const records = new Uint32Array((edges.length / EDGE_WORDS) * RECORD_WORDS);
  const sources = new Uint32Array(2 * starts.length);
  let rank = -1;
  let to = 0;
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!;
    if (i === 0 || !hasSameSource(edges, start, starts[i - 1]!)) {
      rank++;
      sources[2 * rank] = edges[start]!;
      sources[2 * rank + 1] = edges[start + 1]!;
    }
    to = addGroup(edges, start, records, to, rank);
  }
  return { records, sources: sources.subarray(0, 2 * (rank + 1)) };
}

/** Adds the records of a group; answers where the next one's begin. */
function addGroup(
  edges: Uint32Array,
  start: number,
  records: Uint32Array,
  to: number,
  rank: number,
): number {
  let next = to;
  for (let at = start; at < edges.length && hasSameSource(edges, at, start); at += EDGE_WORDS) {
    records[next] = edges[at + 2]!;
    records[next + 1] = edges[at + 3]!;
    records[next + RANK] = rank;
    next += RECORD_WORDS;
  }
  return next;
}

// Each loop is a function of its own: with several in one function, V8 compiles it anew for each of them.

/** Where the records of each digit of their target's high word begin. */
function digitStarts(records: Uint32Array, shift: number, digits: number): Uint32Array {
  const starts = new Uint32Array(digits);
  for (let at = 0; at < records.length; at += RECORD_WORDS)
    starts[(records[at]! >>> shift) & (digits - 1)]!++;
  return addUp(starts);
}

/** Where the edges of each source begin. */
function rankStarts(records: Uint32Array, ranks: number): Uint32Array {
  const starts = new Uint32Array(ranks);
  for (let at = RANK; at < records.length; at += RECORD_WORDS) starts[records[at]!]!++;
  return addUp(starts);
}

function addUp(starts: Uint32Array): Uint32Array {
  for (let i = 0, sum = 0; i < starts.length; i++) {
    const count = starts[i]!;
    starts[i] = sum;
    sum += count;
  }
  return starts;
}

function placeByDigit(
  from: Uint32Array,
  to: Uint32Array,
  shift: number,
  starts: Uint32Array,
): void {
  const mask = starts.length - 1;
  for (let at = 0; at < from.length; at += RECORD_WORDS) {
    const place = RECORD_WORDS * starts[(from[at]! >>> shift) & mask]!++;
    to[place] = from[at]!;
    to[place + 1] = from[at + 1]!;
    to[place + 2] = from[at + 2]!;
  }
}

/** Insertion sort: one comparison per record where all is in order. Targets that share a high word are few. */
function putInOrder(records: Uint32Array): void {
  for (let at = RECORD_WORDS; at < records.length; at += RECORD_WORDS) {
    if (records[at] !== records[at - RECORD_WORDS]) continue;
    if (records[at + 1]! >= records[at - RECORD_WORDS + 1]!) continue;
    moveDown(records, at);
  }
}

function moveDown(records: Uint32Array, at: number): void {
  const record = records.slice(at, at + RECORD_WORDS);
  let place = at;
  while (
    place > 0 &&
    records[place - RECORD_WORDS] === record[0] &&
    records[place - RECORD_WORDS + 1]! > record[1]!
  )
    place -= RECORD_WORDS;
  records.copyWithin(place + RECORD_WORDS, place, at);
  records.set(record, place);
}

function hasSameSource(edges: Uint32Array, a: number, b: number): boolean {
  return edges[a] === edges[b] && edges[a + 1] === edges[b + 1];
}

function isSourceBefore(edges: Uint32Array, a: number, b: number): boolean {
  return edges[a] === edges[b] && edges[a + 1]! < edges[b + 1]!;
}
