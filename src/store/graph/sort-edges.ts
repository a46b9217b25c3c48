import { statSync } from "node:fs";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import type { AppendFile } from "../files/append-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { SortedRuns } from "../files/sorted-runs.ts";
import { EDGE_BYTES, EDGE_WORDS, readEdges, readInto } from "./edge-file.ts";
import { type EdgeOrder, openEdgeOrder } from "./edge-order.ts";

const RUN_EDGES = 1024 * 1024;
const MERGE_EDGES = 1024 * 1024;
const FAN_IN = 64;
const WRITE_EDGES = 16 * 1024;
/** Fewer are sorted faster by 8 bits at a time: a pass goes over all values of a digit, and 2^16 are many. */
const MANY_EDGES = 32 * 1024;
/** The high words of an edge's ids. */
const SOURCE = 0;
const TARGET = 2;

/** How edges are ordered and how many are held in memory. */
export interface SortEdgesOptions {
  /** Edges are reversed first: from (source, target) to (target, source). */
  readonly reverse?: boolean;
  readonly runEdges?: number;
  readonly fanIn?: number;
  /** When it is up nothing has changed. */
  readonly limit?: TimeLimit;
}

/**
 * Sorts the edges of the inputs into one file, equal ones once, in bounded memory: runs of edges are sorted by their
 * digits, written, and merged. The output appears whole or not at all and may be an input too. Answers its edges.
 */
export function sortEdges(
  inputs: readonly string[],
  out: string,
  options: SortEdgesOptions = {},
): number {
  const { runEdges = RUN_EDGES, fanIn = FAN_IN, reverse = false, limit = NO_LIMIT } = options;
  const runs = new SortedRuns(out, fanIn, {
    read: (path) => eachEdge(readEdges(path, Math.floor(MERGE_EDGES / fanIn))),
    write: (file, edges) => writeEdges(file, edges, limit),
    isBefore: (a, b) => isBefore(a, 0, b, 0),
  });
  try {
    let held: Uint32Array = new Uint32Array(0);
    for (const input of inputs)
      for (const edges of readEdges(input, runEdges)) {
        limit.check();
        if (held.length > 0) runs.add([held]);
        if (reverse) reverseAll(edges);
        held = sortByDigits(edges);
      }
    // What fits memory is written once.
    return runs.merge(runs.isEmpty ? [held] : eachEdge([held]));
  } finally {
    runs.remove();
  }
}

/** Edges one by one. */
function* eachEdge(pieces: Iterable<Uint32Array>): Generator<Uint32Array, void> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += EDGE_WORDS) yield piece.subarray(at, at + EDGE_WORDS);
}

/**
 * Sorts the edges of the inputs into two files: reversed into `backward`, then as they are into `forward`, which may be
 * an input too. Answers how many there are. What fits memory is read and sorted once.
 */
export function sortBothWays(
  inputs: readonly string[],
  backward: string,
  forward: string,
  options: Omit<SortEdgesOptions, "reverse"> = {},
): number {
  const { runEdges = RUN_EDGES, limit = NO_LIMIT } = options;
  const order = readAll(inputs, runEdges);
  if (order === undefined) {
    sortEdges(inputs, backward, { ...options, reverse: true });
    return sortEdges(inputs, forward, options);
  }
  limit.check();
  replaceFile(backward, (file) => file.write(bytesOf(order.reversed())));
  limit.check();
  const once = order.forward();
  replaceFile(forward, (file) => file.write(bytesOf(once)));
  return once.length / EDGE_WORDS;
}

/** All edges of some files, in order; undefined when there are more than so many, or no memory for them. */
function readAll(inputs: readonly string[], maxEdges: number): EdgeOrder | undefined {
  const most = inputs.reduce(
    (sum, input) => sum + Math.floor(statSync(input).size / EDGE_BYTES),
    0,
  );
  const order = most > maxEdges ? undefined : openEdgeOrder(most);
  if (order === undefined) return undefined;
  let used = 0;
  for (const input of inputs) used += readInto(input, order.edges.subarray(used));
  order.order(used / EDGE_WORDS);
  return order;
}

function reverseAll(edges: Uint32Array): void {
  for (let at = 0; at < edges.length; at += EDGE_WORDS) {
    const [high, low] = [edges[at]!, edges[at + 1]!];
    edges[at] = edges[at + 2]!;
    edges[at + 1] = edges[at + 3]!;
    edges[at + 2] = high;
    edges[at + 3] = low;
  }
}

