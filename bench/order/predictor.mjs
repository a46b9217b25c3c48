// Figure 7: how many pages may a processor fetch between two exchanges? By PageRank as in the paper, and by OPIC.
import { findBatchSize, predictBatch } from "../../build/src/lab/queues/batch-size.js";
import { lineChart } from "../support/line-chart.mjs";
import { dealSites } from "./graph.mjs";
import { idealCrawl } from "./simulated-crawl.mjs";

const PROCESSORS = 4;
const MAX_ERROR = 0.05;
const TOLERANCES = [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000];

/**
 * The part of the error that are pages nobody had announced before the superstep: the others were known, and what was
 * under way could only have raised them. A crawl takes pages soon after they are found, so there both parts are large.
 */
function unknownError({ graph, order, processorOf, processors }, seeds, tolerance) {
  const known = new Uint8Array(graph.pages);
  for (const seed of seeds) known[seed] = 1;
  const isAnnounced = new Uint8Array(graph.pages);
  const buffered = new Uint32Array(processors);
  let announced = [];
  let supersteps = 0;
  let errors = 0;
  let taken = 0;
  let missed = 0;
  let isFull = false;
  for (const page of order) {
    taken++;
    if (isAnnounced[page] && !known[page]) missed++;
    if (isFull) {
      errors += missed / taken;
      supersteps++;
      for (const link of announced) {
        known[link] = 1;
        isAnnounced[link] = 0;
      }
      announced = [];
      buffered.fill(0);
      taken = 0;
      missed = 0;
      isFull = false;
    }
    for (let i = graph.offsets[page]; i < graph.offsets[page + 1]; i++) {
      const link = graph.targets[i];
      const owner = processorOf[link];
      if (owner === processorOf[page]) {
        known[link] = 1;
        continue;
      }
      if (!isAnnounced[link]) announced.push(link);
      isAnnounced[link] = 1;
      if (++buffered[owner] > tolerance) isFull = true;
    }
  }
  return errors / Math.max(1, supersteps);
}

export function predictor({ graph, rank, webs }) {
  const table = [];
  const series = {};
  const errors = {};
  const { siteOf, homes } = webs[0];
  const by = (worth) =>
    Uint32Array.from({ length: graph.pages }, (_, page) => page).sort(
      (a, b) => worth[b] - worth[a] || a - b,
    );
  const opic = idealCrawl(graph, [...homes]);
  const orders = {
    PageRank: by(rank),
    // The paper's variant: the queue of the predictor is ordered by the OPIC values of the earlier crawl.
    "OPIC value": by(opic.history),
    // The order in which a crawl by OPIC takes its pages: soon after they are found, so more often too early.
    "OPIC crawl": Uint32Array.from(opic.fetched),
  };
  const best = {};
  for (const [name, order] of Object.entries(orders)) {
    for (const messages of ["foreign", "all"]) {
      const processorOf = dealSites(siteOf, PROCESSORS);
      const sample = { graph, order, processorOf, processors: PROCESSORS, messages };
      const label = `${name}, ${messages} links`;
      series[label] = [];
      errors[label] = [];
      for (const tolerance of TOLERANCES) {
        const { batchSize, error, supersteps } = predictBatch(sample, tolerance);
        table.push({
          "ordered by": name,
          "links that count": messages,
          tolerance,
          R: batchSize,
          "error, %": Number((100 * error).toFixed(2)),
          ...(messages === "foreign" && {
            "of it unknown before, %": Number(
              (100 * unknownError(sample, homes, tolerance)).toFixed(2),
            ),
          }),
          supersteps,
        });
        series[label].push([tolerance, batchSize]);
        errors[label].push([tolerance, 100 * error]);
      }
      best[label] = findBatchSize(sample, MAX_ERROR) ?? "none: even tolerance 0 errs more";
    }
  }
  const below = {};
  const unknown = {};
  for (const row of table) {
    const label = `${row["ordered by"]}, ${row["links that count"]} links`;
    below[label] = (below[label] ?? true) && row["error, %"] < 100 * MAX_ERROR;
    const part = row["of it unknown before, %"];
    if (part !== undefined) unknown[label] = (unknown[label] ?? true) && part < 100 * MAX_ERROR;
  }
  return {
    title: `Figure 7: predicted R for ${PROCESSORS} processors`,
    table,
    data: {
      errorBelow5PercentAtEveryTolerance: below,
      unknownBelow5PercentAtEveryTolerance: unknown,
      largestWithErrorBelow5Percent: best,
    },
    svg: {
      "order-figure-7": lineChart({
        title: `Figure 7: predicted pages per processor and superstep, P = ${PROCESSORS}`,
        x: "tolerance, messages per processor",
        y: "R",
        series,
      }),
      "order-figure-7-error": lineChart({
        title: `Figure 7: error of these predictions, P = ${PROCESSORS}`,
        x: "tolerance, messages per processor",
        y: "pages taken before their messages came, %",
        series: errors,
      }),
    },
  };
}
