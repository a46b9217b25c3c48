import type { DoFileWork } from "../../runtime/file-work.ts";
import { isListed, locationOf } from "../capture.ts";
import { escapeStray, JsonlFile } from "../files/jsonl.ts";
import { crawlPaths, partOf } from "../folder/crawl-folder.ts";
import { type FileWriter, fileWriter, type ListEntry, type WriterOptions } from "../writer.ts";
import { cdxjLine } from "./cdxj.ts";
import { fileJson } from "./list-texts.ts";
import { pageLine } from "./page-line.ts";

// Builder 0 writes pages.jsonl and crawl.jsonl themselves, so that they can be followed while the crawl runs, the others
// a part beside them; index and skipped report are parts for all, because they end up sorted.

type ListWriter = FileWriter<ListEntry, JsonlFile>;

/** A writer that holds the lines of entries until they are flushed. */
function listWriter(
  path: string,
  doWork: DoFileWork | undefined,
  add: (entry: ListEntry, file: JsonlFile) => void,
): ListWriter {
  const file = new JsonlFile(path);
  return fileWriter(file, doWork, (entry) => {
    add(entry, file);
    return file.isDue;
  });
}

/** Lists every capture in the archive. */
export function indexWriter(path: string, doWork?: DoFileWork): ListWriter {
  return listWriter(path, doWork, (entry, file) => {
    if (entry.kind === "capture") file.hold(cdxjLine(entry, entry.archived!));
  });
}

/** Lists every page. */
export function pageWriter(path: string, doWork?: DoFileWork): ListWriter {
  return listWriter(path, doWork, (entry, file) => {
    if (entry.kind === "capture" && isListed(entry)) file.hold(pageLine(entry, entry.archived!));
  });
}

/** indexes/index.cdxj, where there is an archive. */
export function openIndex({
  folder,
  thread,
  config,
  doWork,
}: WriterOptions): ListWriter | undefined {
  if (!config.store.includes("warc")) return undefined;
  return indexWriter(partOf(crawlPaths(folder).index, thread), doWork);
}

/** pages/pages.jsonl. */
export function openPages({ folder, thread, doWork }: WriterOptions): ListWriter {
  return pageWriter(ownPath(crawlPaths(folder).pages, thread), doWork);
}

/** logs/crawl.jsonl: one line per URL and outcome. */
export function openLog({ folder, thread, doWork }: WriterOptions): ListWriter {
  return listWriter(ownPath(crawlPaths(folder).log, thread), doWork, (entry, log) => {
    if (entry.kind === "outcome") log.hold(entry.line);
    if (entry.kind !== "capture" || entry.line === undefined) return;
    const { file, offset } = locationOf(entry);
    const end = file === "" ? "}" : `,"file":${fileJson(file)},"offset":${offset}}`;
    log.holdParts(entry.line, end);
  });
}

/** reports/skipped.jsonl: each URL is reported once, however often it was skipped. */
export function openSkipped({ folder, thread, doWork }: WriterOptions): ListWriter {
  return listWriter(partOf(crawlPaths(folder).skipped, thread), doWork, (entry, file) => {
    if (entry.kind === "skipped") for (const line of entry.lines) file.hold(escapeStray(line));
  });
}

function ownPath(path: string, thread: number): string {
  return thread === 0 ? path : partOf(path, thread);
}
