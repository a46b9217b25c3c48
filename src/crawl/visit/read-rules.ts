import type { CrawlConfig } from "../../config/schema.ts";
import { productToken } from "../../config/user-agent.ts";
import type { ReadRules } from "./read-page.ts";

/** A body may decode to this many times its size before it counts as a bomb. */
const MAX_RATIO = 200;

/** How pages are read, from the crawl's configuration. */
export function readRulesOf(config: CrawlConfig): ReadRules {
  return {
    maxBodyBytes: config.maxBodyBytes,
    maxRatio: MAX_RATIO,
    obeyDirectives: config.robots,
    parse: {
      agent: productToken(config.userAgent),
      maxLinks: config.maxLinksPerPage,
      assets: config.archival,
      lazy: config.archival,
      forms: config.forms,
      feeds: config.feeds,
      skipNofollow: config.relNofollow === "skip",
    },
  };
}
