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
import {
  type ArchiveDamage,
  archiveFiles,
  type ScannedCapture,
  scanArchive,
} from "../warc/archive-scan.ts";
import { type ListEntry, raise, type Writer } from "../writer.ts";

/** Number of the parts that are written here: no builder has it. */
const REBUILDER = 1_000_000;

/** What came out of reading the archive. */
export interface Rebuilt {
  readonly captures: number;
  readonly orphans: number;
  /** Lists that were not what the archive says, and the first byte that differed. */
  readonly changed: readonly { readonly file: string; readonly offset: number }[];
  readonly damages: readonly ArchiveDamage[];
  /** Bytes around records that were put right. */
  readonly repaired: readonly { readonly file: string; readonly offset: number }[];
  /** A file with a line `URL<TAB>source` per committed capture; the caller removes it. */
  readonly crawled: string;
}

/** Reads the archive once and writes index, page list, link graph and the list of orphans anew. */
export function rebuildLists(dir: string, committed: Committed): Rebuilt {
  const paths = crawlPaths(dir);
  const damages: ArchiveDamage[] = [];
  const repaired: Rebuilt["repaired"][number][] = [];
  const lists = new Lists(dir);
  let captures = 0;
  let orphans = 0;
  for (const name of archiveFiles(paths.archive)) {
    const repairs: Repair[] = [];
    const report = (damage: ArchiveDamage) => damages.push(damage);
    for (const record of scanArchive(paths.archive, name, report, (repair) =>
      repairs.push(repair),
    )) {
      const { file, offset } = record.archived.location;
      if (committed.find(file, offset)) {
        lists.add(record);
        captures++;
      } else {
        lists.orphan(record);
        orphans++;
      }
    }
    repairFile(join(paths.archive, name), repairs);
    repaired.push(...repairs.map(({ offset }) => ({ file: name, offset })));
  }
  return { captures, orphans, damages, repaired, ...lists.finish() };
}

/** The lists while they are written: each beside its place, so that an interruption leaves the old ones. */
class Lists {
  readonly #dir: string;
  readonly #writers: readonly Writer<ListEntry>[];
  readonly #orphans: JsonlFile;
  #hasOrphans = false;
  readonly #crawled: JsonlFile;

  constructor(dir: string) {
    this.#dir = dir;
    const { index, pages } = crawlPaths(dir);
    const graph = graphPaths(dir);
    const fresh = (path: string) => {
      removeIfThere(partOf(path, REBUILDER));
      return partOf(path, REBUILDER);
    };
    // What the builders streamed may be torn, and is in the archive.
    for (const part of [...partsOf(graph.out), ...partsOf(graph.nodes)]) removeIfThere(part);
    writeFileSync(fresh(pages), PAGES_HEADER);
    this.#writers = [
      indexWriter(fresh(index)),
      pageWriter(partOf(pages, REBUILDER)),
      openGraph({ folder: dir, thread: REBUILDER }),
    ];
    this.#orphans = new JsonlFile(fresh(orphanPath(dir)));
    this.#crawled = new JsonlFile(fresh(crawledPath(dir)));
  }

  add(record: ScannedCapture): void {
    for (const writer of this.#writers) if (writer.append(record)) writer.flush(raise);
    this.#crawled.writeLine(sourceLine(record.url, record.parent ?? ""));
  }

  orphan({ url, archived }: ScannedCapture): void {
    this.#hasOrphans = true;
    this.#orphans.write({ url, ...archived.location });
  }

  finish(): Pick<Rebuilt, "changed" | "crawled"> {
    const { index, pages } = crawlPaths(this.#dir);
    for (const writer of this.#writers) writer.close(raise);
    for (const list of [this.#orphans, this.#crawled]) list.close();
    const sorted = partOf(index, REBUILDER);
    mergeCdxj([sorted], sorted);
    const orphans = orphanPath(this.#dir);
    const changed = [index, pages].flatMap(replaceList);
    // Only `recover` writes that list: one that was never needed is not missed.
    if (existsSync(orphans) || this.#hasOrphans) changed.push(...replaceList(orphans));
    else removeIfThere(partOf(orphans, REBUILDER));
    return { changed, crawled: partOf(crawledPath(this.#dir), REBUILDER) };
  }
}

/** Where records are listed that were never committed. */
export function orphanPath(dir: string): string {
  return join(crawlPaths(dir).reports, "orphans.jsonl");
}

function crawledPath(dir: string): string {
  return join(crawlPaths(dir).reports, "crawled.txt");
}

/** Puts the new list in the place of the old one and its parts; tells where they differ. */
function replaceList(path: string): { file: string; offset: number }[] {
  const part = partOf(path, REBUILDER);
  const offset = firstDifference(path, part);
  renameSync(part, path);
  syncFolder(dirname(path));
  for (const old of partsOf(path)) removeIfThere(old);
  return offset === undefined ? [] : [{ file: path, offset }];
}
