import { StoreCorruptError } from "../../errors.ts";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { dropLines, linesWithin } from "../files/drop-lines.ts";
import { crawlPaths, wholeState } from "../folder/crawl-folder.ts";
import { cdxjFields } from "../lists/cdxj.ts";
import { type Committed, isArchive } from "./committed.ts";

// The ends of lines as we write them. Within a JSON string every quotation mark has a backslash, so these cannot match
// inside one. Other lines are parsed.
const INDEX_PLACE = /"offset":"(\d+)","filename":"([^"\\]*)"\}$/;
const PAGE_PLACE =
  /"file":"([^"\\]*)","offset":(\d+),"length":\d+(?:,"cash":[\d.e+-]+,"priority":[\d.e+-]+)?\}$/;

/**
 * Removes from index and page list what was never committed and what is listed twice: a run that died had listed pages
 * that the next run fetched again. Answers how many lines were removed; throws StoreCorruptError when lines are missing.
 */
export function dropUncommitted(
  dir: string,
  committed: Committed,
  limit: TimeLimit = NO_LIMIT,
): number {
  const { index, pages } = crawlPaths(dir);
  const [isNewInIndex, isNewInPages] = [committed.once(), committed.once()];
  let indexed = 0;
  const isIndexed = (line: string) => {
    const place = INDEX_PLACE.exec(line);
    const fields = place === null ? cdxjFields(line) : undefined;
    const file = place?.[2] ?? fields!.filename!;
    const isNew = isNewInIndex(file, Number(place?.[1] ?? fields!.offset));
    if (isNew && isArchive(file)) indexed++;
    return isNew;
  };
  const isListed = (line: string) => {
    const place = PAGE_PLACE.exec(line);
    if (place !== null) return isNewInPages(place[1]!, Number(place[2]));
    const { url, file, offset } = JSON.parse(line);
    return url === undefined || isNewInPages(file, offset);
  };
  const dropped = keepLines(index, isIndexed, limit);
  const unlisted = committed.archived - indexed;
  // Only when the lists are older than the journals: a copy that was made while a crawl ran.
  if (unlisted > (wholeState(dir)?.lostRecords ?? 0))
    throw new StoreCorruptError(
      `${index}:0: ${unlisted} committed records are not in the list; orbweaver recover ${dir} writes it anew`,
    );
  return dropped + keepLines(pages, isListed, limit);
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
  const dropped = new Set<number>();
  for (const [offset, line] of linesWithin(path, limit))
    if (!checked(keep, line, path, offset)) dropped.add(offset);
  dropLines(path, dropped, limit);
  return dropped.size;
}
