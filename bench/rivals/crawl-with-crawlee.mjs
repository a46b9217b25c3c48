// Crawls as Crawlee's CheerioCrawler does, with nothing kept on disk: node crawl-with-crawlee.mjs PAGES SEED...
import { CheerioCrawler, Configuration, log } from "@crawlee/cheerio";

const [pages, ...seeds] = process.argv.slice(2);
log.setLevel(log.LEVELS.ERROR);
const crawler = new CheerioCrawler(
  {
    maxRequestsPerCrawl: Number(pages),
    maxConcurrency: 32,
    requestHandler: ({ enqueueLinks }) => enqueueLinks({ strategy: "all" }),
  },
  new Configuration({ persistStorage: false }),
);
await crawler.run(seeds);
