import { FATE } from "./faults.ts";
import { hostOfPage, type LinkGraph } from "./graph.ts";

/** What a crawl needs to know about pages and links to be predicted. */
export interface GraphFacts {
  fate(page: number): number;
  allows(host: number, page: number): boolean;
  /** Whether robots.txt lets the redirects of this host be fetched. */
  allowsRedirects(host: number): boolean;
  /** Whether this link leads to its target by a redirect. */
  byRedirect(link: number, target: number): boolean;
}

/** What a complete crawl from every host's first page finds. */
export interface CrawlCounts {
  reachable: number;
  missing: number;
  redirects: number;
  refusedByRobots: number;
  failing: number;
}

/** Walks the graph as a crawler would: errors and robots.txt end a path, redirects and temporary errors do not. */
export function graphTruth(graph: LinkGraph, facts: GraphFacts): CrawlCounts {
  const counts = { reachable: 0, missing: 0, redirects: 0, refusedByRobots: 0, failing: 0 };
  const known = new Uint8Array(graph.pages);
  const redirected = new Uint8Array(graph.pages);
  const queue = new Uint32Array(graph.pages);
  let tail = 0;
  const discover = (page: number): void => {
    if (known[page] === 1) return;
    known[page] = 1;
    queue[tail++] = page;
  };
  for (let host = 0; host + 1 < graph.firstOfHost.length; host++)
    discover(graph.firstOfHost[host]!);
  for (let head = 0; head < tail; head++) {
    const page = queue[head]!;
    if (!facts.allows(hostOfPage(graph, page), page)) {
      counts.refusedByRobots++;
      continue;
    }
    const fate = facts.fate(page);
    if (fate === FATE.missing) counts.missing++;
    else if (fate === FATE.broken) counts.failing++;
    else {
      counts.reachable++;
      for (let link = graph.offsets[page]!; link < graph.offsets[page + 1]!; link++) {
        const target = graph.targets[link]!;
        if (facts.byRedirect(link, target)) {
          const open = facts.allowsRedirects(hostOfPage(graph, target));
          if (redirected[target] === 0) counts[open ? "redirects" : "refusedByRobots"]++;
          redirected[target] = 1;
          if (!open) continue;
        }
        discover(target);
      }
    }
  }
  return counts;
}
