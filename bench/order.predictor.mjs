// Figure 7: how many pages may a processor fetch between two exchanges? By PageRank as in the paper, and by OPIC.
import { findBatchSize, predictBatch } from "../build/src/queue/batch-size.js";
import { idealCrawl } from "./order.crawl.mjs";
import { dealSites } from "./order.graph.mjs";
import { lineChart } from "./queue.svg.mjs";

const PROCESSORS = 4;
const MAX_ERROR = 0.05;
const TOLERANCES = [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000];

export function predictor({ graph, rank, webs }) {
  const table = [];
  const series = {};
  const { siteOf, homes } = webs[0];
  const byRank = Uint32Array.from({ length: graph.pages }, (_, page) => page).sort(
    (a, b) => rank[b] - rank[a] || a - b,
  );
  const orders = {
    PageRank: byRank,
    OPIC: Uint32Array.from(idealCrawl(graph, [...homes])),
  };
  const best = {};
  for (const [name, order] of Object.entries(orders)) {
    for (const messages of ["foreign", "all"]) {
      const processorOf = dealSites(siteOf, PROCESSORS);
      const sample = { graph, order, processorOf, processors: PROCESSORS, messages };
      const label = `${name}, ${messages} links`;
      series[label] = [];
      for (const tolerance of TOLERANCES) {
        const { batchSize, error, supersteps } = predictBatch(sample, tolerance);
        table.push({
          "ordered by": name,
          "links that count": messages,
          tolerance,
          R: batchSize,
          "error, %": Number((100 * error).toFixed(2)),
          supersteps,
        });
        series[label].push([tolerance, batchSize]);
      }
      best[label] = findBatchSize(sample, MAX_ERROR) ?? "none: even tolerance 0 errs more";
    }
  }
  return {
    title: `Figure 7: predicted R for ${PROCESSORS} processors`,
    table,
    data: { largestWithErrorBelow5Percent: best },
    svg: {
      "order-figure-7": lineChart({
        title: `Figure 7: predicted pages per processor and superstep, P = ${PROCESSORS}`,
        x: "tolerance, messages per processor",
        y: "R",
        series,
      }),
    },
  };
}
