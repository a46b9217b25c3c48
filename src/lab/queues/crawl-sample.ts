import { UsageError } from "../../errors.ts";
import { readLines } from "../../store/files/read-file.ts";
import { finalizeIfLeft } from "../../store/finish/finalize.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import { graphPaths } from "../../store/folder/graph-facts.ts";
import { readEdges } from "../../store/graph/edge-file.ts";
import { LinkGraph as GraphOnDisk } from "../../store/graph/link-graph.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { CrawlSample } from "./batch-size.ts";
import { bestFirst, type LinkGraph, pageRank } from "./page-rank.ts";

const EDGES_AT_ONCE = 1 << 14;
const ID_DIGITS = 16;

/** How to read an earlier crawl. */
export interface SampleOptions {
  /** Threads or machines of the next crawl; each site belongs to one of them. */
  readonly processors: number;
  /** By PageRank, or by the cash that pages were fetched with (of a crawl with `--order opic`). */
  readonly by?: "pagerank" | "opic";
}

/**
 * The pages and links of a finished crawl as a sample for `findBatchSize`. Pages that were linked to and never fetched
 * are in the graph and not in the order. All of it is in memory: some 200 bytes per known URL.
 */
export function readCrawlSample(dir: string, options: SampleOptions): CrawlSample {
  const { processors, by = "pagerank" } = options;
  if (by !== "pagerank" && by !== "opic")
    throw new UsageError(`pages are ordered by "pagerank" or "opic", not by ${by}`);
  if (!Number.isSafeInteger(processors) || processors < 1)
    throw new UsageError(`there is at least one processor, not ${processors}`);
  finalizeIfLeft(dir);
  new GraphOnDisk(dir).close(); // throws if the crawl has no link graph
  const { nodes, out } = graphPaths(dir);
  const numberOf = new Map<string, number>();
  const idNumber = new Map<string, number>();
  const processorOf: number[] = [];
  for (const line of readLines(nodes)) {
    const url = line.slice(ID_DIGITS + 1);
    idNumber.set(line.slice(0, ID_DIGITS), numberOf.size);
    numberOf.set(url, numberOf.size);
    processorOf.push(shardOf(siteHash(siteOf(hostnameOf(url as CrawlUrl))), processors));
  }
  const graph = readGraph(out, idNumber);
  const worth = new Map<number, number>();
  for (const line of readLines(crawlPaths(dir).pages)) {
    const { url, cash } = JSON.parse(line) as PageLine;
    const page = numberOf.get(url);
    if (page === undefined) continue; // the first line is a header
    if (by === "opic" && cash === undefined) {
      throw new UsageError(`${dir} was not crawled with --order opic: its pages have no cash`);
    }
    worth.set(page, cash ?? 0);
  }
  const ranked = bestFirst(
    by === "pagerank" ? pageRank(graph) : processorOf.map((_, page) => worth.get(page) ?? 0),
  );
  return { graph, order: ranked.filter((page) => worth.has(page)), processorOf, processors };
}

/** Edges are sorted by source, in the order of ids, as the nodes are. */
function readGraph(out: string, idNumber: ReadonlyMap<string, number>): LinkGraph {
  const offsets = new Uint32Array(idNumber.size + 1);
  const targets: number[] = [];
  const hex = (word: number) => word.toString(16).padStart(8, "0");
  let last = -1;
  for (const words of readEdges(out, EDGES_AT_ONCE)) {
    for (let at = 0; at < words.length; at += 4) {
      const source = idNumber.get(hex(words[at]!) + hex(words[at + 1]!));
      const target = idNumber.get(hex(words[at + 2]!) + hex(words[at + 3]!));
      if (source === undefined || target === undefined) continue;
      while (last < source) offsets[++last] = targets.length;
      targets.push(target);
    }
  }
  while (last < idNumber.size) offsets[++last] = targets.length;
  return { offsets, targets: Uint32Array.from(targets) };
}
