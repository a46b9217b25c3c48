import { copyFileSync, existsSync, fsyncSync, linkSync, mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { closedFiles } from "../export/closed-files.ts";
import { readLines } from "../files/read-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { syncFolder, withFile } from "../files/system-calls.ts";
import { writeLines } from "../files/write-lines.ts";
import { Committed } from "../finish/committed.ts";
import { finalizeIfLeft } from "../finish/finalize.ts";
import { mergeParts } from "../finish/merge-parts.ts";
import { crawlPaths, partOf, readCrawlState, writeCrawlState } from "../folder/crawl-folder.ts";
import { createCrawlFolder } from "../folder/create-folder.ts";
import { noCrawl } from "../folder/no-crawl.ts";
import { namesRecord } from "../lists/log-line.ts";
import { writeResults } from "../reports/crawl-results.ts";
import { translateGraph } from "./translate-graph.ts";

/** How the state of a folder ends that others were collected into. */
export const COLLECTED = "collected";

/** What was collected. */
export interface Collection {
  readonly folders: number;
  readonly pages: number;
  readonly archiveFiles: number;
  /** Lines about URLs that an earlier folder had as well. */
  readonly repeated: number;
}

/** In lines of pages.jsonl and crawl.jsonl; within a JSON string the quotation marks would have backslashes. */
const URL_FIELD = /"url":"((?:[^"\\]|\\.)*)"/;
const FILE_FIELD = /(?<="file(?:name)?":")[^"\\]*(?="(?:,"offset":\d+|\}$))/;

/**
 * Merges finished crawl folders, those of the workers of one crawl, into a new one that `export`, `links` and `report` read.
 * Archive files are linked where the file system can, else copied. Of `recovered` the worker died, and its lists have been made anew. A URL that several have (one
 * was fetched again after a worker died) is listed once, as the first of them has it; its records all stay in archive and index.
 */
export function collectFolders(
  folders: readonly string[],
  out: string,
  recovered: ReadonlySet<string> = new Set(),
): Collection {
  const states = folders.map((folder) => finishedState(folder, out, recovered.has(folder)));
  const { frontier, seedLow, seedHigh, config } = states[0]!;
  const paths = createCrawlFolder(out, Date.now(), { frontier, seedLow, seedHigh, config });
  let [archived, repeated] = [0, 0];
  const [paged, answered, unanswered] = [new SeenSet(), new SeenSet(), new SeenSet()];
  for (const folder of folders) {
    const { log } = crawlPaths(folder);
    // A worker that was killed before its first page has none.
    if (!existsSync(log)) continue;
    for (const line of readLines(log)) if (namesRecord(line)) isNew(answered, line);
  }
  const logged = new SeenSet();
  for (const [part, folder] of folders.entries()) {
    const from = crawlPaths(folder);
    const names = linkArchives(folder, paths.archive, part);
    archived += names.size;
    const copy = (path: string, to: string, counts: (line: string) => boolean = () => true) => {
      if (!existsSync(path)) return;
      replaceFile(partOf(to, part), (file) => writeLines(file, kept(path, names, counts)));
    };
    const counting = (isKept: boolean) => {
      if (!isKept) repeated++;
      return isKept;
    };
    copy(from.index, paths.index);
    copy(from.pages, paths.pages, (line) => URL_FIELD.test(line) && isNew(paged, line));
    copy(from.log, paths.log, (line) =>
      counting(
        namesRecord(line)
          ? isNew(logged, line)
          : !isKnown(answered, line) && isNew(unanswered, line),
      ),
    );
    copy(from.skipped, paths.skipped);
    translateGraph(folder, out, part);
    copyReports(from.reports, join(paths.reports, "workers", workerName(folder, part)));
  }
  mergeParts(out);
  const source = { committed: new Committed(undefined), view: undefined };
  writeResults(out, { endedBy: `collected from ${folders.length} folders` }, source);
  writeCrawlState(out, { ...readCrawlState(out)!, ended: COLLECTED });
  return { folders: folders.length, pages: paged.size, archiveFiles: archived, repeated };
}

/** The state of a folder whose lists are complete. */
function finishedState(folder: string, out: string, isRecovered: boolean) {
  if (resolve(folder) === resolve(out))
    throw new UsageError(`${folder} cannot be collected into itself: choose another --out`);
  finalizeIfLeft(folder);
  const state = readCrawlState(folder);
  if (state === undefined) throw noCrawl(folder);
  if (state.ended === "running" && !isRecovered)
    throw new UsageError(`${folder} is not finished: its worker runs, or died`);
  return state;
}

/** Archive files under one roof; answers the name there of each that is called otherwise. */
function linkArchives(folder: string, archive: string, part: number): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of closedFiles(folder)) {
    const path = join(crawlPaths(folder).archive, name);
    const target = existsSync(join(archive, name)) ? `worker${part}-${name}` : name;
    names.set(name, target);
    try {
      linkSync(path, join(archive, target));
    } catch {
      // Another disk, or one without links.
      copyFileSync(path, join(archive, target));
      withFile(join(archive, target), "r+", fsyncSync);
    }
  }
  syncFolder(archive);
  return names;
}

function* kept(
  path: string,
  names: ReadonlyMap<string, string>,
  counts: (line: string) => boolean,
): Generator<string, void> {
  for (const line of readLines(path)) {
    if (!counts(line)) continue;
    yield line.replace(FILE_FIELD, (name) => names.get(name) ?? name);
  }
}

function isNew(set: SeenSet, line: string): boolean {
  fingerprint(URL_FIELD.exec(line)?.[1] ?? line, 0, 0);
  return set.addFingerprint(lastFingerprint.low, lastFingerprint.high);
}

function isKnown(set: SeenSet, line: string): boolean {
  fingerprint(URL_FIELD.exec(line)?.[1] ?? line, 0, 0);
  return set.hasFingerprint(lastFingerprint.low, lastFingerprint.high);
}

/** What each worker reported about itself stays together; `skipped.jsonl` and the lists are merged. */
function copyReports(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true }))
    if (entry.isFile() && /\.(json|jsonl|txt)$/.test(entry.name) && entry.name !== "skipped.jsonl")
      copyFileSync(join(from, entry.name), join(to, entry.name));
  syncFolder(dirname(to));
}

function workerName(folder: string, part: number): string {
  return `${part}-${basename(resolve(folder)).replace(/[^A-Za-z0-9._-]+/g, "_")}`;
}
