import { existsSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { refuse } from "../../frontier/journal/journal-reader.ts";
import { cutFile, syncFolder } from "../files/system-calls.ts";
import { crawlPaths, readCrawlState } from "../folder/crawl-folder.ts";
import { OPEN } from "../warc/archive-file.ts";
import { archiveFiles } from "../warc/archive-scan.ts";
import { readWarc } from "../warc/warc-reader.ts";
import type { Committed } from "./committed.ts";
import { openJournals } from "./journal-view.ts";

/** Records that follow a response or revisit in the same write. */
const COMPANIONS = 2;

/** What became of a file that a crash left open. */
export interface ClosedArchive {
  /** Its name from now on. */
  readonly file: string;
  /** Where a torn end was cut off, and how much; 0 bytes when there was none. */
  readonly offset: number;
  readonly cutBytes: number;
}

/**
 * Closes the files that a crash left open: cuts off what is torn behind the last committed capture, makes the rest
 * durable and gives it its final name. Damage before that is no torn end: it stays, and is reported when the file is
 * read.
 */
export function closeArchives(
  folder: string,
  committed: Pick<Committed, "lastOffset">,
): ClosedArchive[] {
  const closed: ClosedArchive[] = [];
  for (const name of openArchives(folder)) {
    const final = name.slice(0, -OPEN.length);
    const path = join(folder, name);
    const { size } = statSync(path);
    const keep = tornAt(path, committed.lastOffset(final)) ?? size;
    if (keep === 0) unlinkSync(path);
    else {
      cutFile(path, keep);
      // A closed file of that name was written by another run: neither may be lost.
      if (!existsSync(join(folder, final))) renameSync(path, join(folder, final));
    }
    closed.push({ file: final, offset: keep, cutBytes: size - keep });
  }
  if (closed.length > 0) syncFolder(folder);
  return closed;
}

function openArchives(folder: string): string[] {
  return archiveFiles(folder).filter((name) => name.endsWith(OPEN));
}

/**
 * Where the first damage is behind the last capture that counts. Its request and metadata lie behind the response that
 * the journal names and were durable before it was written: damage there came later, and is no torn end.
 */
function tornAt(path: string, lastCommitted: number): number | undefined {
  let companions = lastCommitted < 0 ? 0 : COMPANIONS;
  for (const { type, offset, problems } of readWarc(path, { from: Math.max(0, lastCommitted) })) {
    if (offset <= lastCommitted) continue;
    const isBroken = problems.length > 0;
    if (isBroken && companions === 0) return offset;
    const isCompanion = isBroken || type === "request" || type === "metadata";
    companions = isCompanion ? Math.max(0, companions - 1) : 0;
  }
  return undefined;
}

/** Closes what a run that died left open, before the next one begins. */
export function closeAfterCrash(dir: string): ClosedArchive[] {
  const paths = crawlPaths(dir);
  if (openArchives(paths.archive).length === 0) return [];
  const last = new Map<string, number>();
  const { damages } = openJournals(paths.journals, readCrawlState(dir), ({ where }) => {
    if (where !== undefined && where.offset > (last.get(where.file) ?? -1))
      last.set(where.file, where.offset);
  });
  // Of these only this reads all; other damage is found by the threads that read their shards.
  const list = damages.find(({ file }) => file.endsWith(".done"));
  if (list !== undefined) refuse(list);
  return closeArchives(paths.archive, { lastOffset: (file) => last.get(file) ?? -1 });
}
