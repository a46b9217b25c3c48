// The link graphs of the order benches: cnr-2000 of the conformance data, or a small synthetic one; PageRank and sites.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pageRank as rankOf } from "../../build/src/lab/queues/page-rank.js";
import { PROFILES } from "../../build/src/web/profile.js";
import { makeGraph } from "../../build/src/web/synthetic/graph.js";
import { readGraphFile } from "../../build/src/web/synthetic/graph-file.js";

const FOLDER = new URL("../../../shared/conformance/webgraph/", import.meta.url);
const SMOKE_PAGES = 2000;

/** Where cnr-2000 is; undefined, with a line that says so, when the conformance data is not there. */
export function graphFile() {
  const file = fileURLToPath(new URL("cnr-2000.graph-txt.gz", FOLDER));
  if (existsSync(file)) return file;
  console.log("skipped: cnr-2000, needs ../shared/conformance/webgraph");
  return undefined;
}

/** { pages, offsets, targets } of cnr-2000. */
export function loadGraph(file) {
  return readGraphFile(file, 1);
}

/** A graph for smoke runs. */
export function smokeGraph() {
  return makeGraph({ ...PROFILES.small, pages: SMOKE_PAGES, hosts: 20 });
}

/** The same graph with the links of every page in another order: it keeps them sorted, which no page does. */
export function mixLinks(graph, random) {
  const { pages, offsets } = graph;
  const targets = graph.targets.slice();
  for (let page = 0; page < pages; page++) {
    const from = offsets[page];
    for (let i = offsets[page + 1] - 1; i > from; i--) {
      const j = from + Math.floor(random() * (i - from + 1));
      const target = targets[i];
      targets[i] = targets[j];
      targets[j] = target;
    }
  }
  return { ...graph, targets };
}

/** PageRank of all pages, damping 0.85, pages without links jump anywhere; of cnr-2000 checked against published figures. */
export function pageRank(graph) {
  const rank = rankOf(graph);
  if (graph.pages === SMOKE_PAGES) return rank;
  const facts = JSON.parse(readFileSync(new URL("cnr-2000.facts.json", FOLDER), "utf8"));
  for (const [page, expected] of facts.pagerank.top1000.slice(0, 100)) {
    if (Math.abs(rank[page] / expected - 1) > 1e-3) throw new Error(`PageRank of ${page} is off`);
  }
  return rank;
}
