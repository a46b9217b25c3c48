import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import type { HandlerModules } from "../visit/load-handler.ts";
import type { CrawlerRules } from "./crawler-rules.ts";

/** What a crawler thread starts with, before it gets its shards. */
export interface StandbyData {
  readonly crawler: true;
  readonly modules: HandlerModules;
}

/** What the supervisor sends to a crawler thread. */
export type ToCrawler =
  /** The first message: which shards this thread owns. */
  | {
      readonly kind: "begin";
      readonly rules: CrawlerRules;
      readonly ownSeeds: readonly CrawlUrl[];
    }
  | { readonly kind: "seed"; readonly url: CrawlUrl }
  | { readonly kind: "giveUpWaiting" }
  | { readonly kind: "go" }
  /** Another thread takes over these shards. */
  | { readonly kind: "leave" }
  /** Where the records are that this thread asked for. */
  | { readonly kind: "places"; readonly places: readonly PlaceOfRecord[] };

/** What a crawler thread sends to the supervisor. */
export type FromCrawler =
  | { readonly kind: "seed"; readonly url: CrawlUrl }
  | { readonly kind: "ready"; readonly share: number; readonly pages: number }
  /** It cannot start with what is on disk, or with the user's module. */
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      readonly exitCode: number;
    }
  | { readonly kind: "finished" };
