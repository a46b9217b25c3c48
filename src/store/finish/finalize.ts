import { NO_LIMIT, type TimeLimit, TimeUpError } from "../../runtime/time-limit.ts";
import { countLines } from "../files/count-lines.ts";
import { crawlPaths, readCrawlState, writeCrawlState } from "../folder/crawl-folder.ts";
import { lockFolder } from "../folder/folder-lock.ts";
import { mergeRows } from "../rows/merge-rows.ts";
import { Committed } from "./committed.ts";
import { dropUncommitted } from "./drop-uncommitted.ts";
import { openJournals } from "./journal-view.ts";
import { mergeParts, unfinishedBytes } from "./merge-parts.ts";
import { keepOneLinePerUrl } from "./one-line-per-url.ts";

/** How long it may take, and what is known of the crawl. */
export interface FinalizeOptions {
  readonly limit?: TimeLimit;
  /** Its only run has ended in order and no thread of it died, so whatever was written was committed. */
  readonly isUndisturbed?: boolean;
}

/** No machine sorts faster: what could not be done in time even then is not begun. */
const MAX_BYTES_PER_MS = 200_000;

/**
 * Sorts and joins what the builders wrote, and removes what was never committed. False when that would take longer than
 * the limit: then everything is as it was, and may be done at any later time.
 */
export function finalizeFolder(
  dir: string,
  committed: Committed,
  { limit = NO_LIMIT, isUndisturbed = false }: FinalizeOptions = {},
): boolean {
  if (unfinishedBytes(dir) / MAX_BYTES_PER_MS > limit.leftMs) return false;
  try {
    mergeRows(dir, committed, limit);
    const indexed = mergeParts(dir, limit);
    const isSure = isUndisturbed && isListedOnce(dir, committed, indexed);
    if (!isSure) dropUncommitted(dir, committed, limit);
    keepOneLinePerUrl(dir, committed, limit);
    return true;
  } catch (fault) {
    if (fault instanceof TimeUpError) return false;
    throw fault;
  }
}

/** Whether there are as many lines as records; page list and log are compared with other numbers afterwards. */
function isListedOnce(dir: string, committed: Committed, indexed: number | undefined): boolean {
  if (!committed.hasJournal) return false;
  return (indexed ?? countLines(crawlPaths(dir).index)) === committed.archived;
}

/** Does what an interrupted run left for later, before the results are read. Other folders are not touched. */
export function finalizeIfLeft(dir: string): void {
  if (readCrawlState(dir)?.left !== true) return;
  const lock = lockFolder(dir);
  try {
    const state = readCrawlState(dir)!;
    const { view } = openJournals(crawlPaths(dir).journals, state);
    finalizeFolder(dir, new Committed(view));
    writeCrawlState(dir, { ...state, left: false });
  } finally {
    lock.release();
  }
}
