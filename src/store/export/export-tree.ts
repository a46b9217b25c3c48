import { existsSync } from "node:fs";
import { LockTable } from "../../sync/lock-table.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { DiskTree, readTreeContent } from "../tree/tree-files.ts";
import { treePlace } from "../tree/tree-path.ts";
import { UrlTree } from "../tree/url-tree.ts";
import { closedFiles, noPages } from "./closed-files.ts";
import { pageRows } from "./page-rows.ts";
import { Payloads } from "./payload.ts";

/** How many pages were written, were there before, or could not be read. */
export interface TreeExport {
  written: number;
  there: number;
  lost: number;
}

/** How a page is named that is in the crawl's own tree and in no archive. */
const IN_TREE = /^tree\/(.*)$/s;

/** Writes the pages of an archive, or of a crawl's own tree, as an indexed URL tree; what is in the tree already stays. */
export function exportTree(dir: string, out: string): TreeExport {
  const paths = crawlPaths(dir);
  if (closedFiles(dir).length === 0 && !existsSync(paths.tree)) throw noPages(dir);
  const locks = new LockTable(
    new Int32Array(new SharedArrayBuffer(LockTable.words(1) * 4)),
    0,
    1,
    1,
  );
  const tree = new UrlTree(locks, new DiskTree(out));
  const payloads = new Payloads(dir);
  const done: TreeExport = { written: 0, there: 0, lost: 0 };
  try {
    for (const { url, parent, mime, file, offset } of pageRows(paths.pages)) {
      const place = IN_TREE.exec(file)?.[1];
      const content =
        place === undefined ? payloads.at(file, offset) : readTreeContent(paths.tree, place);
      if (content === undefined) done.lost++;
      else if (tree.add(treePlace(url), { url, source: parent ?? "", content, mime }) === "")
        done.there++;
      else done.written++;
    }
  } finally {
    payloads.close();
  }
  return done;
}
