import type { CrawlConfig } from "../config/schema.ts";
import { UsageError } from "../errors.ts";
import { admissionPrint } from "../frontier/admission-key.ts";
import { print } from "../frontier/fingerprint.ts";
import { recoverShard } from "../frontier/journal/recover-shard.ts";
import { UNIT } from "../frontier/opic/cash-book.ts";
import { ShardCash } from "../frontier/opic/shard-cash.ts";
import { crawlPaths, readCrawlState } from "../store/crawl-folder.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../url/site.ts";
import { hostnameOf } from "../url/url-parts.ts";

/** What a crawl ordered by cash knows of a URL. */
export type KnownCash =
  | { readonly state: "unknown" }
  /** `priority` is the cash as a part of what a seed begins with. */
  | { readonly state: "waiting" | "done"; readonly cash: number; readonly priority: number };

/**
 * Looks a URL up in the journals of a crawl. A waiting page has the cash it would be fetched for; a page that is done
 * has what it ever got, as far as the journal goes back behind its last snapshot. Nothing is changed.
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
  const cash = new ShardCash(seedLow, seedHigh);
  recoverShard({ folder: crawlPaths(dir).journals, shard, seedLow, seedHigh, cash }, () => {});
  const found = { url, parent: undefined, depth: 0, via: "link", seed: false, chain: [] } as const;
  admissionPrint(found, { ...config, seedLow, seedHigh });
  const page = cash.pages.find(print.low, print.high);
  if (page < 0) return { state: "unknown" };
  const got = cash.book.history(page);
  const priority = got / UNIT;
  return { state: cash.book.isDone(page) ? "done" : "waiting", cash: got, priority };
}
