/** What the runs of a crawl did that no journal keeps, for the figures of all runs; in state/crawl.json. */
export interface RunHistory {
  /** Runs that were begun. */
  readonly runs: number;
  readonly seconds: number;
  /** Of runs that were killed only the seconds are known. */
  readonly cpuSeconds: number;
  readonly maxRssMiB: number;
  /** Counters of the crawl that each run begins at 0, added up; of peaks the largest. */
  readonly counted: Readonly<Record<string, number>>;
}

/** Of a crawl that begins. */
export const NO_RUNS: RunHistory = {
  runs: 0,
  seconds: 0,
  cpuSeconds: 0,
  maxRssMiB: 0,
  counted: {},
};
