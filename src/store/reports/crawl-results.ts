import type { OUTCOME } from "../../frontier/finish.ts";
import { eachLine } from "../files/read-file.ts";
import { Committed, type JournalView, type ListedUrl } from "../finish/committed.ts";
import { EndedRecords } from "../finish/ended-records.ts";
import { openJournals } from "../finish/journal-view.ts";
import { crawlPaths, readCrawlState, withParts } from "../folder/crawl-folder.ts";
import { LOG_END, PlaceAtEnd } from "../lists/line-end.ts";
import { type LogLine, logLines, namesRecord, parsedLine, plainLine } from "../lists/log-line.ts";
import { openLogPages } from "../lists/log-pages.ts";
import { PageInLog } from "../lists/page-in-log.ts";
import { readTree } from "../tree/tree-files.ts";
import {
  type LeftUrls,
  type Listed,
  type ListSums,
  type RunFacts,
  writeLists,
  writeStatistics,
} from "./result-lists.ts";
import type { UrlList } from "./url-list.ts";

/** Where the lists get their URLs from. */
export interface ListSource {
  readonly committed: Committed;
  /** Undefined when the crawl keeps no journal: then the URLs that wait are not known. */
  readonly view: JournalView | undefined;
  /** Answers in the archive; absent after a clean end, when the log is complete. */
  readonly captures?: Iterable<ListedUrl>;
  /** What waits, from the threads of a crawl that keeps no journal. */
  readonly left?: readonly LeftUrls[];
}

/** The journals of a crawl that has ended, as a source of lists. */
export function openResults(dir: string, state = readCrawlState(dir)): ListSource {
  const ended = new EndedRecords();
  const { view, areEndsSure } = openJournals(crawlPaths(dir).journals, state, ended.add);
  return { committed: new Committed(view, areEndsSure ? ended : undefined), view };
}

/**
 * Writes the result lists and the statistics of a crawl that has ended, from its log and its journals; `recover` gives
 * the captures from the archive instead of the log.
 */
export function writeResults(dir: string, facts: RunFacts, source: ListSource): ListSums {
  const { reports, log: whole } = crawlPaths(dir);
  const { committed, view, captures, left = [] } = source;
  const log = withParts(whole);
  const isWaiting = view === undefined ? unavailable(log) : [];
  const counts = writeLists(reports, {
    eachStored: captures === undefined ? storedIn(log, committed) : undefined,
    ended: inTurn(captures ?? [], unstored(log, committed)),
    left: [...left, ...isWaiting],
    eachWaiting: (use) => view?.eachWaiting(use),
  });
  writeStatistics(reports, counts, facts);
  return counts;
}

/** Writes the lists of an indexed URL tree alone: every page of it was crawled. */
export function writeTreeResults(tree: string, reports: string, facts: RunFacts): ListSums {
  const counts = writeLists(reports, { ended: readTree(tree), left: [], eachWaiting: () => {} });
  writeStatistics(reports, counts, facts);
  return counts;
}

/** Outcomes of URLs that count as crawled. */
const CRAWLED: ReadonlySet<string | undefined> = new Set([
  "page",
  "redirect",
  "sitemap",
  "unchanged",
] satisfies (keyof typeof OUTCOME)[]);

function listed({ url, parent, outcome }: LogLine): ListedUrl {
  return { url, source: parent ?? "", failed: !CRAWLED.has(outcome) };
}

/** URLs whose answer is stored and committed. Nearly all lines are those of plain pages, which stay bytes. */
function storedIn(log: readonly string[], committed: Committed): Listed["eachStored"] {
  const isNew = committed.once();
  /** Answers the file of the record that a line names. */
  const read = (text: string, add: (url: ListedUrl) => void): string | undefined => {
    if (!namesRecord(text)) return undefined;
    const line = plainLine(text, true) ?? parsedLine(text);
    if (line?.file === undefined) return undefined;
    if (isNew(line.file, line.offset ?? 0, line)) add(listed(line));
    return line.file;
  };
  return (crawled, add) => {
    const pages = committed.hasJournal ? openLogPages() : undefined;
    if (pages === undefined) readByLines(log, committed, isNew, read, crawled, add);
    else
      for (const path of log)
        pages.read(path, {
          isNew,
          onPages: (lines, count) => crawled.addPairs(lines, count),
          onLine: (text) => read(text, add),
        });
  };
}

/** The same line by line: for crawls without a journal, and without WebAssembly. */
function readByLines(
  log: readonly string[],
  { hasJournal }: Committed,
  isNew: ReturnType<Committed["once"]>,
  read: (text: string, add: (url: ListedUrl) => void) => string | undefined,
  crawled: UrlList,
  add: (url: ListedUrl) => void,
): void {
  const page = new PageInLog();
  const place = new PlaceAtEnd(LOG_END);
  for (const path of log)
    eachLine(path, (bytes, from, to) => {
      const offset = place.offset(bytes, from, to);
      if (offset < 0 || !hasJournal || !page.find(bytes, from, to)) {
        const file = read(bytes.toString("latin1", from, to), add);
        if (file !== undefined) place.expect(file);
      } else if (isNew(place.file, offset))
        crawled.addPair(bytes, page.urlFrom, page.urlTo, page.parentFrom, page.parentTo);
    });
}

/**
 * URLs that ended and of which nothing is stored: refused, failed, or a redirect of a crawl that keeps pages only.
 * Unavailable ones have not ended, they wait for a later run.
 */
function* unstored(log: readonly string[], committed: Committed): Generator<ListedUrl, void> {
  // Most crawls end without any, and the log may be long.
  if (!committed.mayNameUnstored) return;
  for (const line of logLines(log, false))
    if (line.file === undefined && line.outcome !== "unavailable" && committed.takeUnstored(line))
      yield listed(line);
}

function* inTurn<T>(...all: Iterable<T>[]): Generator<T, void> {
  for (const each of all) yield* each;
}

/** URLs that wait for a later run; only the log knows them where there is no journal. */
function unavailable(log: readonly string[]): LeftUrls[] {
  const urls: string[] = [];
  let seeds = 0;
  for (const { url, parent, outcome } of logLines(log, false)) {
    if (outcome !== "unavailable") continue;
    if (parent === undefined) seeds++;
    else urls.push(url);
  }
  return [{ urls, seeds }];
}
