import { basename } from "node:path";
import { PROFILES } from "../../web/profile.ts";
import { Random } from "../../web/seeded-random.ts";
import { makeGraph } from "../../web/synthetic/graph.ts";
import { readGraphFile } from "../../web/synthetic/graph-file.ts";
import type { LinkGraph } from "../queues/page-rank.ts";

const PAGES_PER_HOST = 200;
const MIN_SITE = 10;
const MAX_SITE = 20_000;
const SITE_EXPONENT = 1.6;

/** A link graph with sites, to crawl without a network. */
export interface SimulatedWeb {
  readonly name: string;
  readonly graph: LinkGraph;
  readonly pages: number;
  readonly siteOf: Uint32Array;
  /** The first page of every site. */
  readonly homes: ReadonlySet<number>;
}

/** The graph of a file, or that of our own web with so many pages. */
export async function simulatedWeb(
  file: string | undefined,
  pages: number,
  seed: number,
): Promise<SimulatedWeb> {
  if (file !== undefined) {
    const graph = await readGraphFile(file, 1);
    const siteOf = simulateSites(graph.pages, generator(seed));
    // Hostile names cannot reach a page unescaped, but they need not be long either.
    const name = basename(file).slice(0, 60);
    return { name, graph, pages: graph.pages, siteOf, homes: homePages(siteOf) };
  }
  const hosts = Math.max(64, Math.round(pages / PAGES_PER_HOST));
  const graph = makeGraph({ ...PROFILES.small, seed, pages, hosts });
  const siteOf = new Uint32Array(pages);
  for (let host = 0; host < hosts; host++) {
    siteOf.fill(host, graph.firstOfHost[host]!, graph.firstOfHost[host + 1]!);
  }
  const name = `our own web (${hosts} sites, 10 % of the links to other sites)`;
  return { name, graph, pages, siteOf, homes: homePages(siteOf) };
}

/** Random numbers in [0, 1), the same for the same seed. */
export function generator(seed: number): () => number {
  const random = new Random(seed);
  return () => random.next();
}

/**
 * Sites of a graph without URLs: its pages are in the order of theirs, so a site is a range of numbers. Sizes follow a
 * power law.
 */
export function simulateSites(pages: number, random: () => number): Uint32Array {
  const siteOf = new Uint32Array(pages);
  for (let from = 0, site = 0; from < pages; site++) {
    const drawn = MIN_SITE * (1 - random()) ** (-1 / (SITE_EXPONENT - 1));
    const size = Math.min(MAX_SITE, Math.floor(drawn));
    siteOf.fill(site, from, Math.min(pages, from + size));
    from += size;
  }
  return siteOf;
}

/** Sites distributed over processors by hash, as a crawl does it. */
export function dealSites(siteOf: Uint32Array, processors: number): Uint16Array {
  return Uint16Array.from(siteOf, (site) => {
    let h = Math.imul(site + 1, 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
    return ((h ^ (h >>> 13)) >>> 0) % processors;
  });
}

/** The first page of every site. */
export function homePages(siteOf: Uint32Array): ReadonlySet<number> {
  const homes = new Set<number>();
  for (let page = 0; page < siteOf.length; page++) {
    if (page === 0 || siteOf[page] !== siteOf[page - 1]) homes.add(page);
  }
  return homes;
}

/** Share of a worth, such as PageRank, that the first pages of a crawl hold, at every point; points are shares of all pages. */
export function collected(
  worth: Float64Array,
  fetched: readonly number[],
  points: readonly number[],
): number[] {
  let sum = 0;
  let at = 0;
  return points.map((point) => {
    for (; at < Math.min(fetched.length, point * worth.length); at++) sum += worth[fetched[at]!]!;
    return sum;
  });
}
