import { readdirSync } from "node:fs";
import { printable } from "../../config/printable.ts";
import { type OrbweaverError, pathFault, UsageError } from "../../errors.ts";
import { readCrawlState } from "./crawl-folder.ts";
import { isUnfinished } from "./create-folder.ts";
import { lockFolder } from "./folder-lock.ts";

/** Refuses what is no folder that can be read. */
export function requireFolder(dir: string): void {
  const shown = printable(dir, 1000);
  try {
    readdirSync(dir);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new UsageError(`there is no folder ${shown}`);
    if (code === "ENOTDIR") throw new UsageError(`${shown} is a file, not the folder of a crawl`);
    throw pathFault(fault);
  }
}

/** Why a folder without a state is no crawl, and what to do. */
export function noCrawl(dir: string): UsageError {
  requireFolder(dir);
  const shown = printable(dir, 1000);
  return new UsageError(
    isUnfinished(dir)
      ? `${shown} was left while its crawl was being made, and nothing was fetched; start it with orbweaver crawl URL --out ${shown}`
      : `${shown} holds no crawl; start one with orbweaver crawl URL --out ${shown}`,
  );
}

/** Why the results of a folder, such as its "link graph", are not there: no crawl, one that runs, or one that crashed. */
export function noResults(dir: string, what: string): OrbweaverError {
  const state = readCrawlState(dir);
  if (state === undefined) return noCrawl(dir);
  // A crawl that runs holds the lock, and taking it tells who that is.
  if (state.ended === "running") lockFolder(dir).release();
  const shown = printable(dir, 1000);
  return new UsageError(
    `${shown} has no finished ${what}: its crawl crashed, or files were removed; orbweaver recover ${shown} makes it`,
  );
}
