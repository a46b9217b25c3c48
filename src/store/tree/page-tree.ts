import { relative } from "node:path";
import { CapacityError } from "../../errors.ts";
import { LockTable, MAX_LOCK_OWNERS } from "../../sync/lock-table.ts";
import type { Capture, Location } from "../capture.ts";
import { plainBody } from "../warc/plain-body.ts";
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

/** The indexed URL tree as a builder writes it: pages only, each once. */
export class PageTree {
  readonly #folder: string;
  readonly #crawlFolder: string;
  readonly #tree: UrlTree;

  constructor(crawlFolder: string, folder: string, locks: SharedArrayBuffer, thread: number) {
    this.#crawlFolder = crawlFolder;
    this.#folder = folder;
    const table = new LockTable(new Int32Array(locks), 0, ENTRIES, thread + 1);
    this.#tree = new UrlTree(table, new DiskTree(folder));
  }

  /** Stores a page, durable when this returns; the answer is where it is. */
  add(capture: Pick<Capture, "url" | "parent" | "head" | "body">): Location {
    const content = plainBody(capture.head, capture.body);
    const place = treePlace(capture.url);
    const source = capture.parent ?? "";
    const path = this.#tree.add(place, { url: capture.url, source, content }) || place.path;
    const below = relative(this.#crawlFolder, this.#folder);
    return { file: `${below}/${path}/content.html`, offset: 0, length: content.length };
  }
}
