import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CrawlConfig } from "../../config/schema.ts";
import { StoreCorruptError } from "../../errors.ts";
import { NO_LIMIT, type TimeLimit, TimeUpError } from "../../runtime/time-limit.ts";
import type { Totals } from "../../stats/counters.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import { crawlPaths, readCrawlState } from "../../store/folder/crawl-folder.ts";
import { type ListSource, writeResults } from "../../store/reports/crawl-results.ts";
import {
  AFTER_CRASH,
  type ListSums,
  type RunFacts,
  readRunFacts,
} from "../../store/reports/result-lists.ts";
import { BufferPlan } from "../buffer-plan.ts";
import { type CrawlReport, type Measured, summaryOf, type UrlSums } from "../crawl-summary.ts";
import { topPages } from "./top-pages.ts";

/** What the reports are made from. */
export interface ReportSource {
  readonly totals: Totals;
  readonly measured: Measured;
  readonly source: ListSource;
}

/** Writes the result lists and reports/statistics.txt. */
export function writeRunResults(
  out: string,
  config: CrawlConfig,
  { totals, measured, source }: ReportSource,
): ListSums {
  const { pages, bytes, seconds, runs, thisRun } = summaryOf(totals, measured, NO_URLS);
  mkdirSync(crawlPaths(out).reports, { recursive: true });
  const facts: RunFacts = {
    runs,
    pages,
    pagesOfRun: thisRun.pages,
    bytes,
    bytesOfRun: thisRun.bytes,
    seconds,
    secondsOfRun: thisRun.seconds,
    threads: config.threads,
    buffers: new BufferPlan(config).count,
    endedBy: endedBy(measured),
  };
  return writeResults(out, facts, source);
}

/** Where the figures of URLs do not matter. */
const NO_URLS: UrlSums = { queued: 0, lost: 0, problems: [] };

/** Writes reports/summary.json and reports/seeds.json. */
export function writeSummary(
  out: string,
  { seeds, rejectedSeeds }: CrawlConfig,
  report: CrawlReport,
): void {
  const { reports } = crawlPaths(out);
  writeJson(join(reports, "summary.json"), report);
  writeJson(join(reports, "seeds.json"), { seeds, rejected: rejectedSeeds });
}

/** Writes reports/top-pages.json for a crawl ordered by cash. False when the time did not suffice. */
export function writeTopPages(out: string, limit: TimeLimit = NO_LIMIT): boolean {
  try {
    writeJson(join(crawlPaths(out).reports, "top-pages.json"), topPages(out, limit));
    return true;
  } catch (fault) {
    if (fault instanceof TimeUpError) return false;
    throw fault;
  }
}

/** Facts about the newest run: from its statistics, or from its configuration if it crashed. */
export function readNewestRun(out: string): RunFacts {
  const config = configAfterCrash(out);
  if (config?.threads === undefined) return readRunFacts(crawlPaths(out).reports);
  return {
    threads: config.threads,
    buffers: new BufferPlan(config).count,
    endedBy: AFTER_CRASH,
  };
}

function configAfterCrash(out: string): CrawlConfig | undefined {
  try {
    const state = readCrawlState(out);
    return state?.ended === "running" ? (state.config as CrawlConfig) : undefined;
  } catch (fault) {
    if (fault instanceof StoreCorruptError) return undefined;
    throw fault;
  }
}

/** Why the crawl ended, in words; for a limit, the one that was reached. */
function endedBy({ ended, limit }: Measured): string {
  if (limit !== null) return `${limit.option} ${limit.value}`;
  return ended === "interrupted" ? "interrupted" : "no URL was left";
}

/** Writes an object for people and programs. */
export function writeJson(path: string, value: object): void {
  replaceFile(path, (file) => file.write(Buffer.from(`${JSON.stringify(value, null, 2)}\n`)));
}
