import { NO_LIMIT, type TimeLimit, TimeUpError } from "../../runtime/time-limit.ts";
import { crawlPaths, readCrawlState, writeCrawlState } from "../folder/crawl-folder.ts";
import { lockFolder } from "../folder/folder-lock.ts";
import { mergeRows } from "../rows/merge-rows.ts";
import { Committed } from "./committed.ts";
import { dropUncommitted } from "./drop-uncommitted.ts";
import { openJournals } from "./journal-view.ts";
import { mergeParts, unfinishedBytes } from "./merge-parts.ts";
import { keepOneLinePerUrl } from "./one-line-per-url.ts";

/** No machine sorts faster: what could not be done in time even then is not begun. */
const MAX_BYTES_PER_MS = 200_000;

/**
 * Sorts and joins what the builders wrote, and removes what was never committed. False when that would take longer than
 * the limit: then everything is as it was, and may be done at any later time.
 */
export function finalizeFolder(
  dir: string,
  committed: Committed,
  limit: TimeLimit = NO_LIMIT,
): boolean {
  if (unfinishedBytes(dir) / MAX_BYTES_PER_MS > limit.leftMs) return false;
  try {
    mergeRows(dir, committed, limit);
    mergeParts(dir, limit);
    dropUncommitted(dir, committed, limit);
    keepOneLinePerUrl(dir, committed, limit);
    return true;
  } catch (fault) {
    if (fault instanceof TimeUpError) return false;
    throw fault;
  }
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
