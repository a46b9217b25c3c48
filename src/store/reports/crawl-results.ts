import { Committed, type FoundUrl, type JournalView } from "../finish/committed.ts";
import { openJournals } from "../finish/journal-view.ts";
import { crawlPaths, readCrawlState, withParts } from "../folder/crawl-folder.ts";
import { logLines } from "../lists/log-line.ts";
import { readTree } from "../tree/tree-files.ts";
import { type ListCounts, type RunFacts, writeLists, writeStatistics } from "./result-lists.ts";

/** Where the lists get their URLs from. */
export interface ListSource {
  readonly committed: Committed;
  /** Undefined when the crawl keeps no journal: then the URLs that wait are not known. */
  readonly view: JournalView | undefined;
  /** Answers in the archive; absent after a clean end, when the log is complete. */
  readonly captures?: Iterable<FoundUrl>;
}

/** The journals of a crawl that has ended, as a source of lists. */
export function openResults(dir: string): ListSource {
  const { view } = openJournals(crawlPaths(dir).journals, readCrawlState(dir));
  return { committed: new Committed(view), view };
}

/**
 * Writes the result lists and the statistics of a crawl that has ended, from its log and its journals; `recover` gives
 * the captures from the archive instead of the log.
 */
export function writeResults(dir: string, facts: RunFacts, source: ListSource): ListCounts {
  const { reports, log: whole } = crawlPaths(dir);
  const { committed, view, captures } = source;
  const log = withParts(whole);
  const counts = writeLists(reports, {
    crawled: captures ?? stored(log, committed),
    unanswered: unstored(log, committed),
    eachWaiting: (use) => view?.eachWaiting(use),
  });
  writeStatistics(reports, counts, facts);
  return counts;
}

/** Writes the lists of an indexed URL tree alone: every page of it was crawled. */
export function writeTreeResults(tree: string, reports: string, facts: RunFacts): ListCounts {
  const crawled = readTree(tree);
  const counts = writeLists(reports, { crawled, unanswered: [], eachWaiting: () => {} });
  writeStatistics(reports, counts, facts);
  return counts;
}

/** URLs whose answer is stored and committed. */
function* stored(log: readonly string[], committed: Committed): Generator<FoundUrl, void> {
  const isNew = committed.once();
  for (const { url, parent, file, offset } of logLines(log, true))
    if (file !== undefined && isNew(file, offset ?? 0)) yield { url, source: parent ?? "" };
}

/** URLs that ended without an answer: refused, or failed. Unavailable ones have not ended, they wait for a later run. */
function* unstored(log: readonly string[], committed: Committed): Generator<FoundUrl, void> {
  // Most crawls end without any, and the log may be long.
  if (!committed.mayNameUnstored) return;
  for (const line of logLines(log, false))
    if (line.file === undefined && line.outcome !== "unavailable" && committed.takeUnstored(line))
      yield { url: line.url, source: line.parent ?? "" };
}
