import type { CrawlConfig } from "../../config/schema.ts";
import { UNIT } from "../../frontier/cash/cash-book.ts";
import { ShardCash } from "../../frontier/cash/shard-cash.ts";
import { recoverShard } from "../../frontier/fold/recover-shard.ts";
import { type AdmissionRules, linkFingerprint } from "../../frontier/seen/admission-key.ts";
import { lastFingerprint } from "../../hash/fingerprint.ts";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { pageRows } from "../../store/export/page-rows.ts";
import { shardsIn } from "../../store/finish/journal-view.ts";
import { type CrawlState, crawlPaths, readCrawlState } from "../../store/folder/crawl-folder.ts";
import { LinkGraph } from "../../store/graph/link-graph.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";

/** Pages in the report. */
const TOP = 100;

/** A page as reports/top-pages.json lists it. */
export interface TopPage extends Pick<PageLine, "url" | "title" | "depth"> {
  /** All the cash that it ever got, before and after it was fetched, as a part of what a seed begins with. */
  readonly history: number;
  /** How many pages link to it. */
  readonly inDegree: number;
  /** What it was fetched with, as in the list of pages. */
  readonly cash: number;
  readonly priority: number;
}

/**
 * The pages that got the most cash in all, as journals and snapshots know it: what a page was fetched with says when it
 * was fetched as much as how many link to it. Takes as much memory as the crawl did for its known pages.
 */
export function topPages(dir: string, limit: TimeLimit = NO_LIMIT, count = TOP): TopPage[] {
  const history = new Histories(dir, readCrawlState(dir)!, limit);
  const best: { got: number; page: PageLine }[] = [];
  for (const page of pageRows(crawlPaths(dir).pages)) {
    const got = history.of(page.url as CrawlUrl);
    // Nearly all pages end here.
    if (got <= (best[count - 1]?.got ?? -1)) continue;
    const poorer = best.findIndex((other) => other.got < got);
    best.splice(poorer < 0 ? best.length : poorer, 0, { got, page });
    if (best.length > count) best.pop();
  }
  const graph = new LinkGraph(dir);
  try {
    return best.map(({ got, page: { url, title, depth, cash = 0, priority = 0 } }) => {
      const inDegree = graph.inDegree(url);
      return { url, title, depth, history: got / UNIT, inDegree, cash, priority };
    });
  } finally {
    graph.close();
  }
}

/** What every page of a crawl ever got. */
class Histories {
  readonly #shards = new Map<number, ShardCash>();
  readonly #rules: AdmissionRules;
  readonly #count: number;

  constructor(dir: string, { seedLow, seedHigh, config, journals }: CrawlState, limit: TimeLimit) {
    const settings = config as CrawlConfig;
    const folder = crawlPaths(dir).journals;
    this.#rules = { ...settings, seedLow, seedHigh };
    this.#count = settings.shards;
    for (const shard of shardsIn(folder, journals)) {
      limit.check();
      const cash = new ShardCash();
      recoverShard({ folder, shard, seedLow, seedHigh, cash }, () => {});
      this.#shards.set(shard, cash);
    }
  }

  /** 0 for a page that is not known. */
  of(url: CrawlUrl): number {
    const cash = this.#shards.get(shardOf(siteHash(siteOf(hostnameOf(url))), this.#count));
    if (cash === undefined) return 0;
    linkFingerprint(url, this.#rules);
    const page = cash.pages.find(lastFingerprint.low, lastFingerprint.high);
    return page < 0 ? 0 : cash.book.history(page);
  }
}
