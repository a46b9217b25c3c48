import { relative } from "node:path";
import { CapacityError } from "../../errors.ts";
import { LockTable, MAX_LOCK_OWNERS } from "../../sync/lock-table.ts";
import { isPage } from "../capture.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { sha1, sha256 } from "../warc/digest.ts";
import { plainBody } from "../warc/plain-body.ts";
import { newRecordId } from "../warc/warc-record.ts";
import { unbufferedWriter, type Writer, type WriterOptions } from "../writer.ts";
import { contentName } from "./content-name.ts";
import { DiskTree } from "./tree-files.ts";
import { treePlace } from "./tree-path.ts";
import { UrlTree } from "./url-tree.ts";

const ENTRIES = 1024;

/** The memory in which that many builders lock paths of a tree; made once per crawl. */
export function treeLockMemory(builders: number): SharedArrayBuffer {
  if (builders > MAX_LOCK_OWNERS) {
    const most = `at most ${MAX_LOCK_OWNERS} builders can write a URL tree`;
    throw new CapacityError(`${most}, not ${builders}: lower --builders`);
  }
  return new SharedArrayBuffer(LockTable.words(ENTRIES) * 4);
}

/** Gives back the locks of a builder that died. */
export function reclaimTreeLocks(locks: SharedArrayBuffer, thread: number): number {
  return LockTable.reclaim(new Int32Array(locks), 0, ENTRIES, thread + 1);
}

/** The indexed URL tree of a crawl: pages only, each once, durable when they are appended. */
export function openTree({ folder, thread, config, treeLocks }: WriterOptions): Writer | undefined {
  if (!config.store.includes("tree")) return undefined;
  const root = crawlPaths(folder).tree;
  const locks = new LockTable(new Int32Array(treeLocks), 0, ENTRIES, thread + 1);
  const disk = new DiskTree(root);
  const tree = new UrlTree(locks, disk);
  const below = relative(folder, root);
  return unbufferedWriter((entry) => {
    if (entry.kind !== "capture" || !isPage(entry)) return false;
    const content = plainBody(entry.head, entry.body);
    const place = treePlace(entry.url);
    const { url, mime, parent: source = "" } = entry;
    const added = tree.add(place, { url, source, content, mime });
    if (entry.archived !== undefined) return false;
    const path = added || tree.pathOf(place, url);
    // What an earlier run stored keeps its name, and may have been of another type.
    const name = (added === "" ? disk.contentAt(path) : undefined) ?? contentName(mime, content);
    entry.archived = {
      location: { file: `${below}/${path}/${name}`, offset: 0, length: content.length },
      payloadDigest: sha1(entry.body),
      payloadSha256: sha256(entry.body),
      recordId: newRecordId(),
      isRevisit: false,
    };
    return false;
  });
}
