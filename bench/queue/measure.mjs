// One run of the benchmark's workload, and the spread of several.
import { measureQueue } from "../../build/src/lab/workload/workload.js";

export { cpuUs, measureQueue as measure } from "../../build/src/lab/workload/workload.js";

/** Comparisons per pair only: no clock, deterministic. */
export function comparisons(queue, next, workload) {
  return measureQueue(queue, next, workload).comparisonsPerPair;
}

/** Median, least and most of repetitions. */
export function spread(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted.at(-1), samples };
}
