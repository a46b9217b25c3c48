import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import type { HandlerModules } from "../visit/load-handler.ts";
import type { CrawlerRules } from "./crawler-rules.ts";

/** What a crawler thread is given when it starts, before it is told which shards are its own. */
export interface StandbyData {
  readonly crawler: true;
  readonly modules: HandlerModules;
}

/** What the supervisor sends to a crawler thread. */
export type ToCrawler =
  /** The first message: these shards are yours. */
  | {
      readonly kind: "begin";
      readonly rules: CrawlerRules;
      readonly ownSeeds: readonly CrawlUrl[];
    }
  | { readonly kind: "seed"; readonly url: CrawlUrl }
  | { readonly kind: "giveUpWaiting" }
  | { readonly kind: "go" }
  /** Another thread will begin anew with these shards. */
  | { readonly kind: "leave" }
  /** Where records are that this thread asked for. */
  | { readonly kind: "places"; readonly places: readonly PlaceOfRecord[] };

/** What a crawler thread sends to the supervisor. */
export type FromCrawler =
  | { readonly kind: "seed"; readonly url: CrawlUrl }
  | { readonly kind: "ready"; readonly share: number; readonly pages: number }
  /** What is on disk cannot be used. */
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      readonly exitCode: number;
    }
  | { readonly kind: "finished" };
