import { closeSync, fstatSync, openSync } from "node:fs";
import { readFully } from "../files/read-file.ts";
import { withFile } from "../files/system-calls.ts";

/** Words of an edge: two ids of 64 bits, high word first, so that the order of words is that of the ids. */
export const EDGE_WORDS = 4;
/** Bytes of an edge on disk, little-endian words. */
export const EDGE_BYTES = 4 * EDGE_WORDS;

/** Edges of a file in pieces; a torn last edge is left out. */
export function* readEdges(path: string, edgesAtOnce: number): Generator<Uint32Array, void> {
  const file = openSync(path, "r");
  try {
    const whole = Math.floor(fstatSync(file).size / EDGE_BYTES);
    for (let at = 0; at < whole; at += edgesAtOnce) {
      const words = new Uint32Array(Math.min(edgesAtOnce, whole - at) * EDGE_WORDS);
      readWhole(file, words, at * EDGE_BYTES);
      yield words;
    }
  } finally {
    closeSync(file);
  }
}

/** Reads all edges of a file into memory that has room for them; answers how many words those are. */
export function readInto(path: string, words: Uint32Array): number {
  return withFile(path, "r", (file) => {
    const whole = Math.floor(fstatSync(file).size / EDGE_BYTES) * EDGE_WORDS;
    readWhole(file, words.subarray(0, whole), 0);
    return whole;
  });
}

function readWhole(file: number, words: Uint32Array, offset: number): void {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  if (readFully(file, bytes, offset) < bytes.length)
    throw new Error("the file became shorter while it was read");
}

/** A sorted file of edges, with a binary search for those that begin with an id. */
export class EdgeFile {
  readonly #file: number;
  readonly #edges: number;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.#edges = Math.floor(fstatSync(this.#file).size / EDGE_BYTES);
  }

  /** Number of edges. */
  get edges(): number {
    return this.#edges;
  }

  /** How many edges have this as their first id. */
  count(high: number, low: number): number {
    return this.#firstFrom(high, low, true) - this.#firstFrom(high, low, false);
  }

  /** The second ids of all edges whose first id is this one: high word, low word. */
  *from(high: number, low: number): Generator<readonly [high: number, low: number], void> {
    let first = this.#firstFrom(high, low, false);
    for (; first < this.#edges; first++) {
      const edge = this.#at(first);
      if (edge[0] !== high || edge[1] !== low) return;
      yield [edge[2]!, edge[3]!];
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The first edge that begins with this id, or behind all that do. */
  #firstFrom(high: number, low: number, behind: boolean): number {
    let first = 0;
    for (let end = this.#edges; first < end; ) {
      const middle = Math.floor((first + end) / 2);
      const [h, l] = this.#at(middle) as unknown as [number, number];
      const isBefore = h < high || (h === high && (behind ? l <= low : l < low));
      if (isBefore) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  #at(edge: number): Uint32Array {
    const words = new Uint32Array(EDGE_WORDS);
    readWhole(this.#file, words, edge * EDGE_BYTES);
    return words;
  }
}
