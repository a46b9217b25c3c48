import { parentPort, workerData } from "node:worker_threads";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { Crawler } from "./crawler.ts";
import type { CrawlerRules } from "./crawler-rules.ts";

/** What the supervisor says to a crawler thread. */
export type ToCrawler =
  | { readonly kind: "seed"; readonly url: CrawlUrl }
  | { readonly kind: "giveUpWaiting" };

/** What a crawler thread says to the supervisor. */
export type FromCrawler =
  | { readonly kind: "seed"; readonly url: CrawlUrl }
  | { readonly kind: "finished" }
  | { readonly kind: "failed"; readonly error: unknown };

const port = parentPort!;
const say = (message: FromCrawler): void => port.postMessage(message);
const { rules, ownSeeds } = workerData as { rules: CrawlerRules; ownSeeds: CrawlUrl[] };

const crawler = new Crawler(rules, {
  seedFound: (url) => say({ kind: "seed", url }),
  finished: () => {
    say({ kind: "finished" });
    port.close();
  },
  // A fault in our own code: the thread ends with it, and the supervisor ends the crawl cleanly.
  failed: (error) => {
    throw error;
  },
});

port.on("message", (message: ToCrawler) => {
  if (message.kind === "seed") crawler.addSeed(message.url);
  else crawler.giveUpWaiting();
});
crawler.start(ownSeeds);
