import { StoreCorruptError } from "../../errors.ts";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { dropLines } from "../files/drop-lines.ts";
import { eachLine } from "../files/read-file.ts";
import { crawlPaths, wholeState } from "../folder/crawl-folder.ts";
import { cdxjFields } from "../lists/cdxj.ts";
import { INDEX_END, PAGE_END, PlaceAtEnd, type PlacePieces } from "../lists/line-end.ts";
import { type Committed, isArchive } from "./committed.ts";

/** How the lines of a list name their records. */
interface ListLines {
  readonly pieces: PlacePieces;
  readonly place: RegExp;
}

// The ends of lines as we write them. Within a JSON string every quotation mark has a backslash, so these cannot match
// inside one. Other lines are parsed.
const INDEX_LINES: ListLines = {
  pieces: INDEX_END,
  place: /"offset":"(?<offset>\d+)","filename":"(?<file>[^"\\]*)"\}$/,
};
const PAGE_LINES: ListLines = {
  pieces: PAGE_END,
  place:
    /"file":"(?<file>[^"\\]*)","offset":(?<offset>\d+),"length":\d+(?:,"cash":[\d.e+-]+,"priority":[\d.e+-]+)?\}$/,
};
const LINES_PER_CHECK = 4096;

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
  const isIndexed: KeepsLine = (line, file, offset) => {
    const fields = line === undefined ? undefined : cdxjFields(line);
    const name = fields === undefined ? file : fields.filename!;
    const isNew = isNewInIndex(name, fields === undefined ? offset : Number(fields.offset));
    if (isNew && isArchive(name)) indexed++;
    return isNew;
  };
  const isListed: KeepsLine = (line, file, offset) => {
    if (line === undefined) return isNewInPages(file, offset);
    const fields = JSON.parse(line);
    return fields.url === undefined || isNewInPages(fields.file, fields.offset);
  };
  const dropped = keepLines(index, INDEX_LINES, isIndexed, limit);
  const unlisted = committed.archived - indexed;
  // Only when the lists are older than the journals: a copy that was made while a crawl ran.
  if (unlisted > (wholeState(dir)?.lostRecords ?? 0))
    throw new StoreCorruptError(
      `${index}:0: ${unlisted} committed records are not in the list; orbweaver recover ${dir} writes it anew`,
    );
  return dropped + keepLines(pages, PAGE_LINES, isListed, limit);
}

/** Whether a line stays. It is given as a text only where its place, a file and an offset, could not be read from its end. */
type KeepsLine = (line: string | undefined, file: string, offset: number) => boolean;

/** A line that cannot be read is not what was written; it can be written again from the archive. */
function checked(keep: () => boolean, path: string, offset: number): boolean {
  try {
    return keep();
  } catch (cause) {
    const what = "a line that cannot be read; orbweaver recover writes the list anew";
    throw new StoreCorruptError(`${path}:${offset}: ${what}`, cause);
  }
}

function keepLines(
  path: string,
  { pieces, place }: ListLines,
  keep: KeepsLine,
  limit: TimeLimit,
): number {
  const dropped = new Set<number>();
  const end = new PlaceAtEnd(pieces);
  let at = 0;
  let looked = 0;
  eachLine(path, (bytes, from, to) => {
    if (++looked % LINES_PER_CHECK === 0) limit.check();
    let offset = end.offset(bytes, from, to);
    let line: string | undefined;
    if (offset < 0) {
      line = bytes.toString("latin1", from, to);
      const found = place.exec(line)?.groups as { file: string; offset: string } | undefined;
      if (found !== undefined) {
        // The next lines are likely to name the same file.
        end.expect(found.file);
        offset = Number(found.offset);
        line = undefined;
      }
    }
    if (!checked(() => keep(line, end.file, offset), path, at)) dropped.add(at);
    at += to - from + 1;
  });
  dropLines(path, dropped, limit);
  return dropped.size;
}
