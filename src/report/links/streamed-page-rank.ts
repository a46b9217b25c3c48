import { openScratchFile } from "../../runtime/scratch-file.ts";
import { EDGE_WORDS, readEdges } from "../../store/graph/edge-file.ts";
import type { NodeTable } from "./node-table.ts";

/** The part of a page's rank that its links pass on; the rest falls on all pages alike. */
export const DAMPING = 0.85;
const MAX_ROUNDS = 50;
/** Ranks that move less than this in all have come to rest. */
const TOLERANCE = 1e-6;
const EDGES_AT_ONCE = 64 * 1024;
const TARGETS_AT_ONCE = 256 * 1024;

/** The ranks of pages: their sum is 1. */
export interface PageRank {
  readonly ranks: Float64Array;
  readonly rounds: number;
}

/**
 * PageRank of the first `pages` nodes over the links between them; links to themselves and to what was not crawled do not
 * count, and pages without links deal out to all. The links are streamed from disk in each round, so memory is 28 bytes
 * per page whatever their number.
 */
export function pageRank(
  edges: string,
  table: NodeTable,
  pages: number,
  scratch: string,
): PageRank {
  const degrees = new Uint32Array(pages);
  const order: number[] = [];
  const file = openScratchFile(scratch);
  try {
    const links = writeTargets(edges, table, pages, { degrees, order, file });
    let ranks = new Float64Array(pages).fill(1 / pages);
    let next = new Float64Array(pages);
    let rounds = 0;
    for (let moved = 1; moved > TOLERANCE && rounds < MAX_ROUNDS; rounds++) {
      let idle = 0;
      for (let page = 0; page < pages; page++) if (degrees[page] === 0) idle += ranks[page]!;
      next.fill((1 - DAMPING) / pages + (DAMPING * idle) / pages);
      passOn(file, links, order, degrees, ranks, next);
      moved = 0;
      for (let page = 0; page < pages; page++) moved += Math.abs(next[page]! - ranks[page]!);
      [ranks, next] = [next, ranks];
    }
    return { ranks, rounds };
  } finally {
    file.close();
  }
}

type Scratch = ReturnType<typeof openScratchFile>;

/** Writes the targets of all links between pages, source after source; answers how many. */
function writeTargets(
  edges: string,
  table: NodeTable,
  pages: number,
  into: { degrees: Uint32Array; order: number[]; file: Scratch },
): number {
  const held = new Uint32Array(TARGETS_AT_ONCE);
  let used = 0;
  let written = 0;
  let [high, low, source] = [-1, -1, -1];
  const flush = () => {
    into.file.write(new Uint8Array(held.buffer, 0, used * 4), written * 4);
    written += used;
    used = 0;
  };
  for (const words of readEdges(edges, EDGES_AT_ONCE)) {
    for (let at = 0; at < words.length; at += EDGE_WORDS) {
      if (words[at] !== high || words[at + 1] !== low) {
        [high, low] = [words[at]!, words[at + 1]!];
        source = table.find(high, low);
      }
      if (source < 0 || source >= pages) continue;
      const target = table.find(words[at + 2]!, words[at + 3]!);
      if (target < 0 || target >= pages || target === source) continue;
      if (into.degrees[source]! === 0) into.order.push(source);
      into.degrees[source]!++;
      held[used++] = target;
      if (used === held.length) flush();
    }
  }
  flush();
  return written;
}

/** Every page gives its links equal parts of its rank. */
function passOn(
  file: Scratch,
  links: number,
  order: readonly number[],
  degrees: Uint32Array,
  ranks: Float64Array,
  next: Float64Array,
): void {
  const held = new Uint32Array(Math.min(TARGETS_AT_ONCE, Math.max(1, links)));
  let at = held.length;
  let read = 0;
  for (const source of order) {
    const degree = degrees[source]!;
    const part = (DAMPING * ranks[source]!) / degree;
    for (let i = 0; i < degree; i++) {
      if (at === held.length) {
        const count = Math.min(held.length, links - read);
        file.read(new Uint8Array(held.buffer, 0, count * 4), read * 4);
        read += count;
        at = 0;
      }
      next[held[at++]!]! += part;
    }
  }
}
