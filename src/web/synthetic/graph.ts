import type { WebProfile } from "../profile.ts";
import { Random } from "../seeded-random.ts";

/** Who links to whom: pages are numbers, the pages of a host are neighbours, links lie in one array. */
export interface LinkGraph {
  readonly pages: number;
  /** Links of page p: `targets[offsets[p]]` up to, not including, `targets[offsets[p + 1]]`. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  /** Pages of host h: `firstOfHost[h]` up to, not including, `firstOfHost[h + 1]`. */
  readonly firstOfHost: Uint32Array;
}

/** The host a page belongs to. */
export function hostOfPage(graph: LinkGraph, page: number): number {
  let low = 0;
  let high = graph.firstOfHost.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (graph.firstOfHost[middle]! <= page) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Cuts `pages` into one contiguous range per host, in proportion to the weights, none of them empty. */
export function hostRanges(pages: number, weights: readonly number[]): Uint32Array {
  const first = new Uint32Array(weights.length + 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const rest = pages - weights.length; // every host gets one page before the rest is distributed
  let sum = 0;
  for (let host = 0; host < weights.length; host++) {
    sum += weights[host]!;
    first[host + 1] = host + 1 + Math.round((rest * sum) / total);
  }
  return first;
}

/**
 * Popularity of the page at rank r falls as r^-0.75, which gives in-degrees a power-law tail with
 * exponent 2.33 (2.1 is measured on the web): rank = n * u^4 is that distribution, inverted.
 */
function popular(random: Random, count: number): number {
  const u = random.next();
  return Math.floor(count * u * u * u * u);
}

/** Draws the link graph of a profile: every page is linked from an earlier page of its host, the rest by popularity. */
export function makeGraph(profile: WebProfile): LinkGraph {
  const { pages, hosts, meanLinks } = profile;
  const random = new Random(profile.seed);
  const weights = Array.from({ length: hosts }, () => 0.5 + random.next());
  const firstOfHost = hostRanges(pages, weights);

  // A random recursive tree per host keeps every page within a few clicks of the front page.
  const parent = new Uint32Array(pages);
  const children = new Uint32Array(pages);
  for (let host = 0; host < hosts; host++) {
    const first = firstOfHost[host]!;
    for (let page = first + 1; page < firstOfHost[host + 1]!; page++) {
      parent[page] = first + random.below(page - first);
      children[parent[page]!]!++;
    }
  }

  const offsets = new Uint32Array(pages + 1);
  for (let page = 0; page < pages; page++) {
    // Half to three halves of the mean; never fewer than the tree needs.
    const wanted = Math.round(meanLinks * (0.5 + random.next()));
    offsets[page + 1] = offsets[page]! + Math.max(children[page]!, wanted, 1);
  }
  const targets = new Uint32Array(offsets[pages]!);
  const filled = offsets.slice(0, pages);
  for (let host = 0; host < hosts; host++) {
    for (let page = firstOfHost[host]! + 1; page < firstOfHost[host + 1]!; page++) {
      targets[filled[parent[page]!]!++] = page;
    }
  }
  const drawn = new Uint32Array(pages); // drawn[target] = page + 1: already linked from this page
  for (let host = 0; host < hosts; host++) {
    for (let page = firstOfHost[host]!; page < firstOfHost[host + 1]!; page++) {
      for (let at = offsets[page]!; at < filled[page]!; at++) drawn[targets[at]!] = page + 1;
      for (let at = filled[page]!; at < offsets[page + 1]!; at++) {
        let target = page;
        // A few tries for a link not yet on the page; small hosts may have no other.
        for (let attempt = 0; attempt < 4; attempt++) {
          const cross = hosts > 1 && random.next() < profile.crossHostShare;
          const to = cross ? (host + 1 + random.below(hosts - 1)) % hosts : host;
          const first = firstOfHost[to]!;
          target = first + popular(random, firstOfHost[to + 1]! - first);
          if (drawn[target] !== page + 1) break;
        }
        drawn[target] = page + 1;
        targets[at] = target;
      }
    }
  }
  return { pages, offsets, targets, firstOfHost };
}
