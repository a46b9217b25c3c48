import type { Totals } from "../stats/counters.ts";

/** How a crawl ended, in the terms of the command line. */
export type CrawlEnding = "finished" | "limit" | "interrupted";

/** A limit that ended a crawl, in the words of the command line. */
export interface Limit {
  /** The option, such as "--max-pages". */
  readonly option: string;
  /** What it was set to, as it is written on a command line. */
  readonly value: string;
  /** What was reached, in pages, bytes or seconds. */
  readonly reached: number;
}

/** Why a seed could not be fetched. */
export interface SeedFault {
  readonly url: string;
  readonly outcome: string;
  /** A stable code of docs/outcomes.md. */
  readonly error: string;
  /** The same in words. */
  readonly reason: string;
}

/** So many are told; all of them are in logs/crawl.jsonl. */
export const MAX_SEED_FAULTS = 20;

/** The figures of a crawl, as `--json` prints them. */
export interface CrawlSummary {
  readonly ended: CrawlEnding;
  /** Committed 2xx responses. */
  readonly pages: number;
  readonly failed: number;
  readonly refused: number;
  readonly urlsKnown: number;
  readonly urlsQueued: number;
  /** Bytes of response bodies as received. */
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssMiB: number;
  readonly out: string;
  /** The limit that ended the crawl; null for another end. */
  readonly limit: Limit | null;
  /** The command that goes on with the crawl; null when nothing is left, or a shared frontier forgot it. */
  readonly next: string | null;
  /** Why nothing could be fetched: what became of the first seeds. Empty when there is a page. */
  readonly seedFaults: readonly SeedFault[];
  /** Not 0 only with an unsynchronised frontier, which loses URLs and hands out some twice. */
  readonly urlsLost: number;
  readonly urlsTakenTwice: number;
}

/** Everything that is counted, for reports/summary.json. */
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
  /** Links to pages that had been fetched already, from the same shard and from others: credits too late for `--order opic`. */
  readonly lateOwn: number;
  readonly lateForeign: number;
  /** Exchanges of cash between shards, and the average number of visits of a thread between two. */
  readonly exchanges: number;
  readonly exchangeSize: number;
  /** Most URLs that were ready to be taken at once, summed over the threads' own peaks. */
  readonly maxNextUrls: number;
  /** Most requests in flight at once, summed over the threads' own peaks. */
  readonly maxInFlight: number;
  /** Where the time of the crawler threads went, summed over them, in seconds; builders are not among them. */
  readonly stages: StageSeconds;
  /** From the moment the supervisor learnt of the end until all worker threads had closed their files. */
  readonly endingMs: number;
}

/** Seconds by stage of a visit. */
export interface StageSeconds {
  /** From the start of a fetch to its outcome: many at a time, so more than the time that passed. */
  readonly networkWait: number;
  /** Decoding and parsing. */
  readonly read: number;
  /** Deciding which links to visit. */
  readonly follow: number;
  /** Handing records to a builder. */
  readonly store: number;
  /** Rounds of the loop: settling visits, taking URLs, exchanging blocks. */
  readonly commit: number;
}

/** What the supervisor measures in addition to the counters. */
export interface Measured {
  readonly ended: CrawlEnding;
  readonly out: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssMiB: number;
  readonly endingMs: number;
  /** Whether the frontier is one that loses URLs. */
  readonly losesUrls: boolean;
  readonly limit: Limit | null;
  readonly next: string | null;
  readonly seedFaults: readonly SeedFault[];
}

/** Whether a crawl has ended by itself without a page. */
export function isEmpty(totals: Totals, ended: CrawlEnding): boolean {
  return ended === "finished" && totals.pages + totals.unchanged + totals.sitemaps === 0;
}

/** The figures that `--json` prints. */
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
    limit: measured.limit,
    next: measured.next,
    seedFaults: measured.seedFaults,
    urlsLost: measured.losesUrls ? urlsLost(totals, measured) : 0,
    urlsTakenTwice: totals.takenTwice,
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
    lateOwn: totals.lateOwn,
    lateForeign: totals.lateForeign,
    exchanges: totals.exchanges,
    exchangeSize: round(totals.exchangeVisits / Math.max(1, totals.exchanges)),
    maxNextUrls: totals.maxNextUrls,
    maxInFlight: totals.maxInFlight,
    stages: {
      networkWait: round(totals.networkWaitMs / 1000),
      read: round(totals.readMs / 1000),
      follow: round(totals.followMs / 1000),
      store: round(totals.storeMs / 1000),
      commit: round(totals.commitMs / 1000),
    },
    endingMs: round(measured.endingMs),
  };
}

/**
 * URLs that were known, never taken ("taken" counts each once), and do not wait for a later run. What a finished crawl
 * leaves in its queue is lost as well: URLs handed out twice were counted down twice, so the crawl ended too early.
 */
function urlsLost({ known, taken, queued }: Totals, { ended }: Measured): number {
  return known - taken - (ended === "finished" ? 0 : queued);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
