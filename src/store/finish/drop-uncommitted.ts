import { StoreCorruptError } from "../../errors.ts";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { linesAt } from "../files/read-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { writeLines } from "../files/write-lines.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { cdxjFields } from "../lists/cdxj.ts";
import type { Committed } from "./committed.ts";

const LINES_AT_ONCE = 4096;
// The ends of lines as we write them. Within a JSON string every quotation mark has a backslash, so these cannot match
// inside one. Other lines are parsed.
const INDEX_PLACE = /"offset":"(\d+)","filename":"([^"\\]*)"\}$/;
const PAGE_PLACE =
  /"file":"([^"\\]*)","offset":(\d+),"length":\d+(?:,"cash":[\d.e+-]+,"priority":[\d.e+-]+)?\}$/;

/**
 * Removes from index and page list what was never committed and what is listed twice: a run that died had listed pages
 * that the next run fetched again. Answers how many lines were removed.
 */
export function dropUncommitted(
  dir: string,
  committed: Committed,
  limit: TimeLimit = NO_LIMIT,
): number {
  const { index, pages } = crawlPaths(dir);
  const [isNewInIndex, isNewInPages] = [committed.once(), committed.once()];
  const isIndexed = (line: string) => {
    const place = INDEX_PLACE.exec(line);
    if (place !== null) return isNewInIndex(place[2]!, Number(place[1]));
    const { filename, offset } = cdxjFields(line);
    return isNewInIndex(filename!, Number(offset));
  };
  const isListed = (line: string) => {
    const place = PAGE_PLACE.exec(line);
    if (place !== null) return isNewInPages(place[1]!, Number(place[2]));
    const { url, file, offset } = JSON.parse(line);
    return url === undefined || isNewInPages(file, offset);
  };
  return keepLines(index, isIndexed, limit) + keepLines(pages, isListed, limit);
}

/** A line that cannot be read is not what was written; it can be written again from the archive. */
function checked(keep: (line: string) => boolean, line: string, path: string, offset: number) {
  try {
    return keep(line);
  } catch (cause) {
    const what = "a line that cannot be read; orbweaver recover writes the list anew";
    throw new StoreCorruptError(`${path}:${offset}: ${what}`, cause);
  }
}

function keepLines(path: string, keep: (line: string) => boolean, limit: TimeLimit): number {
  // Few lines go, so their offsets fit memory.
  const dropped = new Set<number>();
  let looked = 0;
  for (const [offset, line] of linesAt(path)) {
    if (++looked % LINES_AT_ONCE === 0) limit.check();
    if (!checked(keep, line, path, offset)) dropped.add(offset);
  }
  const kept = function* () {
    for (const [offset, line] of linesAt(path)) if (!dropped.has(offset)) yield line;
  };
  if (dropped.size > 0) replaceFile(path, (file) => writeLines(file, kept(), { limit }));
  return dropped.size;
}
