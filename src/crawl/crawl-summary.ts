import type { Totals } from "../stats/counters.ts";

/** How a crawl ended, in the terms of the command line. */
export type CrawlEnding = "finished" | "limit" | "interrupted";

/** The figures of a crawl, as `--json` prints them. */
export interface CrawlSummary {
  readonly ended: CrawlEnding;
  /** Committed 2xx responses. */
  readonly pages: number;
  readonly failed: number;
  readonly refused: number;
  readonly urlsKnown: number;
  readonly urlsQueued: number;
  /** Bytes of response bodies as they came. */
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssMiB: number;
  readonly out: string;
}

/** Everything that was counted, for reports/summary.json. */
export interface CrawlReport extends CrawlSummary {
  readonly redirects: number;
  readonly unavailable: number;
  readonly retries: number;
  readonly robotsFetched: number;
  /** Sitemaps and feeds read; they are no pages. */
  readonly sitemaps: number;
  /** Pages that have not changed since the crawl named by --recrawl. */
  readonly unchanged: number;
  /** URLs not fetched because they belong to a trap. */
  readonly trapped: number;
  readonly linksSkipped: number;
  readonly linksDropped: number;
  readonly debugLinesDropped: number;
  readonly foreignBlocks: number;
  /** Only an unsynchronised frontier loses URLs and gives some out twice. */
  readonly urlsLost: number;
  readonly urlsTakenTwice: number;
  /** Links to pages that were fetched before, from the same shard and from others: what `--order opic` came too late for. */
  readonly lateOwn: number;
  readonly lateForeign: number;
  /** Exchanges of cash between shards, and how many visits of a thread lay between two on average. */
  readonly exchanges: number;
  readonly exchangeSize: number;
  /** URLs that were next when a place became free: most at once, summed over the threads' own peaks. */
  readonly maxNextUrls: number;
  /** Most requests in flight at once, summed over the threads' own peaks. */
  readonly maxInFlight: number;
  /** From the release of the last URL, as the supervisor heard of it, to the moment all files were closed and joined. */
  readonly endingMs: number;
}

/** What the supervisor measured beside the counters. */
export interface Measured {
  readonly ended: CrawlEnding;
  readonly out: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssMiB: number;
  readonly endingMs: number;
  /** Was the frontier one that loses URLs? */
  readonly losesUrls: boolean;
}

/** The figures of `--json`, and nothing else. */
export function summaryOf(totals: Totals, measured: Measured): CrawlSummary {
  return {
    ended: measured.ended,
    pages: totals.pages,
    failed: totals.failed,
    refused: totals.refused,
    urlsKnown: totals.known,
    urlsQueued: totals.queued + totals.unavailable,
    bytes: totals.bytes,
    seconds: round(measured.seconds),
    cpuSeconds: round(measured.cpuSeconds),
    maxRssMiB: round(measured.maxRssMiB),
    out: measured.out,
  };
}

/** The summary and everything else that was counted. */
export function reportOf(totals: Totals, measured: Measured): CrawlReport {
  return {
    ...summaryOf(totals, measured),
    redirects: totals.redirects,
    unavailable: totals.unavailable,
    retries: totals.retries,
    robotsFetched: totals.robotsFetched,
    sitemaps: totals.sitemaps,
    unchanged: totals.unchanged,
    trapped: totals.trapped,
    linksSkipped: totals.skipped,
    linksDropped: totals.linksDropped,
    debugLinesDropped: totals.debugDropped,
    foreignBlocks: totals.foreignBlocks,
    // "taken" counts each URL once, however often it was taken.
    urlsLost: measured.losesUrls ? totals.known - totals.taken - leftBehind(totals, measured) : 0,
    urlsTakenTwice: totals.takenTwice,
    lateOwn: totals.lateOwn,
    lateForeign: totals.lateForeign,
    exchanges: totals.exchanges,
    exchangeSize: round(totals.exchangeVisits / Math.max(1, totals.exchanges)),
    maxNextUrls: totals.maxNextUrls,
    maxInFlight: totals.maxInFlight,
    endingMs: round(measured.endingMs),
  };
}

/**
 * URLs that wait when the crawl ends. What a finished crawl leaves in its frontier is lost like the rest: URLs that
 * were given out twice were counted down twice, so the crawl took itself for finished while others waited.
 */
function leftBehind(totals: Totals, { ended }: Measured): number {
  return ended === "finished" ? 0 : totals.queued;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
