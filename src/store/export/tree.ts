import { LockTable } from "../../sync/lock-table.ts";
import { crawlPaths } from "../crawl-folder.ts";
import { DiskTree } from "../tree-files.ts";
import { treePlace } from "../tree-path.ts";
import { UrlTree } from "../url-tree.ts";
import { pageRows } from "./page-rows.ts";
import { Payloads } from "./payload.ts";

/** How many pages were written, were there before, or could not be read. */
export interface TreeExport {
  written: number;
  there: number;
  lost: number;
}

/** Writes the pages of an archive as an indexed URL tree; what is in the tree already stays. */
export function exportTree(dir: string, out: string): TreeExport {
  const paths = crawlPaths(dir);
  const locks = new LockTable(
    new Int32Array(new SharedArrayBuffer(LockTable.words(1) * 4)),
    0,
    1,
    1,
  );
  const tree = new UrlTree(locks, new DiskTree(out));
  const payloads = new Payloads(paths.archive, paths.index);
  const done: TreeExport = { written: 0, there: 0, lost: 0 };
  try {
    for (const { url, parent, file, offset } of pageRows(paths.pages)) {
      const content = payloads.at(file, offset);
      if (content === undefined) done.lost++;
      else if (tree.add(treePlace(url), { url, source: parent ?? "", content }) === "")
        done.there++;
      else done.written++;
    }
  } finally {
    payloads.close();
  }
  return done;
}
