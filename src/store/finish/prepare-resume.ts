import { existsSync } from "node:fs";
import { StoreCorruptError } from "../../errors.ts";
import { type CrawlState, crawlPaths } from "../folder/crawl-folder.ts";
import { closeAfterCrash } from "./close-archives.ts";

/** Prepares a folder for the next run: closes what a run that died left open, and throws when a list is missing. */
export function prepareResume(dir: string, { ended, left }: CrawlState): void {
  const { index, pages } = crawlPaths(dir);
  // The first run makes its index at the end, unless it had no time for that.
  const lists = ended === "running" || left === true ? [pages] : [pages, index];
  const gone = lists.find((list) => !existsSync(list));
  if (gone !== undefined) {
    const what = "the list is missing; orbweaver recover writes it anew";
    throw new StoreCorruptError(`${gone}:0: ${what}`);
  }
  if (ended === "running") closeAfterCrash(dir);
}
