import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CrawlConfig } from "../../config/schema.ts";
import { topPages } from "../../crawl/ending/top-pages.ts";
import { NO_LIMIT } from "../../runtime/time-limit.ts";
import { parseJson } from "../../store/files/jsonl.ts";
import { crawlPaths, wholeState } from "../../store/folder/crawl-folder.ts";

/** As far as a report needs it. */
interface CashPage {
  readonly url: string;
  readonly title: string;
  readonly history: number;
}

/** The pages that got the most cash in all; null for a crawl that was not ordered by it. */
export function cashTop(
  dir: string,
  count: number,
): { url: string; title: string; value: number }[] | null {
  const state = wholeState(dir);
  if (state === undefined || (state.config as CrawlConfig).order !== "opic") return null;
  return pagesOf(dir, count)
    .slice(0, count)
    .map(({ url, title, history }) => ({ url, title, value: history }));
}

/** From reports/top-pages.json where it is long enough, otherwise from the journals. */
function pagesOf(dir: string, count: number): readonly CashPage[] {
  const path = join(crawlPaths(dir).reports, "top-pages.json");
  const written = existsSync(path) ? parseJson(readFileSync(path, "utf8")) : undefined;
  if (Array.isArray(written) && written.length >= Math.min(count, 100))
    return written as CashPage[];
  return topPages(dir, NO_LIMIT, count);
}
