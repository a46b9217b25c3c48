import { Crawl } from "../../src/crawl/crawl.ts";
import type { CrawlSummary } from "../../src/crawl/crawl-summary.ts";

/** A crawl in this process whose numbers must add up when it ends. */
export class CheckedCrawl extends Crawl {
  override async run(): Promise<CrawlSummary> {
    const summary = await super.run();
    if (summary.selfCheck.length > 0)
      throw new Error(`the numbers do not add up: ${summary.selfCheck.join("; ")}`);
    return summary;
  }
}
