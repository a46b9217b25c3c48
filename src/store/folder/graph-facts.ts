import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { fingerprint } from "../../hash/fingerprint.ts";
import { urlFingerprint } from "../../hash/url-fingerprint.ts";
import { randomBytes } from "../../runtime/random-bytes.ts";
import { jsonLine } from "../files/jsonl.ts";
import { replaceWith } from "../files/replace-file.ts";
import { crawlPaths } from "./crawl-folder.ts";

/** The files of a finished graph. */
export interface GraphPaths {
  /** Facts: seeds of the ids, number of nodes and edges. */
  readonly facts: string;
  /** `id URL` per line, sorted. */
  readonly nodes: string;
  /** Edges by source. */
  readonly out: string;
  /** The same edges turned round, by target: who links to this page. */
  readonly in: string;
}

/** Where the link graph of a crawl is. */
export function graphPaths(dir: string): GraphPaths {
  const { links } = crawlPaths(dir);
  return {
    facts: join(links, "graph.json"),
    nodes: join(links, "nodes.txt"),
    out: join(links, "out.bin"),
    in: join(links, "in.bin"),
  };
}

/** links/graph.json: what makes the ids of a graph, and how large it is once the crawl has ended. */
export interface GraphFacts {
  /** Which fingerprint makes the ids: `fingerprint` (1) or `urlFingerprint` (2), which the links of a page come with. */
  readonly version: 1 | 2;
  /** An id is the 64-bit fingerprint of a URL with these seeds, random so that equal ids cannot be prepared. */
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly nodes?: number;
  readonly edges?: number;
}

/** What makes the ids of a graph. */
export type IdRules = Pick<GraphFacts, "version" | "seedLow" | "seedHigh">;

/** Leaves the id of a URL in `lastFingerprint`. */
export function graphId(url: string, { version, seedLow, seedHigh }: IdRules): void {
  if (version === 1) fingerprint(url, seedLow, seedHigh);
  else urlFingerprint(url, seedLow, seedHigh);
}

/** The facts of a graph; one that is new gets the seeds of its crawl, or random ones. */
export function graphFacts(
  path: string,
  seeds?: Partial<Pick<GraphFacts, "seedLow" | "seedHigh">>,
): GraphFacts {
  if (existsSync(path)) {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as GraphFacts;
    } catch (cause) {
      throw new StoreCorruptError(`${path} is not readable at offset 0`, cause);
    }
  }
  const random = randomBytes(8);
  const facts = {
    version: 2,
    seedLow: seeds?.seedLow ?? random.readInt32LE(0),
    seedHigh: seeds?.seedHigh ?? random.readInt32LE(4),
  } as const;
  writeGraphFacts(path, facts);
  return facts;
}

/** Writes links/graph.json. */
export function writeGraphFacts(path: string, facts: GraphFacts): void {
  replaceWith(path, `${jsonLine(facts)}\n`);
}
