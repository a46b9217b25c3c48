import { UsageError } from "../errors.ts";

/** Stand-in: runs a crawl of a CrawlConfig on an Io and gives its exit code. */
export async function runCrawl(_config: unknown, _io: unknown): Promise<number> {
  throw new UsageError("crawl is not yet wired to the engine");
}