/**
 * Radix sort, least significant digit first, 16 or 8 bits at a time, by the high words of both ids. Only edges of ids
 * that share 32 bits are not in order then; ids are random, so these are few, and `putInOrder` moves them.
 */
function sortByDigits(edges: Uint32Array): Uint32Array {
  let from = edges;
  let to: Uint32Array = new Uint32Array(edges.length);
  const bits = edges.length < MANY_EDGES * EDGE_WORDS ? 8 : 16;
  const starts = new Uint32Array(1 << bits);
  for (const word of [TARGET, SOURCE]) {
    for (let shift = 0; shift < 32; shift += bits) {
      countDigits(from, word, shift, starts);
      placeByDigit(from, to, word, shift, starts);
      [from, to] = [to, from];
    }
  }
  putInOrder(from);
  return from;
}

// Each loop is a function of its own: with several in one function, V8 compiles it anew for each of them.

/** Where the edges of each digit begin. */
function countDigits(edges: Uint32Array, word: number, shift: number, starts: Uint32Array): void {
  const mask = starts.length - 1;
  starts.fill(0);
  for (let at = word; at < edges.length; at += EDGE_WORDS) starts[(edges[at]! >>> shift) & mask]!++;
  addUp(starts);
}

function addUp(starts: Uint32Array): void {
  for (let digit = 0, sum = 0; digit < starts.length; digit++) {
    const count = starts[digit]!;
    starts[digit] = sum;
    sum += count;
  }
}

function placeByDigit(
  from: Uint32Array,
  to: Uint32Array,
  word: number,
  shift: number,
  starts: Uint32Array,
): void {
  const mask = starts.length - 1;
  for (let at = 0; at < from.length; at += EDGE_WORDS) {
    const place = EDGE_WORDS * starts[(from[at + word]! >>> shift) & mask]!++;
    to[place] = from[at]!;
    to[place + 1] = from[at + 1]!;
    to[place + 2] = from[at + 2]!;
    to[place + 3] = from[at + 3]!;
  }
}

/** Insertion sort: one comparison per edge where all is in order. */
function putInOrder(edges: Uint32Array): void {
  const edge = new Uint32Array(EDGE_WORDS);
  for (let at = EDGE_WORDS; at < edges.length; at += EDGE_WORDS) {
    if (!isBefore(edges, at, edges, at - EDGE_WORDS)) continue;
    edge.set(edges.subarray(at, at + EDGE_WORDS));
    let place = at;
    while (place > 0 && isBefore(edge, 0, edges, place - EDGE_WORDS)) place -= EDGE_WORDS;
    edges.copyWithin(place + EDGE_WORDS, place, at);
    edges.set(edge, place);
  }
}

/** Compares the edge at a place of one array with that of another. */
function isBefore(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  if (a[i] !== b[j]) return a[i]! < b[j]!;
  if (a[i + 1] !== b[j + 1]) return a[i + 1]! < b[j + 1]!;
  if (a[i + 2] !== b[j + 2]) return a[i + 2]! < b[j + 2]!;
  return a[i + 3]! < b[j + 3]!;
}

/** Writes sorted edges, each once; answers how many. */
function writeEdges(file: AppendFile, pieces: Iterable<Uint32Array>, limit: TimeLimit): number {
  const waiting = new Uint32Array(WRITE_EDGES * EDGE_WORDS);
  let used = 0;
  let written = 0;
  const last = new Uint32Array(EDGE_WORDS);
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += EDGE_WORDS) {
      // Sorted: what is not before its successor is equal to it.
      if (written > 0 && !isBefore(last, 0, piece, at)) continue;
      last[0] = waiting[used] = piece[at]!;
      last[1] = waiting[used + 1] = piece[at + 1]!;
      last[2] = waiting[used + 2] = piece[at + 2]!;
      last[3] = waiting[used + 3] = piece[at + 3]!;
      used += EDGE_WORDS;
      written++;
      if (used < waiting.length) continue;
      limit.check();
      file.write(new Uint8Array(waiting.buffer));
      used = 0;
    }
  }
  file.write(new Uint8Array(waiting.buffer, 0, 4 * used));
  return written;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
