import { RandomLines } from "../../store/files/random-lines.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import type { Cluster } from "../near/clusters.ts";
import type { NearTexts } from "../near/near-texts.ts";
import { runSet } from "../near/word-runs.ts";
import { ArchivedPages } from "./archived-pages.ts";
import { scanText } from "./visible-text.ts";

/** Groups of near duplicates; pages that may be some are read from the archive once more and compared. */
export function nearPages(dir: string, texts: NearTexts): Cluster[] {
  const lines = new RandomLines(crawlPaths(dir).pages);
  const archived = new ArchivedPages(dir);
  const lineAt = (number: number) => JSON.parse(lines.at(number)) as Partial<PageLine>;
  try {
    return texts.groups((number) => {
      // The first line is about the list.
      const page = lineAt(number + (lineAt(0).url === undefined ? 1 : 0)) as PageLine;
      const answer = archived.answer(page);
      const scanned = answer && scanText(page.mime, answer);
      return scanned === undefined ? undefined : runSet(scanned.text);
    });
  } finally {
    archived.close();
    lines.close();
  }
}
