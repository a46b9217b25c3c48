import type { CrawlConfig } from "../config/schema.ts";
import type { Totals } from "../stats/counters.ts";
import { totals } from "../stats/counters.ts";
import type { CrawlActivity, Figures } from "../stats/crawl-figures.ts";
import { failuresIn } from "../stats/failure-counts.ts";
import { hostsIn } from "../stats/host-rows.ts";
import { latencyIn } from "../stats/latency-counts.ts";
import type { CrawlProgress } from "./events.ts";
import type { CrawlMemory } from "./shared-memory.ts";
import { FAILURE_CODES } from "./visit/error-codes.ts";

/** What the supervisor knows beside the shared memory. */
export interface Sampled {
  readonly progress: CrawlProgress;
  readonly config: CrawlConfig;
  readonly state: CrawlActivity;
  readonly cpuSeconds: number;
  readonly busy: number;
  readonly diskWaits: boolean;
}

type Memory = Pick<CrawlMemory, "counters" | "failures" | "latency" | "hostRows" | "threads">;

/** The figures of a crawl at this moment. */
export function sampleFigures(memory: Memory, sampled: Sampled, sums?: Totals): Figures {
  const { progress, config } = sampled;
  const counted = sums ?? totals(memory.counters);
  const seconds = (ms: number) => round(ms / 1000);
  return {
    version: 1,
    time: new Date().toISOString(),
    state: sampled.state,
    run: progress.runs,
    seconds: round(progress.seconds),
    runSeconds: round(progress.thisRun.seconds),
    pages: counted.pages,
    failed: counted.failed,
    refused: counted.refused,
    redirects: counted.redirects,
    sitemaps: counted.sitemaps,
    unchanged: counted.unchanged,
    bytes: counted.bytes,
    known: counted.known,
    queued: counted.queued,
    inFlight: counted.inFlight,
    hostsWaiting: counted.hostsWaiting,
    uncommitted: counted.uncommitted,
    threads: memory.threads,
    places: counted.places,
    congested: counted.congested,
    diskWaits: sampled.diskWaits,
    busy: round(sampled.busy),
    rssBytes: progress.rssBytes,
    hosts: hostsIn(memory.hostRows, memory.threads),
    retries: counted.retries,
    robotsFetched: counted.robotsFetched,
    trapped: counted.trapped,
    linksSkipped: counted.skipped,
    unavailable: counted.unavailable,
    cpuSeconds: round(sampled.cpuSeconds),
    stages: {
      network: seconds(counted.networkWaitMs),
      read: seconds(counted.readMs),
      follow: seconds(counted.followMs),
      store: seconds(counted.storeMs),
      commit: seconds(counted.commitMs),
    },
    errors: failuresIn(memory.failures, FAILURE_CODES),
    latency: latencyIn(memory.latency),
    limits: {
      pages: config.maxPages ?? null,
      bytes: config.maxBytes ?? null,
      seconds: config.maxTimeMs === undefined ? null : config.maxTimeMs / 1000,
    },
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
