import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "../files/replace-file.ts";

/** A page as the visited set of a shared frontier keeps it: seed 003's Webpage. */
export interface VisitedPage {
  readonly url: string;
  /** The page it was found on first; "" for seeds. */
  readonly parent: string;
  /** 0 for seeds. */
  readonly level: number;
  /** Where it leads, as far as links are followed; empty as long as it was not fetched. */
  readonly links: readonly string[];
}

/** Writes reports/visited.jsonl: every page that is known, level by level. */
export function writeVisitedList(path: string, pages: readonly VisitedPage[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const sorted = pages.toSorted((a, b) => a.level - b.level || (a.url < b.url ? -1 : 1));
  replaceFile(path, (file) => {
    for (const { url, parent, level, links } of sorted)
      file.write(Buffer.from(`${JSON.stringify({ url, parent, level, links })}\n`));
  });
}
