import { existsSync } from "node:fs";
import { Committed, type FoundUrl, type JournalView } from "./committed.ts";
import { crawlPaths, readCrawlState } from "./crawl-folder.ts";
import { dropUncommitted } from "./drop-uncommitted.ts";
import { openJournals } from "./journal-view.ts";
import { readLines } from "./line-reader.ts";
import { type ListCounts, type RunFacts, writeLists, writeStatistics } from "./result-lists.ts";
import { readTree } from "./tree-files.ts";

/** A line of logs/crawl.jsonl, as far as the lists need it. */
interface LogLine {
  readonly url: string;
  readonly parent?: string;
  readonly outcome?: string;
  readonly file?: string;
  readonly offset?: number;
}

/** How a line names its record. Within a string the quotation marks would have backslashes. */
const RECORD = ',"file":"';
const NOT_ASCII = /[\x80-\xff]/;

/** Where the lists get their URLs from. */
export interface ListSource {
  readonly committed: Committed;
  /** URLs that wait. */
  readonly waiting: Iterable<FoundUrl>;
  /** Answers in the archive; absent means that the log is believed, as after a clean end. */
  readonly captures?: Iterable<FoundUrl>;
}

/**
 * Writes the result lists and the statistics of a crawl that has ended: from its log and what its journals call
 * committed. `waiting` is for frontiers without a journal. The same fold serves `recover`, which knows the captures
 * from the archive instead.
 */
export function writeResults(
  dir: string,
  facts: RunFacts,
  waiting: Iterable<FoundUrl> = [],
): ListCounts {
  const { view } = openJournals(crawlPaths(dir).journals, readCrawlState(dir));
  const source = sourceOf(view, waiting);
  // What a run that died had listed and not committed; without one there is nothing to drop.
  dropUncommitted(dir, source.committed);
  return writeResultsOf(dir, facts, source);
}

/** The source of a crawl that ended cleanly. */
function sourceOf(view: JournalView | undefined, waiting: Iterable<FoundUrl>): ListSource {
  return { committed: new Committed(view), waiting: view?.waiting() ?? waiting };
}

/** Writes lists and statistics from a source. */
export function writeResultsOf(dir: string, facts: RunFacts, source: ListSource): ListCounts {
  const { reports, log } = crawlPaths(dir);
  const { committed, waiting, captures } = source;
  const crawled = captures ?? stored(log, committed);
  const counts = writeLists(reports, crawled, chain(unstored(log, committed), waiting));
  writeStatistics(reports, counts, facts);
  return counts;
}

/** Writes the lists of an indexed URL tree alone: every page of it was crawled. */
export function writeTreeResults(tree: string, reports: string, facts: RunFacts): ListCounts {
  const counts = writeLists(reports, readTree(tree), []);
  writeStatistics(reports, counts, facts);
  return counts;
}

/** URLs whose answer is stored and committed. */
function* stored(log: string, committed: Committed): Generator<FoundUrl, void> {
  const isNew = committed.once();
  for (const { url, parent, file, offset } of logLines(log, true))
    if (file !== undefined && isNew(file, offset ?? 0)) yield { url, source: parent ?? "" };
}

/** URLs that ended without an answer: refused, or failed. "Unavailable" is no end, they wait for a later run. */
function* unstored(log: string, committed: Committed): Generator<FoundUrl, void> {
  for (const { url, parent, file, outcome } of logLines(log, false))
    if (file === undefined && outcome !== "unavailable" && committed.takeUnstored(url))
      yield { url, source: parent ?? "" };
}

/** Lines of the log that may name a record, or those that may not: either way no line is parsed twice. */
function* logLines(path: string, withRecord: boolean): Generator<LogLine, void> {
  if (!existsSync(path)) return;
  for (const line of readLines(path)) {
    if (line.includes(RECORD) !== withRecord) continue;
    try {
      const text = NOT_ASCII.test(line) ? Buffer.from(line, "latin1").toString("utf8") : line;
      yield JSON.parse(text) as LogLine;
    } catch {
      // A damaged line of the log names nobody; `unnamed` counts whom it should have named.
    }
  }
}

function* chain<T>(...parts: Iterable<T>[]): Generator<T, void> {
  for (const part of parts) yield* part;
}
