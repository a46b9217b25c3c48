import { existsSync } from "node:fs";
import { join } from "node:path";
import { GrowingInts } from "../../runtime/growing-ints.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import { graphFacts, graphPaths } from "../../store/folder/graph-facts.ts";
import { EDGE_WORDS, readEdges } from "../../store/graph/edge-file.ts";
import { NodeTable } from "./node-table.ts";
import { type PageRank, pageRank } from "./streamed-page-rank.ts";

const EDGES_AT_ONCE = 64 * 1024;
const NO_GRAPH = { version: 2, seedLow: 0, seedHigh: 0 } as const;

/** The link graph of a crawl as a report needs it: by number, pages first, then URLs that failed. */
export class LinkSurvey {
  readonly #dir: string;
  readonly #table: NodeTable;
  readonly #isThere: boolean;
  readonly #places = new GrowingInts();
  #pages = 0;
  inDegrees = new Uint32Array(0);

  constructor(dir: string) {
    this.#dir = dir;
    const { facts, in: incoming, out } = graphPaths(dir);
    this.#isThere = existsSync(facts) && existsSync(incoming) && existsSync(out);
    this.#table = new NodeTable(this.#isThere ? graphFacts(facts) : NO_GRAPH);
  }

  /** Whether the crawl has a finished link graph. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Pages are added before all other URLs, each with its place in the list. */
  addPage(url: string, place: number): void {
    if (this.#table.add(url) < this.#pages) return; // twice in the list: an unsynchronised frontier does that
    this.#places.push(place);
    this.#pages++;
  }

  /** How many pages there are; their numbers are below this. */
  get pages(): number {
    return this.#pages;
  }

  /** The place of a page in the list. */
  placeOf(page: number): number {
    return this.#places.at(page);
  }

  /** Adds another URL whose links are to be counted; answers its number. */
  addOther(url: string): number {
    return this.#table.add(url);
  }

  /** Counts how many pages link to each of them; answers the number of all links. */
  countLinks(): number {
    this.inDegrees = new Uint32Array(this.#table.size);
    if (!this.#isThere) return 0;
    let links = 0;
    let [high, low, target] = [-1, -1, -1];
    for (const words of readEdges(graphPaths(this.#dir).in, EDGES_AT_ONCE)) {
      for (let at = 0; at < words.length; at += EDGE_WORDS) {
        links++;
        if (words[at] !== high || words[at + 1] !== low) {
          [high, low] = [words[at]!, words[at + 1]!];
          target = this.#table.find(high, low);
        }
        if (target >= 0) this.inDegrees[target]!++;
      }
    }
    return links;
  }

  /** Undefined without a link graph. */
  pageRank(): PageRank | undefined {
    if (!this.#isThere || this.#pages === 0) return undefined;
    const scratch = join(crawlPaths(this.#dir).reports, `page-rank-${process.pid}.tmp`);
    return pageRank(graphPaths(this.#dir).out, this.#table, this.#pages, scratch);
  }
}

/** Numbers with the largest values, the largest first, equal ones in their order; those of 0 are left out. */
export function largest(values: ArrayLike<number>, count: number, from = 0, to?: number): number[] {
  const best: number[] = [];
  const end = to ?? values.length;
  for (let i = from; i < end; i++) {
    const value = values[i]!;
    if (value <= 0 || (best.length === count && value <= values[best[count - 1]!]!)) continue;
    let at = best.length;
    while (at > 0 && values[best[at - 1]!]! < value) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}
