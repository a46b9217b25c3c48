import { existsSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstDifference } from "../files/file-window.ts";
import { JsonlFile } from "../files/jsonl.ts";
import { type Repair, removeIfThere, repairFile, syncFolder } from "../files/system-calls.ts";
import type { Committed } from "../finish/committed.ts";
import { crawlPaths, partOf, partsOf } from "../folder/crawl-folder.ts";
import { PAGES_HEADER } from "../folder/create-folder.ts";
import { graphPaths } from "../folder/graph-facts.ts";
import { openGraph } from "../graph/link-log.ts";
import { mergeCdxj } from "../lists/cdxj.ts";
import { indexWriter, pageWriter } from "../lists/list-writers.ts";
import { sourceLine } from "../tree/tree-files.ts";
import { type ArchiveDamage, archiveFiles, scanArchive } from "../warc/archive-scan.ts";
import { raise } from "../writer.ts";

/** Number of the parts that are written here: no builder has it. */
const REBUILDER = 1_000_000;

/** What came out of reading the archive. */
export interface Rebuilt {
  readonly captures: number;
  readonly orphans: number;
  /** Lists that did not agree with the archive, and the first byte that differed. */
  readonly changed: readonly { readonly file: string; readonly offset: number }[];
  readonly damages: readonly ArchiveDamage[];
  /** Bytes around records that were repaired. */
  readonly repaired: readonly { readonly file: string; readonly offset: number }[];
  /** A file with a line `URL<TAB>source` per committed capture, and a third field if it failed; the caller removes it. */
  readonly crawled: string;
}

/** Reads the archive once and writes index, page list, link graph and the list of orphans anew. */
export function rebuildLists(dir: string, committed: Committed): Rebuilt {
  const { archive, index, pages, reports } = crawlPaths(dir);
  const { out, nodes } = graphPaths(dir);
  const orphanList = orphanPath(dir);
  const crawledList = join(reports, "crawled.txt");
  // What the builders streamed may be torn, and is in the archive.
  for (const part of [...partsOf(out), ...partsOf(nodes)]) removeIfThere(part);
  // Each list is written beside its place, so that an interruption leaves the old ones.
  const [newIndex, newPages, newOrphans, newCrawled] = [index, pages, orphanList, crawledList].map(
    (path) => partOf(path, REBUILDER),
  ) as [string, string, string, string];
  for (const part of [newIndex, newOrphans, newCrawled]) removeIfThere(part);
  writeFileSync(newPages, PAGES_HEADER);
  const graph = openGraph({ folder: dir, thread: REBUILDER });
  const writers = [indexWriter(newIndex), pageWriter(newPages), graph];
  const orphans = new JsonlFile(newOrphans);
  const crawled = new JsonlFile(newCrawled);
  const found = { captures: 0, orphans: 0 };
  const damages: ArchiveDamage[] = [];
  const repaired: Rebuilt["repaired"][number][] = [];
  for (const name of archiveFiles(archive)) {
    const repairs: Repair[] = [];
    const report = (damage: ArchiveDamage) => damages.push(damage);
    const repair = (byte: Repair) => repairs.push(byte);
    for (const record of scanArchive(archive, name, report, repair)) {
      const { url, parent, archived } = record;
      const { file, offset } = archived.location;
      if (committed.find(file, offset)) {
        found.captures++;
        for (const writer of writers) if (writer.append(record)) writer.flush(raise);
        const hasFailed = committed.hasJournal
          ? committed.isFailed(file, offset)
          : isFailure(record.status);
        crawled.writeLine(`${sourceLine(url, parent ?? "")}${hasFailed ? FAILED : ""}`);
      } else {
        found.orphans++;
        orphans.write({ url, ...archived.location });
      }
    }
    repairFile(join(archive, name), repairs);
    repaired.push(...repairs.map(({ offset }) => ({ file: name, offset })));
  }
  for (const writer of writers) writer.close(raise);
  for (const list of [orphans, crawled]) list.close();
  mergeCdxj([newIndex], newIndex);
  const changed = [index, pages].flatMap(replaceList);
  // Only `recover` writes this list: it need not exist when it would be empty.
  if (existsSync(orphanList) || found.orphans > 0) changed.push(...replaceList(orphanList));
  else removeIfThere(newOrphans);
  return { ...found, damages, repaired, changed, crawled: newCrawled };
}

/** What stands behind a line of `crawled` whose URL failed. */
export const FAILED = "\tfailed";

/** Whether an answer means that its URL failed, where no journal says it: redirects are stored as such. */
function isFailure(status: number): boolean {
  return status < 200 || status >= 400;
}

/** Where records are listed that were never committed. */
export function orphanPath(dir: string): string {
  return join(crawlPaths(dir).reports, "orphans.jsonl");
}

/** Replaces a list and its parts by the new one; answers where they differ. */
function replaceList(path: string): { file: string; offset: number }[] {
  const part = partOf(path, REBUILDER);
  const offset = firstDifference(path, part);
  renameSync(part, path);
  syncFolder(dirname(path));
  for (const old of partsOf(path)) removeIfThere(old);
  return offset === undefined ? [] : [{ file: path, offset }];
}
