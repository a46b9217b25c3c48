import type { FolderFiles } from "./folder-files.ts";
import { linkAttributes } from "./html-links.ts";
import { contentType } from "./mime.ts";
import { resolveLink } from "./spread.ts";

// Elements whose links a reader follows; pictures, scripts and style sheets are not pages.
const FOLLOWED = new Set(["a", "area", "frame", "iframe"]);
const ORIGIN = "http://folder.invalid";

/** What a complete crawl of a folder finds. */
export interface FolderCounts {
  reachable: number;
  missing: number;
  redirects: number;
}

/** Walks the folder from its start page as a crawler would. */
export function folderTruth(files: FolderFiles, startPath: string): FolderCounts {
  const counts = { reachable: 0, missing: 0, redirects: 0 };
  const known = new Set([startPath]);
  for (const target of known) {
    // Iterating over a Set includes what is added meanwhile, so it serves as the queue.
    const path = target.split("?", 1)[0]!;
    const query = target.slice(path.length);
    if (path.endsWith("/")) {
      counts.redirects++;
      known.add(`${path}index.html${query}`);
      continue;
    }
    const found = files.find(path);
    if (!found) counts.missing++;
    else if (found.kind !== "file") {
      counts.redirects++;
      known.add((found.kind === "folder" ? `${path}/` : found.path) + query);
    } else {
      counts.reachable++;
      if (!contentType(path).includes("html")) continue;
      const html = found.bytes.toString("latin1");
      let base = ORIGIN + path;
      for (const { tag, from, to } of linkAttributes(html)) {
        if (tag !== "base" && !FOLLOWED.has(tag)) continue;
        const url = resolveLink(html, from, to, base);
        if (!url) continue;
        if (tag === "base") base = url.href;
        else if (url.origin === ORIGIN) known.add(url.pathname + url.search);
      }
    }
  }
  return counts;
}
