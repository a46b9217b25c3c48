import { UsageError } from "../errors.ts";
import type { Experiment } from "./experiment.ts";

/** An experiment that is loaded when it is used. */
export interface ExperimentEntry {
  readonly name: string;
  readonly document: Experiment["document"];
  readonly summary: string;
  load(): Promise<Experiment>;
}

/** All experiments, document by document. A new one is a module in experiments/ and an entry here. */
export const EXPERIMENTS: readonly ExperimentEntry[] = [
  {
    name: "locks",
    document: "000",
    summary:
      "pages against threads for every locking technique (figures 13 to 16), with what waiting costs",
    load: async () => (await import("./experiments/locks.ts")).experiment,
  },
  {
    name: "collapse",
    document: "000",
    summary: "the monitor that collapses at twice the frontier size (figures 16 to 18)",
    load: async () => (await import("./experiments/collapse.ts")).experiment,
  },
  {
    name: "buffers",
    document: "001",
    summary: "how fast the URL tree grows with 1, 3 and 6 buffers, and who writes (figures 7 to 9)",
    load: async () => (await import("./experiments/buffers.ts")).experiment,
  },
  {
    name: "verification",
    document: "001",
    summary: "the eight assertions with and without the lock (appendix A and B)",
    load: async () => (await import("./experiments/verification.ts")).experiment,
  },
  {
    name: "race",
    document: "001",
    summary: "the data race on the URL tree, replayed in threads (part 3)",
    load: async () => (await import("./experiments/race-replays.ts")).experiment,
  },
  {
    name: "links-per-thread",
    document: "003",
    summary: "seconds by threads, links per thread and pages; rounds against continuous (table 1)",
    load: async () => (await import("./experiments/links-per-thread.ts")).experiment,
  },
  {
    name: "queues",
    document: "002",
    summary:
      "comparisons, block transfers and threads of bulk priority queues (figures 8-10, table 1)",
    load: async () => (await import("./experiments/queues.ts")).experiment,
  },
  {
    name: "supersteps",
    document: "002",
    summary: "updates that come too late when processors exchange in bulk (figure 6)",
    load: async () => (await import("./experiments/supersteps.ts")).experiment,
  },
  {
    name: "predictor",
    document: "002",
    summary: "how many pages to fetch between two exchanges (figure 7)",
    load: async () => (await import("./experiments/predictor.ts")).experiment,
  },
  {
    name: "threads",
    document: "004",
    summary: "pages per second against requests in flight (table 1)",
    load: async () => (await import("./experiments/threads.ts")).experiment,
  },
  {
    name: "corpus",
    document: "004",
    summary: "what a collected corpus looks like (tables 2 and 3, figures 1-3)",
    load: async () => (await import("./experiments/corpus.ts")).experiment,
  },
  {
    name: "order",
    document: "ours",
    summary: "PageRank collected against pages: OPIC, breadth first, depth first, random",
    load: async () => (await import("./experiments/order.ts")).experiment,
  },
  {
    name: "tune",
    document: "ours",
    summary: "the best threads, links per thread and builders here, as a configuration file",
    load: async () => (await import("./experiments/tune.ts")).experiment,
  },
  {
    name: "faults",
    document: "ours",
    summary: "kill -9 and resume: pages lost, fetched twice, recovery time",
    load: async () => (await import("./experiments/fault-drill.ts")).experiment,
  },
];

/** The experiments with these names, in the order of the list; "all" is every one. */
export function experimentsNamed(names: readonly string[]): ExperimentEntry[] {
  const known = EXPERIMENTS.map(({ name }) => name);
  const unknown = names.find((name) => name !== "all" && !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`there is no experiment "${unknown}"; use all, ${known.join(", ")}`);
  }
  if (names.length === 0) {
    throw new UsageError(`name an experiment: all, ${known.join(", ")}`);
  }
  return EXPERIMENTS.filter(({ name }) => names.includes(name) || names.includes("all"));
}

/** The list for people: one experiment a line, its name first. */
export function listExperiments(): string {
  const width = Math.max(0, ...EXPERIMENTS.map(({ name }) => name.length));
  return EXPERIMENTS.map(
    ({ name, document, summary }) => `${name.padEnd(width)}  ${document.padEnd(4)}  ${summary}\n`,
  ).join("");
}
