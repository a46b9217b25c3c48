import { UsageError } from "../errors.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";

/** Stand-in: fetches the robots.txt of a URL's origin. */
export async function fetchRobots(_url: CrawlUrl, _io: unknown): Promise<Uint8Array> {
  throw new UsageError("robots.txt cannot be fetched yet; give --file robots.txt");
}
