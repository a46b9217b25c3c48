import { Committed, type FoundUrl, type JournalView } from "../finish/committed.ts";
import { openJournals } from "../finish/journal-view.ts";
import { crawlPaths, readCrawlState, withParts } from "../folder/crawl-folder.ts";
import { readTree } from "../tree/tree-files.ts";
import { logLines } from "./log-line.ts";
import { type ListCounts, type RunFacts, writeLists, writeStatistics } from "./result-lists.ts";

/** Where the lists get their URLs from. */
export interface ListSource {
  readonly committed: Committed;
  /** Undefined when the crawl keeps no journal: then nobody can name the URLs that wait. */
  readonly view: JournalView | undefined;
  /** Answers in the archive; absent means that the log is believed, as after a clean end. */
  readonly captures?: Iterable<FoundUrl>;
}

/** What the journals of a crawl that has ended say. */
export function openResults(dir: string): ListSource {
  const { view } = openJournals(crawlPaths(dir).journals, readCrawlState(dir));
  return { committed: new Committed(view), view };
}

/**
 * Writes the result lists and the statistics of a crawl that has ended: from its log and what its journals call
 * committed. The same fold serves `recover`, which knows the captures from the archive instead.
 */
export function writeResults(dir: string, facts: RunFacts, source: ListSource): ListCounts {
  const { reports, log: whole } = crawlPaths(dir);
  const { committed, view, captures } = source;
  const log = withParts(whole);
  const counts = writeLists(reports, {
    crawled: captures ?? stored(log, committed),
    unanswered: unstored(log, committed),
    eachWaiting: (meet) => view?.eachWaiting(meet),
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

/** URLs that ended without an answer: refused, or failed. "Unavailable" is no end, they wait for a later run. */
function* unstored(log: readonly string[], committed: Committed): Generator<FoundUrl, void> {
  // Most crawls end without any, and the log may be long.
  if (!committed.mayNameUnstored) return;
  for (const { url, parent, file, outcome } of logLines(log, false))
    if (file === undefined && outcome !== "unavailable" && committed.takeUnstored(url))
      yield { url, source: parent ?? "" };
}
