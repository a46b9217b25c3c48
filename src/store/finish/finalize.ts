import { NO_LIMIT, type TimeLimit, TimeUpError } from "../../runtime/time-limit.ts";
import { crawlPaths, readCrawlState, writeCrawlState } from "../folder/crawl-folder.ts";
import { lockFolder } from "../folder/folder-lock.ts";
import { Committed } from "./committed.ts";
import { dropUncommitted } from "./drop-uncommitted.ts";
import { openJournals } from "./journal-view.ts";
import { finishFolder, unfinishedBytes } from "./merge-parts.ts";

/** No machine sorts faster: what could not even then be done in time is not begun. */
const MAX_BYTES_PER_MS = 200_000;

/**
 * Sorts and joins what the builders wrote, and takes out what was never committed. False when that would take longer
 * than the limit: then everything is as it was, and may be done at any later time.
 */
export function completeFolder(
  dir: string,
  committed: Committed,
  limit: TimeLimit = NO_LIMIT,
): boolean {
  if (unfinishedBytes(dir) / MAX_BYTES_PER_MS > limit.leftMs) return false;
  try {
    finishFolder(dir, limit);
    dropUncommitted(dir, committed, limit);
    return true;
  } catch (fault) {
    if (fault instanceof TimeUpError) return false;
    throw fault;
  }
}

/** Does what an interrupted run left for later, before somebody reads the results. A folder without any is not touched. */
export function completeIfLeft(dir: string): void {
  if (readCrawlState(dir)?.left !== true) return;
  const unlock = lockFolder(dir);
  try {
    const state = readCrawlState(dir)!;
    const { view } = openJournals(crawlPaths(dir).journals, state);
    completeFolder(dir, new Committed(view));
    writeCrawlState(dir, { ...state, left: false });
  } finally {
    unlock();
  }
}
