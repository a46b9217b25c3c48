import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile, replaceWith } from "../files/replace-file.ts";
import { safeText, safeUri } from "../files/safe-text.ts";
import type { JournalView, ListedUrl } from "../finish/committed.ts";
import { sourceLine } from "../tree/tree-files.ts";
import { UrlList } from "./url-list.ts";

const TITLE = "URLs found and not crawled";
/** `endedBy` of a crawl that crashed. */
export const AFTER_CRASH = "recovered after a crash";

/** How many lines the lists have, titles left out. */
export interface ListCounts {
  readonly crawled: number;
  readonly uncrawled: number;
  /** Seeds among what was given; they are in neither list. */
  readonly seeds: number;
}

/** What the lists were made from, seeds included. */
export interface ListSums extends ListCounts {
  /** URLs that count as crawled, and those of `uncrawled.txt` that ended and that wait. */
  readonly allCrawled: number;
  readonly allFailed: number;
  readonly waiting: number;
}

/** URLs that were left, and how many more of those are seeds. */
export interface LeftUrls {
  readonly urls: readonly string[];
  readonly seeds: number;
}

/** What statistics.txt holds beside the counts; "unknown" what is absent because it was lost in a crash. */
export interface RunFacts extends Readonly<Partial<Record<keyof typeof ROWS, number>>> {
  /** Why the crawl ended, in words: "no URL was left", "--max-pages 100", "SIGINT", "recovered after a crash". */
  readonly endedBy: string;
}

/** The rows of figures, in their order, and how they are called. */
const ROWS = {
  runs: "runs",
  pages: "pages",
  pagesOfRun: "pages of this run",
  bytes: "bytes",
  bytesOfRun: "bytes of this run",
  seconds: "duration in seconds",
  secondsOfRun: "duration of this run in seconds",
  threads: "threads",
  buffers: "buffers",
} as const;

/** The URLs of the lists. */
export interface Listed {
  readonly ended: Iterable<ListedUrl>;
  /** Calls `add` for each of more that have ended, before all others, or adds one whose bytes are at hand to `crawled`. */
  readonly eachStored?: ((crawled: UrlList, add: (url: ListedUrl) => void) => void) | undefined;
  /** Wait, as far as no journal holds them. */
  readonly left: Iterable<LeftUrls>;
  /** Calls back for each URL that waits, as bytes of a journal: there may be millions. */
  readonly eachWaiting: JournalView["eachWaiting"];
}

/**
 * Writes reports/crawled.txt (a line `URL<TAB>source URL` per crawled URL) and reports/uncrawled.txt (a title, then a
 * URL per line); seeds are in neither, because they were given, not found. So the URLs found are the lines of both, less one.
 */
export function writeLists(
  reports: string,
  { ended, eachStored, left, eachWaiting }: Listed,
): ListSums {
  return replaceFile(join(reports, "crawled.txt"), (crawledFile) =>
    replaceFile(join(reports, "uncrawled.txt"), (uncrawledFile) => {
      const crawled = new UrlList(crawledFile);
      const uncrawled = new UrlList(uncrawledFile);
      uncrawled.title(TITLE);
      const add = ({ url, source, failed }: ListedUrl): void => {
        if (failed === true) uncrawled.add(safeUri(url), source === "");
        else crawled.add(sourceLine(url, source), source === "");
      };
      eachStored?.(crawled, add);
      for (const each of ended) add(each);
      const allFailed = uncrawled.all;
      for (const { urls, seeds } of left) {
        for (const url of urls) uncrawled.add(safeUri(url), false);
        uncrawled.seeds += seeds;
      }
      eachWaiting((link) => uncrawled.addWaiting(link));
      for (const list of [crawled, uncrawled]) list.flush();
      return {
        crawled: crawled.lines,
        uncrawled: uncrawled.lines,
        seeds: crawled.seeds + uncrawled.seeds,
        allCrawled: crawled.all,
        allFailed,
        waiting: uncrawled.all - allFailed,
      };
    }),
  );
}

/** Writes reports/statistics.txt. */
export function writeStatistics(reports: string, counts: ListCounts, facts: RunFacts): void {
  const rows: [string, string | number][] = [
    ["total new URLs", counts.crawled + counts.uncrawled],
    ["crawled", counts.crawled],
    ["not crawled", counts.uncrawled],
    ["seeds", counts.seeds],
    ...Object.entries(ROWS).map(([name, row]): [string, string | number] => {
      const value = facts[name as keyof typeof ROWS];
      if (value === undefined) return [row, "unknown"];
      return [row, row.endsWith("seconds") ? value.toFixed(3) : value];
    }),
    ["ended by", safeText(facts.endedBy)],
  ];
  const text = rows.map(([name, value]) => `${name}: ${value}\n`).join("");
  replaceWith(join(reports, "statistics.txt"), text);
}

/** The rows of statistics.txt, by name; empty when it is not there. */
export function readStatistics(reports: string): ReadonlyMap<string, string> {
  const path = join(reports, "statistics.txt");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const rows = [...text.matchAll(/^([^:\n]+): (.*)$/gm)];
  return new Map(rows.map(([, name, value]) => [name!, value!]));
}

/** What an earlier statistics.txt holds about the run. */
export function readRunFacts(reports: string): RunFacts {
  const rows = readStatistics(reports);
  const facts: Record<string, number> = {};
  for (const [name, row] of Object.entries(ROWS)) {
    const value = Number(rows.get(row));
    if (!Number.isNaN(value)) facts[name] = value;
  }
  return { ...facts, endedBy: rows.get("ended by") ?? AFTER_CRASH };
}
