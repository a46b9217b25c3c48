import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { strayJournals } from "../../frontier/journal/journal-listing.ts";
import { type CrawlState, crawlPaths, withParts, writeCrawlState } from "../folder/crawl-folder.ts";
import { mergeRows, unmergedBytes } from "../rows/merge-rows.ts";
import { closeAfterCrash } from "./close-archives.ts";
import { Committed } from "./committed.ts";
import { openJournals } from "./journal-view.ts";

/**
 * Prepares a folder for the next run: throws when a list is missing, or a folder with what a run that died had in it;
 * makes folders again of which nothing else depends; closes what a run left open. Answers the state, with what it found.
 */
export function prepareResume(dir: string, state: CrawlState): CrawlState {
  const { ended, left } = state;
  const { archive, index, pages, links, log, reports, state: file } = crawlPaths(dir);
  if (state.salvaging === true)
    throw new StoreCorruptError(`${file}:0: orbweaver recover was interrupted: call it again`);
  refuseStrays(dir, state);
  // The first run makes its index at the end, unless it had no time for that; until then the folder holds its parts.
  const hasIndex = ended !== "running" && left !== true;
  const lists = [pages, hasIndex ? index : dirname(index), links];
  const gone = lists.find((list) => !existsSync(list));
  if (gone !== undefined) {
    const what = "the list is missing; orbweaver recover writes it anew";
    throw new StoreCorruptError(`${gone}:0: ${what}`);
  }
  // Lists of results are made of the log: without it they lack what ended before, which the self-check then knows.
  const lacksLog = ended !== "running" && withParts(log).length === 0;
  const found = lacksLog ? { ...state, damaged: true } : state;
  if (lacksLog) writeCrawlState(dir, found);
  // Whether the archive lacks a committed record is checked against the journals.
  for (const folder of [archive, reports, dirname(log)]) mkdirSync(folder, { recursive: true });
  // Also when the run ended in order: the archive may be an older copy.
  closeAfterCrash(dir);
  mergeRowsLeft(dir, state);
  return found;
}

/** Rows of the run before: those of committed pages count, the others are dropped before a page is fetched again. */
function mergeRowsLeft(dir: string, state: CrawlState): void {
  if (unmergedBytes(dir) === 0) return;
  const { view, damages } = openJournals(crawlPaths(dir).journals, state);
  // Damaged journals are refused by the threads that read them; which rows count is known after `recover`.
  if (damages.length === 0) mergeRows(dir, new Committed(view));
}

/** Files of shards that the crawl does not have came from somewhere else, or were copied. */
function refuseStrays(dir: string, { journals, frontier }: CrawlState): void {
  const folder = crawlPaths(dir).journals;
  if (frontier === "engine" || journals === undefined) return;
  const stray = strayJournals(folder, journals)[0];
  if (stray === undefined) return;
  const what = `the crawl has ${journals} shards, and this is a file of another one`;
  throw new StoreCorruptError(`${join(folder, stray)}:0: ${what}`);
}
