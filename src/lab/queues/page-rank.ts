import { OrbweaverError } from "../../errors.ts";

const DAMPING = 0.85;
const ITERATIONS = 60; // the change of a round shrinks by 0.85: 6e-5 of the first one is left

/** A link graph: the links of page p are targets[offsets[p]] … targets[offsets[p + 1] - 1]. */
export interface LinkGraph {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** PageRank of all pages of a graph (Brin, Page 1998), summing up to 1; pages without links jump anywhere. */
export function pageRank(graph: LinkGraph, iterations: number = ITERATIONS): Float64Array {
  checkGraph(graph);
  const { offsets, targets } = graph;
  const pages = offsets.length - 1;
  let rank = new Float64Array(pages).fill(1 / pages);
  for (let round = 0; round < iterations; round++) {
    const next = new Float64Array(pages);
    let lost = 0;
    for (let page = 0; page < pages; page++) {
      const from = offsets[page]!;
      const to = offsets[page + 1]!;
      if (from === to) lost += rank[page]!;
      const share = rank[page]! / (to - from);
      for (let i = from; i < to; i++) next[targets[i]!]! += share;
    }
    const base = (1 - DAMPING + DAMPING * lost) / pages;
    for (let page = 0; page < pages; page++) next[page] = base + DAMPING * next[page]!;
    rank = next;
  }
  return rank;
}

/** Page numbers, most valuable page first; among equals the lower number comes first. */
export function bestFirst(worth: ArrayLike<number>): Uint32Array {
  const pages = Uint32Array.from({ length: worth.length }, (_, page) => page);
  return pages.sort((a, b) => worth[b]! - worth[a]! || a - b);
}

/** Checks a graph: offsets never fall and end with the number of links, links lead to pages. */
export function checkGraph({ offsets, targets }: LinkGraph): void {
  const pages = offsets.length - 1;
  let isWhole = offsets[0] === 0 && offsets[pages] === targets.length;
  for (let page = 0; page < pages; page++) isWhole &&= offsets[page]! <= offsets[page + 1]!;
  if (!isWhole) {
    throw new OrbweaverError(
      "OW_BAD_GRAPH",
      "the offsets of a graph begin with 0, never fall, and end with its number of links",
    );
  }
  const wrong = targets.find((page) => page >= pages);
  if (wrong === undefined) return;
  throw new OrbweaverError("OW_BAD_GRAPH", `a link leads to page ${wrong}, of ${pages} pages`);
}
