import type { CounterName, Totals } from "../stats/counters.ts";
import type { RunHistory } from "../store/folder/run-history.ts";

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

/** What one run of a crawl has done, or all of its runs together. */
export interface RunFigures {
  /** Committed 2xx responses. */
  readonly pages: number;
  readonly failed: number;
  readonly refused: number;
  /** Bytes of response bodies as received. */
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssMiB: number;
  readonly pagesPerSecond: number;
}

/** Everything else that is counted, for reports/summary.json. */
export interface MoreFigures {
  readonly redirects: number;
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
}

/** The figures of a crawl, as `--json` prints them: of all runs, and in `thisRun` of the newest one. */
export interface CrawlSummary extends RunFigures {
  readonly ended: CrawlEnding;
  readonly urlsKnown: number;
  /** Ended as page, redirect, sitemap or unchanged. */
  readonly urlsCrawled: number;
  readonly urlsQueued: number;
  readonly out: string;
  /** The limit that ended the crawl; null for another end. */
  readonly limit: Limit | null;
  /** The command that goes on with the crawl; null when nothing is left, or a shared frontier forgot it. */
  readonly next: string | null;
  /** Why nothing could be fetched: what became of the first seeds. Empty when there is a page. */
  readonly seedFaults: readonly SeedFault[];
  /** URLs admitted that neither ended nor wait: not 0 only with an unsynchronised frontier, after damage, or a shared one that was broken off. */
  readonly urlsLost: number;
  /** Not 0 only with an unsynchronised frontier, which hands out some URLs twice. */
  readonly urlsTakenTwice: number;
  /** How many runs the crawl has had. */
  readonly runs: number;
  readonly thisRun: RunFigures;
  /** What does not add up, in words; empty when everything does. */
  readonly selfCheck: readonly string[];
}

/** Everything that is counted, for reports/summary.json. */
export interface CrawlReport extends CrawlSummary, MoreFigures {
  /** URLs that this run gave up waiting for. */
  readonly unavailable: number;
  /** Where the time of the crawler threads of this run went, summed over them, in seconds; builders are not among them. */
  readonly stages: StageSeconds;
  /** From the moment the supervisor learnt of the end until all worker threads had closed their files. */
  readonly endingMs: number;
  readonly thisRun: RunFigures & MoreFigures;
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
  /** Of this run. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssMiB: number;
  readonly endingMs: number;
  /** What the counters were when this run began: what earlier runs did, from the journals. */
  readonly before: Totals;
  /** What earlier runs did that no journal keeps. */
  readonly history: RunHistory;
  readonly limit: Limit | null;
  readonly next: string | null;
  readonly seedFaults: readonly SeedFault[];
}

/** What is known of the URLs when everything is on disk. */
export interface UrlSums {
  readonly queued: number;
  readonly lost: number;
  readonly problems: readonly string[];
}

/** Whether a crawl has ended by itself without a page. */
export function isEmpty(totals: Totals, ended: CrawlEnding): boolean {
  return ended === "finished" && totals.pages + totals.unchanged + totals.sitemaps === 0;
}

/** The figures that `--json` prints. */
export function summaryOf(totals: Totals, measured: Measured, urls: UrlSums): CrawlSummary {
  const { ended, out, limit, next, seedFaults, history, before } = measured;
  const { pages, failed, refused, bytes, ...all } = allRuns(totals, measured);
  return {
    ended,
    pages,
    failed,
    refused,
    urlsKnown: totals.known,
    urlsCrawled: crawledIn(totals),
    urlsQueued: urls.queued,
    bytes,
    ...all,
    out,
    limit,
    next,
    seedFaults,
    urlsLost: urls.lost,
    urlsTakenTwice: totals.takenTwice,
    runs: history.runs + 1,
    thisRun: figures(totals, before, measured),
    selfCheck: urls.problems,
  };
}

