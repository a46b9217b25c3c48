import { existsSync } from "node:fs";
import { lastFingerprint } from "../../hash/fingerprint.ts";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { sortLines } from "../files/sort-lines.ts";
import { SortedLines } from "../files/sorted-lines.ts";
import { removeIfThere } from "../files/system-calls.ts";
import { partsOf, withParts } from "../folder/crawl-folder.ts";
import {
  graphFacts,
  graphId,
  graphPaths,
  type IdRules,
  writeGraphFacts,
} from "../folder/graph-facts.ts";
import { noResults } from "../folder/no-crawl.ts";
import { EdgeFile } from "./edge-file.ts";
import { idText } from "./link-log.ts";
import { sortBothWays } from "./sort-edges.ts";

/** Sorts what the builders streamed into one graph, in bounded memory; again after more of the crawl. */
export function finishGraph(dir: string, limit: TimeLimit = NO_LIMIT): void {
  const paths = graphPaths(dir);
  const nodeParts = partsOf(paths.nodes);
  const edgeParts = partsOf(paths.out);
  if (nodeParts.length + edgeParts.length === 0 && existsSync(paths.in)) return;
  const nodes = sortLines(withParts(paths.nodes), paths.nodes, { once: true, limit });
  // Both from the same edges: `out` is replaced last, so that an interruption loses none.
  const edges = sortBothWays(withParts(paths.out), paths.in, paths.out, { limit });
  writeGraphFacts(paths.facts, { ...graphFacts(paths.facts), nodes, edges });
  for (const part of [...nodeParts, ...edgeParts]) removeIfThere(part);
}

/** The finished link graph of a crawl, looked up on disk. */
export class LinkGraph {
  readonly #out: EdgeFile;
  readonly #in: EdgeFile;
  readonly #nodes: SortedLines;
  readonly #ids: IdRules;

  constructor(dir: string) {
    const paths = graphPaths(dir);
    if (!existsSync(paths.in) || !existsSync(paths.out)) throw noResults(dir, "link graph");
    this.#ids = graphFacts(paths.facts);
    this.#out = new EdgeFile(paths.out);
    this.#in = new EdgeFile(paths.in);
    this.#nodes = new SortedLines(paths.nodes);
  }

  /** Number of edges. */
  get edges(): number {
    return this.#out.edges;
  }

  /** Whether the URL was a page or a link of one. */
  knows(url: string): boolean {
    graphId(url, this.#ids);
    return this.nameOf(idText(lastFingerprint.high, lastFingerprint.low)) !== undefined;
  }

  /** How many pages link to a URL. */
  inDegree(url: string): number {
    graphId(url, this.#ids);
    return this.#in.count(lastFingerprint.high, lastFingerprint.low);
  }

  /** The pages that link to a URL, in the order of their ids. */
  *linksTo(url: string): Generator<string, void> {
    yield* this.#neighbours(this.#in, url);
  }

  /** The URLs a page links to. */
  *linksFrom(url: string): Generator<string, void> {
    yield* this.#neighbours(this.#out, url);
  }

  /** The URL of an id. */
  nameOf(id: string): string | undefined {
    return this.#nodes.find(`${id} `)?.slice(17);
  }

  close(): void {
    this.#out.close();
    this.#in.close();
    this.#nodes.close();
  }

  *#neighbours(edges: EdgeFile, url: string): Generator<string, void> {
    graphId(url, this.#ids);
    for (const [high, low] of edges.from(lastFingerprint.high, lastFingerprint.low)) {
      const id = idText(high, low);
      yield this.nameOf(id) ?? id;
    }
  }
}
