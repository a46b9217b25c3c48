import type { LockTable } from "../../sync/lock-table.ts";

/** What the tree keeps of a URL. */
export interface TreePage {
  readonly url: string;
  /** The page it was found on; "" for seeds. */
  readonly source: string;
  /** As a browser would get it: without transfer and content coding. */
  readonly content: Uint8Array;
  /** What the server declared it as; "" for nothing. */
  readonly mime: string;
}

/** Where a page belongs in the tree. */
export interface TreePlace {
  /** Folders below the root, joined by "/". */
  readonly path: string;
  /** Used instead when another URL has the path already, as on disks that ignore case. */
  readonly second: string;
  /** Chooses the lock; equal for paths that a disk might take for one. */
  readonly hash: number;
}

/** Whose page is at a path: no one's, that of this URL, or that of another. */
export type Tenant = "nobody" | "same" | "other";

/** The disk below a tree; the explorer puts words of shared memory in its place. */
export interface TreeFiles {
  tenant(path: string, url: string): Tenant;
  /** Makes the page appear, whole or not at all. */
  write(path: string, page: TreePage): void;
}

/**
 * The indexed URL tree: a folder per URL, each written once. Several threads may add at the same time; only threads that
 * add the same URL wait for each other.
 */
export class UrlTree {
  readonly #locks: LockTable;
  readonly #files: TreeFiles;

  constructor(locks: LockTable, files: TreeFiles) {
    this.#locks = locks;
    this.#files = files;
  }

  /** Stores a page and answers its path; "" when its URL was there already. */
  add(place: TreePlace, page: TreePage): string {
    this.#locks.read(place.hash);
    let path = "";
    try {
      path = this.#freePath(place, page);
    } finally {
      this.#locks.release(place.hash);
    }
    if (path === "") return "";
    this.#locks.write(place.hash);
    try {
      // Somebody may have stored it between the two locks: what was seen while reading is only a hint.
      path = this.#freePath(place, page);
      if (path !== "") this.#files.write(path, page);
    } finally {
      this.#locks.release(place.hash);
    }
    return path;
  }

  /** The path at which the page of a URL lies that is in the tree. */
  pathOf(place: TreePlace, url: string): string {
    return this.#files.tenant(place.path, url) === "same" ? place.path : place.second;
  }

  #freePath(place: TreePlace, page: TreePage): string {
    const first = this.#files.tenant(place.path, page.url);
    if (first === "nobody") return place.path;
    if (first === "same") return "";
    return this.#files.tenant(place.second, page.url) === "nobody" ? place.second : "";
  }
}
