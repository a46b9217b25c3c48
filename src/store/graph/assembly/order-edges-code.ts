// Sorts edges in both orders in one memory. In JavaScript each of these loops would be compiled twice for one crawl, which
// costs more than running it. A builder writes the edges of a page together, so there are few sources to be sorted: each
// gets its rank, and an edge is a record of its target and that rank until it is written.

/** Two ids of 64 bits, each with its high word first. */
const EDGE_BYTES: usize = 16;
/** An id, and a number of 32 bits. */
const RECORD_BYTES: usize = 12;
const NUMBER: usize = 8;
const ID_BYTES: usize = 8;
/** Fewer are sorted faster by 8 bits at a time: a pass goes over all values of a digit, and 2^16 are many. */
const MANY: u32 = 32 * 1024;
/** Where digits are counted. */
const COUNTS_BYTES: usize = 4 << 16;
const EDGES: usize = COUNTS_BYTES;

let edges: u32 = 0;
/** Sorted records, and as much memory to sort them with. */
let records: usize = 0;
let spare: usize = 0;
/** The ids of sources by their rank. */
let sources: usize = 0;
let ranks: u32 = 0;

/** Where edges are put before `order`, and found after `putForward` and `putReversed`. */
export const EDGES_AT: i32 = <i32>EDGES;

/** How much memory an edge takes from there on. */
export const BYTES_OF_EDGE: i32 = <i32>(EDGE_BYTES + 2 * RECORD_BYTES + ID_BYTES);

/** Takes so many edges and sorts them by target, and by source where targets are equal. */
export function order(count: u32): void {
  edges = count;
  records = EDGES + <usize>count * EDGE_BYTES;
  spare = records + <usize>count * RECORD_BYTES;
  sources = spare + <usize>count * RECORD_BYTES;
  const groups = findGroups();
  sort(spare, records, groups);
  fillRecords(groups);
  // The edges are all in the records now: their memory is free until they are put there in order.
  sort(records, EDGES, count);
  keepOnce();
}

/** Puts the edges in place as (target, source), by target, then source; answers how many. */
export function putReversed(): u32 {
  let to: usize = EDGES;
  let at = records;
  const end = at + <usize>edges * RECORD_BYTES;
  while (at < end) {
    store<u64>(to, rotl<u64>(load<u64>(at), 32));
    const source = sources + <usize>load<u32>(at, NUMBER) * ID_BYTES;
    store<u64>(to, rotl<u64>(load<u64>(source), 32), ID_BYTES);
    to += EDGE_BYTES;
    at += RECORD_BYTES;
  }
  return edges;
}

/** Puts the edges in place by source, then target: they are dealt out by rank; answers how many. */
export function putForward(): u32 {
  const starts = spare + (<usize>ranks << 2);
  memory.copy(starts, spare, <usize>ranks << 2);
  addUp(starts, ranks);
  let at = records;
  const end = records + <usize>edges * RECORD_BYTES;
  while (at < end) {
    const rank = <usize>load<u32>(at, NUMBER);
    const next = starts + (rank << 2);
    const place = load<u32>(next);
    store<u32>(next, place + 1);
    const to = EDGES + <usize>place * EDGE_BYTES;
    store<u64>(to, rotl<u64>(load<u64>(sources + rank * ID_BYTES), 32));
    store<u64>(to, rotl<u64>(load<u64>(at), 32), ID_BYTES);
    at += RECORD_BYTES;
  }
  return edges;
}

/** Leaves one of equal records, which are neighbours, and counts in the spare memory how many each rank has. */
function keepOnce(): void {
  memory.fill(spare, 0, <usize>ranks << 2);
  const end = records + <usize>edges * RECORD_BYTES;
  let at = records;
  let to = records;
  let lastId: u64 = 0;
  let lastRank: u32 = ranks;
  while (at < end) {
    const id = load<u64>(at);
    const rank = load<u32>(at, NUMBER);
    if (id !== lastId || rank !== lastRank) {
      if (to !== at) {
        store<u64>(to, id);
        store<u32>(to, rank, NUMBER);
      }
      to += RECORD_BYTES;
      const count = spare + (<usize>rank << 2);
      store<u32>(count, load<u32>(count) + 1);
      lastId = id;
      lastRank = rank;
    }
    at += RECORD_BYTES;
  }
  edges = <u32>((to - records) / RECORD_BYTES);
}

