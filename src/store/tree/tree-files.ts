import { constants, type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { replaceWith } from "../files/replace-file.ts";
import { safeUri } from "../files/safe-text.ts";
import { removeIfThere, succeeds, syncFolder, withFile } from "../files/system-calls.ts";
import { CONTENT_NAME, contentName } from "./content-name.ts";
import type { Tenant, TreeFiles, TreePage } from "./url-tree.ts";

const SOURCE = "source.txt";
const KNOWN_FOLDERS = 4096;

/** One page of a tree on disk. */
export interface TreeEntry {
  readonly url: string;
  /** "" for seeds. */
  readonly source: string;
  /** The folder that holds it, below the root. */
  readonly path: string;
  /** The file with its content, below the root. */
  readonly file: string;
}

/** The line that source.txt holds, and that the list of crawled URLs is made of. */
export function sourceLine(url: string, source: string): string {
  return `${safeUri(url)}\t${safeUri(source)}`;
}

/**
 * A tree on disk. Its names come from the web, so nothing is trusted: a path must stay below the root, no level may be a
 * link, files are created with O_EXCL and O_NOFOLLOW, and appear by write, fsync, rename.
 */
export class DiskTree implements TreeFiles {
  readonly #root: string;
  #known = new Set<string>();

  /** `root` is made if it is not there. */
  constructor(root: string) {
    mkdirSync(root, { recursive: true });
    this.#root = resolve(root);
  }

  tenant(path: string, url: string): Tenant {
    const folder = this.#below(path);
    const line = readSource(folder);
    // A content file alone is what a crash left between the two files: the folder is free.
    if (line === undefined) return "nobody";
    return line.split("\t", 1)[0] === safeUri(url) ? "same" : "other";
  }

  write(path: string, page: TreePage): void {
    const folder = this.#below(path);
    const name = contentName(page.mime, page.content);
    // The folder may hold what a crash left of the page, under another name if it was of another type then.
    if (!this.#makeFolders(folder))
      for (const old of contentsOf(folder)) if (old !== name) removeIfThere(join(folder, old));
    replaceWith(join(folder, name), page.content);
    // Last: a folder with source.txt is complete, also after a power loss.
    replaceWith(join(folder, SOURCE), `${sourceLine(page.url, page.source)}\n`);
  }

  /** The name of the content file at a path; undefined when there is none. */
  contentAt(path: string): string | undefined {
    return contentsOf(this.#below(path))[0];
  }

  #below(path: string): string {
    const folder = resolve(this.#root, path);
    if (folder.startsWith(this.#root + sep)) return folder;
    throw new StoreCorruptError(`a page would leave the tree ${this.#root}`);
  }

  /** True when the folder is new. */
  #makeFolders(folder: string): boolean {
    if (folder === this.#root || this.#known.has(folder)) return false;
    const parent = dirname(folder);
    this.#makeFolders(parent);
    const isNew = succeeds(() => mkdirSync(folder), "EEXIST");
    if (isNew) syncFolder(parent);
    else if (!lstatSync(folder).isDirectory())
      throw new StoreCorruptError(`${folder} is not a folder: the tree was changed by others`);
    if (this.#known.size >= KNOWN_FOLDERS) this.#known = new Set();
    this.#known.add(folder);
    return isNew;
  }
}

/** The line of source.txt; undefined when there is none, or only the beginning of one. */
function readSource(folder: string): string | undefined {
  const text = readNoFollow(join(folder, SOURCE))?.toString("latin1");
  return text?.endsWith("\n") ? text.slice(0, -1) : undefined;
}

function readNoFollow(path: string): Buffer | undefined {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  let bytes: Buffer | undefined;
  const read = () => {
    bytes = withFile(path, flags, (file) => readFileSync(file));
  };
  succeeds(read, "ENOENT", "ENOTDIR", "ELOOP");
  return bytes;
}

/** The names of content files in a folder: one where a page is whole. */
function contentsOf(folder: string): string[] {
  return contentNames(readdirSync(folder, { withFileTypes: true }));
}

function contentNames(entries: readonly Dirent[]): string[] {
  return entries.filter((e) => CONTENT_NAME.test(e.name) && e.isFile()).map(({ name }) => name);
}

/** Iterates the pages of a tree, folder by folder in the order of their names; links are not followed. */
export function* readTree(root: string, path = ""): Generator<TreeEntry, void> {
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  const line = readSource(join(root, path));
  const [content] = contentNames(entries);
  if (line !== undefined && content !== undefined) {
    const [url, source] = line.split("\t") as [string, string | undefined];
    yield { url, source: source ?? "", path, file: `${path}/${content}` };
  }
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const name of folders.sort()) yield* readTree(root, path === "" ? name : `${path}/${name}`);
}

/** The content of a page of a tree, from its file below the root. */
export function readTreeContent(root: string, file: string): Buffer | undefined {
  return readNoFollow(join(root, file));
}
