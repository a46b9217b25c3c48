import type { CrawlConfig } from "../../config/schema.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { CrawlMemory } from "../shared-memory.ts";
import type { LoadedHandler } from "../visit/load-handler.ts";

/** Everything a crawler thread is given at its start. Plain data: it crosses a thread boundary. */
export interface CrawlerRules {
  readonly thread: number;
  readonly config: CrawlConfig;
  readonly memory: CrawlMemory;
  /** Random per crawl: fingerprints of one crawl mean nothing in another. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** All seeds, also those that earlier runs were led to; each thread admits its own and all define the scope. */
  readonly seeds: readonly CrawlUrl[];
  /** Folder of the journals; undefined for a frontier that keeps none. */
  readonly journals: string | undefined;
  /** Journals were begun with the crawl: one that is not there is missing. */
  readonly begun: boolean;
  /** Folder of the archive, in which committed records must be; files that are known to be lost are not looked for. */
  readonly archive: string;
  readonly lostArchives: readonly string[];
  /** Number of the run, above that of every run before. */
  readonly epoch: number;
  /** Hosts may have been asked a moment ago by a thread that is gone: each waits one delay first. */
  readonly mustWait: boolean;
  /** What `--handler` and `--priority` name; each thread loads it for itself. */
  readonly handler?: LoadedHandler;
}