/** Puts a record for each group of edges with one source into the spare memory: the source, and its first edge. */
function findGroups(): u32 {
  let to = spare;
  let last: u64 = 0;
  let edge: u32 = 0;
  while (edge < edges) {
    const source = rotl<u64>(load<u64>(EDGES + <usize>edge * EDGE_BYTES), 32);
    if (edge === 0 || source !== last) {
      store<u64>(to, source);
      store<u32>(to, edge, NUMBER);
      to += RECORD_BYTES;
      last = source;
    }
    edge++;
  }
  return <u32>((to - spare) / RECORD_BYTES);
}

/** Fills the records with the edges of all groups, in the order of their sources. */
function fillRecords(groups: u32): void {
  let to = records;
  ranks = 0;
  let last: u64 = 0;
  let group: u32 = 0;
  while (group < groups) {
    const at = spare + <usize>group * RECORD_BYTES;
    const source = load<u64>(at);
    if (group === 0 || source !== last) {
      store<u64>(sources + <usize>ranks * ID_BYTES, source);
      ranks++;
      last = source;
    }
    let edge = load<u32>(at, NUMBER);
    const written = rotl<u64>(source, 32);
    while (edge < edges && load<u64>(EDGES + <usize>edge * EDGE_BYTES) === written) {
      store<u64>(to, rotl<u64>(load<u64>(EDGES + <usize>edge * EDGE_BYTES, ID_BYTES), 32));
      store<u32>(to, ranks - 1, NUMBER);
      to += RECORD_BYTES;
      edge++;
    }
    group++;
  }
}

/**
 * Radix sort of records by the high words of their ids, least significant digit first. Only ids that share 32 bits are
 * not in order then; they are random, so these are few and are moved afterwards.
 */
function sort(from: usize, by: usize, count: u32): void {
  const bits: u32 = count < MANY ? 8 : 16;
  let a = from;
  let b = by;
  let shift: u32 = 32;
  while (shift < 64) {
    placeByDigit(a, b, count, shift, bits);
    const swapped = a;
    a = b;
    b = swapped;
    shift += bits;
  }
  // As many passes as digits: 2 or 4, so the records are where they were.
  putInOrder(from, count);
}

function placeByDigit(from: usize, to: usize, count: u32, shift: u32, bits: u32): void {
  const digits: u32 = 1 << bits;
  const mask: u64 = <u64>digits - 1;
  const end = from + <usize>count * RECORD_BYTES;
  memory.fill(0, 0, <usize>digits << 2);
  let at = from;
  while (at < end) {
    const digit = <usize>((load<u64>(at) >> shift) & mask) << 2;
    store<u32>(digit, load<u32>(digit) + 1);
    at += RECORD_BYTES;
  }
  addUp(0, digits);
  at = from;
  while (at < end) {
    const id = load<u64>(at);
    const digit = <usize>((id >> shift) & mask) << 2;
    const place = load<u32>(digit);
    store<u32>(digit, place + 1);
    const target = to + <usize>place * RECORD_BYTES;
    store<u64>(target, id);
    store<u32>(target, load<u32>(at, NUMBER), NUMBER);
    at += RECORD_BYTES;
  }
}

/** Makes of numbers of things where each begins; answers the sum. */
function addUp(at: usize, count: u32): u32 {
  let sum: u32 = 0;
  let i: u32 = 0;
  while (i < count) {
    const place = at + (<usize>i << 2);
    const one = load<u32>(place);
    store<u32>(place, sum);
    sum += one;
    i++;
  }
  return sum;
}

/** Insertion sort: one comparison per record where all is in order. */
function putInOrder(from: usize, count: u32): void {
  const end = from + <usize>count * RECORD_BYTES;
  let at = from + RECORD_BYTES;
  while (at < end) {
    const id = load<u64>(at);
    if (id < load<u64>(at - RECORD_BYTES)) {
      const number = load<u32>(at, NUMBER);
      let place = at - RECORD_BYTES;
      while (place > from && load<u64>(place - RECORD_BYTES) > id) place -= RECORD_BYTES;
      memory.copy(place + RECORD_BYTES, place, at - place);
      store<u64>(place, id);
      store<u32>(place, number, NUMBER);
    }
    at += RECORD_BYTES;
  }
}
