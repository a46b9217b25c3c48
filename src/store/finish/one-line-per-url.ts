import { existsSync } from "node:fs";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { countLines } from "../files/count-lines.ts";
import { dropHoles } from "../files/drop-holes.ts";
import { dropLines, linesWithin } from "../files/drop-lines.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import {
  type LogLine,
  namesRecord,
  parsedLine,
  plainLine,
  plainRecord,
} from "../lists/log-line.ts";
import type { Committed } from "./committed.ts";

/** The outcome of a URL that has not ended: a later run may add its end. */
const UNAVAILABLE = "unavailable";

/**
 * Leaves one line per URL in logs/crawl.jsonl: a run that died had logged visits that were never committed and that the
 * next run made again. A line counts when the journals say that its visit was committed; what cannot be read stays, and so
 * does everything where there is no journal. Zeros that a power loss left go first. Answers where the first change was;
 * undefined when nothing was removed.
 */
export function keepOneLinePerUrl(
  dir: string,
  committed: Committed,
  limit: TimeLimit = NO_LIMIT,
): number | undefined {
  const { log } = crawlPaths(dir);
  if (!committed.hasJournal || !existsSync(log)) return undefined;
  const hole = dropHoles(log, limit);
  // A line is written before its visit is committed: as many lines as ends means that each has one.
  if (countLines(log) === committed.endings) return hole;
  const isRecord = committed.once();
  const isEnd = committed.onceUnstored();
  const dropped = new Set<number>();
  /** The last line of each URL that was unavailable. */
  const unavailable = new Map<number, number>();
  for (const [offset, text] of linesWithin(log, limit)) {
    if (namesRecord(text)) {
      const place = plainRecord(text) ?? parsedLine(text);
      if (place?.file !== undefined && !isRecord(place.file, place.offset ?? 0))
        dropped.add(offset);
      continue;
    }
    const line = plainLine(text, false) ?? parsedLine(text);
    if (line?.url === undefined) continue;
    if (line.outcome !== UNAVAILABLE) {
      if (!isEnd(line)) dropped.add(offset);
      continue;
    }
    const id = committed.idOf(line);
    const before = unavailable.get(id);
    if (before !== undefined) dropped.add(before);
    unavailable.set(id, offset);
  }
  // Most logs hold none, and then this second look at all URLs is not needed.
  if (unavailable.size > 0) dropEnded(log, committed, unavailable, dropped, limit);
  dropLines(log, dropped, limit);
  let first = hole;
  for (const offset of dropped) if (first === undefined || offset < first) first = offset;
  return first;
}

/** How many committed visits have a line in the log. */
export function committedLines(log: string, committed: Committed): number {
  const isRecord = committed.once();
  const isEnd = committed.onceUnstored();
  let lines = 0;
  for (const [, text] of linesWithin(log, NO_LIMIT)) {
    const line = plainLine(text, namesRecord(text)) ?? parsedLine(text);
    if (line?.url === undefined || line.outcome === UNAVAILABLE) continue;
    const { file, offset = 0 } = line;
    if (file === undefined ? isEnd(line) : isRecord(file, offset)) lines++;
  }
  return lines;
}

/** Drops the lines of unavailable URLs that have a line about their end. */
function dropEnded(
  log: string,
  committed: Committed,
  unavailable: ReadonlyMap<number, number>,
  dropped: Set<number>,
  limit: TimeLimit,
): void {
  for (const [offset, text] of linesWithin(log, limit)) {
    if (dropped.has(offset)) continue;
    const line: LogLine | undefined = plainLine(text, namesRecord(text)) ?? parsedLine(text);
    if (line?.url === undefined || line.outcome === UNAVAILABLE) continue;
    const waited = unavailable.get(committed.idOf(line));
    if (waited !== undefined) dropped.add(waited);
  }
}
