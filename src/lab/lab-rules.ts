import type { CrawlConfig } from "../config/schema.ts";
import type { CrawlerRules } from "../crawl/crawler/crawler-rules.ts";
import { createMemory } from "../crawl/shared-memory.ts";
import { readCredentials } from "../fetch/credentials.ts";
import { pinConsents } from "../fetch/route/consent.ts";

/** What a laboratory thread needs to fetch as a crawl does: same robots.txt, addresses, gates and transport. */
export async function fetchRules(config: CrawlConfig): Promise<CrawlerRules> {
  const own = { ...config, builders: 1, frontier: "sharded" as const };
  return {
    thread: 0,
    config: own,
    memory: createMemory(own),
    seedLow: 1,
    seedHigh: 2,
    seeds: config.seeds as CrawlerRules["seeds"],
    consents: await pinConsents(own),
    journals: undefined,
    begun: false,
    archive: "",
    lostArchives: [],
    epoch: 1,
    mustWait: false,
    hangs: [],
    credentials: readCredentials(config),
    wants: { pages: false, paces: false, ends: false },
  };
}
