import { type Latency, NO_LATENCY } from "./latency-counts.ts";

/** What a crawl is doing. */
export type CrawlActivity =
  | "starting"
  | "running"
  | "paused"
  | "stopping"
  | "finished"
  | "limit"
  | "interrupted"
  /** Its process is gone and has not said why. */
  | "died";

/** Seconds that the stages of visits took, all threads together, in this run. */
export interface StageTimes {
  /** From the start of a fetch to its outcome: many at a time, so more than the time that passed. */
  readonly network: number;
  readonly read: number;
  readonly follow: number;
  readonly store: number;
  readonly commit: number;
}

/** Limits that a crawl was given; null for those it has not. */
export interface CrawlLimits {
  readonly pages: number | null;
  readonly bytes: number | null;
  readonly seconds: number | null;
}

/**
 * The figures of a crawl at one moment. The supervisor takes them from shared memory; terminal, dashboard, metrics, reports and
 * laboratory all show these, and each line of reports/series.jsonl is one of them.
 */
export interface Figures {
  readonly version: 1;
  readonly time: string;
  readonly state: CrawlActivity;
  /** Number of the run, from 1 on. */
  readonly run: number;
  /** Of all runs, and of this one. */
  readonly seconds: number;
  readonly runSeconds: number;

  // Of all runs, as the journals keep them.
  readonly pages: number;
  readonly failed: number;
  readonly refused: number;
  readonly redirects: number;
  readonly sitemaps: number;
  readonly unchanged: number;
  readonly bytes: number;
  readonly known: number;

  // Now.
  readonly queued: number;
  readonly inFlight: number;
  readonly hostsWaiting: number;
  /** Pages fetched and not yet safe. */
  readonly uncommitted: number;
  readonly threads: number;
  /** Requests that all threads together may have in flight. */
  readonly places: number;
  /** Threads that wait for a builder: the disk is slower than the network. */
  readonly congested: number;
  /** The disk is full or fails, and the crawl waits for it. */
  readonly diskWaits: boolean;
  /** The busy share of the crawler threads since the line before, from 0 to 1, on average. */
  readonly busy: number;
  readonly rssBytes: number;

  // Of this run.
  readonly hosts: number;
  readonly retries: number;
  readonly robotsFetched: number;
  readonly trapped: number;
  readonly linksSkipped: number;
  readonly unavailable: number;
  /** Of the whole process. */
  readonly cpuSeconds: number;
  readonly stages: StageTimes;
  /** URLs that failed, were refused or were given up, by code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly latency: Latency;
  readonly limits: CrawlLimits;
}

/** Of a crawl of which nothing is known. */
export const NO_FIGURES: Figures = {
  version: 1,
  time: new Date(0).toISOString(),
  state: "starting",
  run: 1,
  seconds: 0,
  runSeconds: 0,
  pages: 0,
  failed: 0,
  refused: 0,
  redirects: 0,
  sitemaps: 0,
  unchanged: 0,
  bytes: 0,
  known: 0,
  queued: 0,
  inFlight: 0,
  hostsWaiting: 0,
  uncommitted: 0,
  threads: 0,
  places: 0,
  congested: 0,
  diskWaits: false,
  busy: 0,
  rssBytes: 0,
  hosts: 0,
  retries: 0,
  robotsFetched: 0,
  trapped: 0,
  linksSkipped: 0,
  unavailable: 0,
  cpuSeconds: 0,
  stages: { network: 0, read: 0, follow: 0, store: 0, commit: 0 },
  errors: {},
  latency: NO_LATENCY,
  limits: { pages: null, bytes: null, seconds: null },
};

/** Adds up counts by name. */
export function addCounts(
  some: Readonly<Record<string, number>>,
  others: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums: Record<string, number> = { ...some };
  for (const [name, count] of Object.entries(others)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
