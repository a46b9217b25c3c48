import type { CrawlConfig } from "../../config/schema.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { RoundThreads } from "./rounds-crawl.ts";

/** The first message: a configuration. Then shares of links for one of its threads. */
export type ProcessOrder =
  | { readonly config: CrawlConfig }
  | {
      readonly id: number;
      readonly thread: number;
      readonly urls: readonly CrawlUrl[];
      readonly maxWaitMs: number;
    };

let threads: RoundThreads | undefined;

process.on("message", (order: ProcessOrder) => {
  if ("config" in order) {
    void RoundThreads.start(order.config).then((started) => {
      threads = started;
      process.send!("ready");
    });
    return;
  }
  const { id, thread, urls, maxWaitMs } = order;
  void threads!.fetch(thread, urls, maxWaitMs).then((answer) => {
    if (process.connected) process.send!({ ...answer, id });
  });
});
process.once("disconnect", () => process.exit(0));
