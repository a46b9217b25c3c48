import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile, replaceWith } from "../files/replace-file.ts";
import { safeText, safeUri } from "../files/safe-text.ts";
import type { FoundUrl, JournalView } from "../finish/committed.ts";
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

/** What statistics.txt holds beside the counts; "unknown" what was lost in a crash. */
export interface RunFacts {
  readonly seconds: number | "unknown";
  readonly threads: number | "unknown";
  readonly buffers: number | "unknown";
  /** Why the crawl ended, in words: "no URL was left", "--max-pages 100", "SIGINT", "recovered after a crash". */
  readonly endedBy: string;
}

/** The URLs of the lists. */
export interface Listed {
  readonly crawled: Iterable<FoundUrl>;
  /** Ended without an answer. */
  readonly unanswered: Iterable<FoundUrl>;
  /** Calls back for each URL that waits, as bytes of a journal: there may be millions. */
  readonly eachWaiting: JournalView["eachWaiting"];
}

/**
 * Writes reports/crawled.txt (a line `URL<TAB>source URL` per crawled URL) and reports/uncrawled.txt (a title, then a
 * URL per line); seeds are in neither, because they were given, not found. So the URLs found are the lines of both, less one.
 */
export function writeLists(
  reports: string,
  { crawled, unanswered, eachWaiting }: Listed,
): ListCounts {
  let seeds = 0;
  const write = (name: string, fill: (list: UrlList) => void): number =>
    replaceFile(join(reports, name), (file) => {
      const list = new UrlList(file);
      fill(list);
      list.flush();
      seeds += list.seeds;
      return list.lines;
    });
  const done = write("crawled.txt", (list) => {
    for (const { url, source } of crawled) list.add(sourceLine(url, source), source === "");
  });
  const left = write("uncrawled.txt", (list) => {
    list.title(TITLE);
    for (const { url, source } of unanswered) list.add(safeUri(url), source === "");
    eachWaiting((link) => list.addWaiting(link));
  });
  return { crawled: done, uncrawled: left, seeds };
}

/** Writes reports/statistics.txt. */
export function writeStatistics(reports: string, counts: ListCounts, facts: RunFacts): void {
  const rows: [string, string | number][] = [
    ["total new URLs", counts.crawled + counts.uncrawled],
    ["crawled", counts.crawled],
    ["not crawled", counts.uncrawled],
    ["seeds", counts.seeds],
    [
      "duration in seconds",
      typeof facts.seconds === "number" ? facts.seconds.toFixed(3) : facts.seconds,
    ],
    ["threads", facts.threads],
    ["buffers", facts.buffers],
    ["ended by", safeText(facts.endedBy)],
  ];
  const text = rows.map(([name, value]) => `${name}: ${value}\n`).join("");
  replaceWith(join(reports, "statistics.txt"), text);
}

/** What an earlier statistics.txt holds about the run; "unknown" where it does not. */
export function readRunFacts(reports: string): RunFacts {
  const path = join(reports, "statistics.txt");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const row = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1];
  const number = (name: string) => {
    const value = row(name);
    return value === undefined || value === "unknown" ? "unknown" : Number(value);
  };
  return {
    seconds: number("duration in seconds"),
    threads: number("threads"),
    buffers: number("buffers"),
    endedBy: row("ended by") ?? AFTER_CRASH,
  };
}