/** The summary and everything else that was counted. */
export function reportOf(totals: Totals, measured: Measured, urls: UrlSums): CrawlReport {
  const { history, before } = measured;
  const summary = summaryOf(totals, measured, urls);
  return {
    ...summary,
    ...moreFigures(withHistory(totals, history.counted)),
    unavailable: totals.unavailable,
    stages: {
      networkWait: round(totals.networkWaitMs / 1000),
      read: round(totals.readMs / 1000),
      follow: round(totals.followMs / 1000),
      store: round(totals.storeMs / 1000),
      commit: round(totals.commitMs / 1000),
    },
    endingMs: round(measured.endingMs),
    thisRun: { ...summary.thisRun, ...moreFigures(differenceOf(totals, before)) },
  };
}

/** What the history of a crawl is when a run has ended. */
export function historyAfter(totals: Totals, measured: Measured): RunHistory {
  const { history } = measured;
  const { seconds, cpuSeconds, maxRssMiB } = allRuns(totals, measured);
  const all = withHistory(totals, history.counted);
  const counted = Object.fromEntries([...SUMMED, ...PEAKS].map((name) => [name, all[name]]));
  return { runs: history.runs + 1, seconds, cpuSeconds, maxRssMiB, counted };
}

/** URLs that count as crawled; the others that ended are `failed` and `refused`. */
export function crawledIn({ pages, redirects, sitemaps, unchanged }: Totals): number {
  return pages + redirects + sitemaps + unchanged;
}

/** Counters that journals do not keep: each run begins them at 0. */
const SUMMED = [
  "retries",
  "robotsFetched",
  "trapped",
  "skipped",
  "linksDropped",
  "debugDropped",
  "foreignBlocks",
  "exchanges",
  "exchangeVisits",
] as const satisfies readonly CounterName[];

const PEAKS = ["maxNextUrls", "maxInFlight"] as const satisfies readonly CounterName[];

/** Counters of this run with those of the runs before it. */
function withHistory(totals: Totals, counted: RunHistory["counted"]): Totals {
  const all = { ...totals };
  for (const name of SUMMED) all[name] += counted[name] ?? 0;
  for (const name of PEAKS) all[name] = Math.max(all[name], counted[name] ?? 0);
  return all;
}

function differenceOf(totals: Totals, before: Totals): Totals {
  const names = Object.keys(totals) as CounterName[];
  return Object.fromEntries(names.map((name) => [name, totals[name] - before[name]])) as Totals;
}

function allRuns(totals: Totals, measured: Measured): RunFigures {
  const { history, seconds, cpuSeconds, maxRssMiB } = measured;
  return figures(totals, undefined, {
    seconds: history.seconds + seconds,
    cpuSeconds: history.cpuSeconds + cpuSeconds,
    maxRssMiB: Math.max(history.maxRssMiB, maxRssMiB),
  });
}

function figures(
  totals: Totals,
  before: Totals | undefined,
  { seconds, cpuSeconds, maxRssMiB }: Pick<Measured, "seconds" | "cpuSeconds" | "maxRssMiB">,
): RunFigures {
  const pages = totals.pages - (before?.pages ?? 0);
  return {
    pages,
    failed: totals.failed - (before?.failed ?? 0),
    refused: totals.refused - (before?.refused ?? 0),
    bytes: totals.bytes - (before?.bytes ?? 0),
    seconds: round(seconds),
    cpuSeconds: round(cpuSeconds),
    maxRssMiB: round(maxRssMiB),
    pagesPerSecond: seconds > 0 ? round(pages / seconds) : 0,
  };
}

function moreFigures(counted: Totals): MoreFigures {
  return {
    redirects: counted.redirects,
    retries: counted.retries,
    robotsFetched: counted.robotsFetched,
    sitemaps: counted.sitemaps,
    unchanged: counted.unchanged,
    trapped: counted.trapped,
    linksSkipped: counted.skipped,
    linksDropped: counted.linksDropped,
    debugLinesDropped: counted.debugDropped,
    foreignBlocks: counted.foreignBlocks,
    lateOwn: counted.lateOwn,
    lateForeign: counted.lateForeign,
    exchanges: counted.exchanges,
    exchangeSize: round(counted.exchangeVisits / Math.max(1, counted.exchanges)),
    maxNextUrls: counted.maxNextUrls,
    maxInFlight: counted.maxInFlight,
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
