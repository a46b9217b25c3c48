import type { LinkGraph } from "../queues/page-rank.ts";

/** Breadth first, depth first, or a page drawn by this generator of numbers in [0, 1). */
export type PlainOrder = "bfs" | "dfs" | (() => number);

/** A crawl of a graph without priorities: pages in the order in which they are fetched. */
export function plainCrawl(graph: LinkGraph, seeds: Iterable<number>, next: PlainOrder): number[] {
  const { offsets, targets } = graph;
  const known = new Uint8Array(offsets.length - 1);
  const waiting: number[] = [];
  const fetched: number[] = [];
  let head = 0;
  const admit = (page: number) => {
    if (known[page]) return;
    known[page] = 1;
    waiting.push(page);
  };
  for (const seed of seeds) admit(seed);
  while (head < waiting.length) {
    const page = next === "bfs" ? waiting[head++]! : takeOne(waiting, next);
    fetched.push(page);
    for (let i = offsets[page]!; i < offsets[page + 1]!; i++) admit(targets[i]!);
  }
  return fetched;
}

function takeOne(waiting: number[], next: Exclude<PlainOrder, "bfs">): number {
  if (next !== "dfs") {
    const at = Math.floor(next() * waiting.length);
    const last = waiting.length - 1;
    [waiting[at], waiting[last]] = [waiting[last]!, waiting[at]!];
  }
  return waiting.pop()!;
}
