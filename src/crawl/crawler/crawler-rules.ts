import type { CrawlConfig } from "../../config/schema.ts";
import type { Credential } from "../../fetch/credentials.ts";
import type { Consent } from "../../fetch/route/address.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { BuildRules } from "../builder/build-rules.ts";
import type { CrawlMemory } from "../shared-memory.ts";
import type { Hang } from "../visit/handler-runner.ts";
import type { LoadedHandler } from "../visit/load-handler.ts";

/** What the program on the main thread wants to have. */
export interface MainWants {
  /** Every page, before it is committed. */
  readonly pages: boolean;
  /** It may take its time: it sets the pace of the crawl. */
  readonly paces: boolean;
  /** What becomes of URLs without a page. */
  readonly ends: boolean;
}

/** Everything a crawler thread is started with. Plain data, because it crosses a thread boundary. */
export interface CrawlerRules {
  readonly thread: number;
  readonly config: CrawlConfig;
  readonly memory: CrawlMemory;
  /** Seeds of the fingerprints, random per crawl. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** All seeds, redirected ones of earlier runs included; each thread admits its own, and all define the scope. */
  readonly seeds: readonly CrawlUrl[];
  /** The private addresses that the user has consented to. */
  readonly consents: readonly Consent[];
  /** Folder of the journals; undefined for a frontier that keeps none. */
  readonly journals: string | undefined;
  /** All journals were created with the crawl, so one that is not there is missing. */
  readonly begun: boolean;
  /** How this thread stores what it fetches itself; undefined where builder threads do. */
  readonly build?: BuildRules | undefined;
  /** Folder of the archive, which must hold every committed record, except in files known to be lost. */
  readonly archive: string;
  readonly lostArchives: readonly string[];
  /** Number of this run, higher than that of every run before. */
  readonly epoch: number;
  /** A thread that is gone may have asked hosts a moment ago: each waits for one delay first. */
  readonly mustWait: boolean;
  /** What `--handler` and `--priority` name; each thread loads its own. */
  readonly handler?: LoadedHandler;
  /** What `--header` and `--auth` stand for. */
  readonly credentials: readonly Credential[];
  /** What the program on the main thread wants to have. */
  readonly wants: MainWants;
  /** Pages whose handlers hung a thread of this run. */
  readonly hangs: readonly (readonly [url: string, hang: Hang])[];
}
