import { existsSync } from "node:fs";
import type { CrawlConfig } from "../../config/schema.ts";
import { UsageError } from "../../errors.ts";
import { UNIT } from "../../frontier/cash/cash-book.ts";
import { ShardCash } from "../../frontier/cash/shard-cash.ts";
import { recoverShard } from "../../frontier/fold/recover-shard.ts";
import { listJournals } from "../../frontier/journal/journal-listing.ts";
import { admissionFingerprint } from "../../frontier/seen/admission-key.ts";
import { lastFingerprint } from "../../hash/fingerprint.ts";
import { readLines } from "../../store/files/read-file.ts";
import { crawlPaths, partsOf, readCrawlState } from "../../store/folder/crawl-folder.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";

/** What a crawl ordered by cash knows of a URL. */
export type KnownCash =
  | { readonly state: "unknown" }
  /** `priority` is the cash as a part of what a seed begins with. */
  | { readonly state: "waiting" | "done"; readonly cash: number; readonly priority: number };

/**
 * Looks a URL up in the journals of a crawl, without changing anything. A waiting page has the cash it would be fetched
 * for; a page that is done has all that it ever got. Snapshots of an earlier version dropped that: then the answer is what
 * the page was fetched with, according to the list of pages, or what it got since if that is more.
 */
export function knownCash(dir: string, url: CrawlUrl): KnownCash {
  const state = readCrawlState(dir);
  const config = state?.config as CrawlConfig | undefined;
  if (state === undefined || config?.order !== "opic") {
    throw new UsageError(
      `--crawl ${dir}: there is no crawl ordered by cash in that folder; use one that was made with --order opic`,
    );
  }
  const { seedLow, seedHigh } = state;
  const shard = shardOf(siteHash(siteOf(hostnameOf(url))), config.shards);
  const cash = new ShardCash();
  const folder = crawlPaths(dir).journals;
  recoverShard({ folder, shard, seedLow, seedHigh, cash }, () => {});
  const found = { url, parent: undefined, depth: 0, via: "link", seed: false, chain: [] } as const;
  admissionFingerprint(found, { ...config, seedLow, seedHigh });
  const page = cash.pages.find(lastFingerprint.low, lastFingerprint.high);
  if (page < 0) return { state: "unknown" };
  const isDone = cash.book.isDone(page);
  const isForgotten = isDone && listJournals(folder)(shard).snapshots.length > 0;
  const got = Math.max(cash.book.history(page), isForgotten ? fetchedWith(dir, url) : 0);
  return { state: isDone ? "done" : "waiting", cash: got, priority: got / UNIT };
}

/** The cash of a page in the list of pages and its parts; 0 when it is not there. */
function fetchedWith(dir: string, url: CrawlUrl): number {
  const { pages } = crawlPaths(dir);
  const name = `"url":${JSON.stringify(url)},`;
  for (const file of [pages, ...partsOf(pages)]) {
    for (const line of existsSync(file) ? readLines(file) : []) {
      if (!line.includes(name)) continue;
      const found = JSON.parse(line) as PageLine;
      if (found.url === url) return found.cash ?? 0;
    }
  }
  return 0;
}
