import { shellQuote } from "../../config/command-line.ts";
import { withoutSecrets } from "../../config/kept-config.ts";
import type { CrawlConfig } from "../../config/schema.ts";
import { formatDuration } from "../../config/values/durations.ts";
import { formatSize } from "../../config/values/sizes.ts";
import type { Totals } from "../../stats/counters.ts";
import type { Limit } from "../crawl-summary.ts";

/** The settings that end a crawl. */
type Limits = Pick<CrawlConfig, "maxPages" | "maxBytes" | "maxTimeMs">;

/** The limit that a crawl has reached. */
export function limitReached(
  { maxPages, maxBytes, maxTimeMs }: Limits,
  { pages, bytes }: Pick<Totals, "pages" | "bytes">,
  seconds: number,
): Limit {
  if (maxPages !== undefined && pages >= maxPages)
    return { option: "--max-pages", value: String(maxPages), reached: pages };
  if (maxBytes !== undefined && bytes >= maxBytes)
    return { option: "--max-size", value: formatSize(maxBytes), reached: bytes };
  // Other workers have the other pages.
  if (maxPages !== undefined && maxTimeMs === undefined)
    return { option: "--max-pages", value: String(maxPages), reached: pages };
  return { option: "--max-time", value: formatDuration(maxTimeMs ?? 0), reached: seconds };
}

/** The command that goes on after an end that left something. Time is counted anew by each run, the other limits are not. */
export function resumeCommand(out: string, limits: Limits, limit: Limit | null): string {
  const { maxPages = 0, maxBytes = 0 } = limits;
  const more =
    limit?.option === "--max-pages"
      ? ` --max-pages ${2 * maxPages}`
      : limit?.option === "--max-size"
        ? ` --max-size ${formatSize(2 * maxBytes)}`
        : "";
  return `orbweaver resume ${shellQuote(out)}${more}`;
}

/** The command that lets a worker of a crawl on an engine go on. */
export function rejoinCommand(
  out: string,
  { engine = "", crawlName = "" }: Pick<CrawlConfig, "engine" | "crawlName">,
): string {
  const url = shellQuote(withoutSecrets(engine));
  return `orbweaver worker --engine ${url} --crawl ${crawlName} --out ${shellQuote(out)}`;
}
