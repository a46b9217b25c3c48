import type { ShardExchange } from "../../frontier/fold/exchange-check.ts";
import type { Discovery, Fact } from "../../frontier/frontier.ts";
import type { LeftUrls } from "../../store/reports/result-lists.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { FromBuilder } from "../builder/builder-message.ts";
import type { ThreadChange } from "../control/control-change.ts";
import type { PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import type { Hang } from "../visit/handler-runner.ts";
import type { HandlerModules } from "../visit/load-handler.ts";
import type { PageMessage, PageReply } from "../visit/remote-handler.ts";
import type { Told } from "../visit/stages.ts";
import type { CrawlerRules } from "./crawler-rules.ts";
import type { HostLine } from "./host-list.ts";
import type { HostQuestion, HostRanks } from "./host-ranking.ts";

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
  /** What another thread committed. */
  | { readonly kind: "facts"; readonly facts: readonly Fact[] }
  /** URLs of this thread: links that are in scope after all, or new seeds; answered with "admitted" when they are durable. */
  | { readonly kind: "admit"; readonly number: number; readonly found: readonly Discovery[] }
  /** Somebody has changed this; answered with "obeyed". */
  | { readonly kind: "control"; readonly number: number; readonly change: ThreadChange }
  | { readonly kind: "giveUpWaiting" }
  /** Begin, with everything that was found out, and what was changed by hand, so far. */
  | {
      readonly kind: "go";
      readonly facts: readonly Fact[];
      readonly changes: readonly ThreadChange[];
    }
  /** Which hosts of this thread come first; answered with "hosts". */
  | { readonly kind: "rankHosts"; readonly number: number; readonly question: HostQuestion }
  /** What this thread knows of some hosts; answered with "hosts". */
  | { readonly kind: "describeHosts"; readonly number: number; readonly names: readonly string[] }
  /** Another thread takes over these shards. */
  | { readonly kind: "leave" }
  /** Threads hung in the handlers of these pages. */
  | { readonly kind: "hangs"; readonly hangs: readonly (readonly [url: string, hang: Hang])[] }
  /** What the main thread made of a page. */
  | { readonly kind: "handled"; readonly reply: PageReply }
  /** Where the records are that this thread asked for. */
  | { readonly kind: "places"; readonly places: readonly PlaceOfRecord[] };

/** What a crawler thread sends to the supervisor. */
export type FromCrawler =
  /** What a builder in this thread has to tell. */
  | { readonly kind: "builder"; readonly message: FromBuilder }
  /** What visits found out is committed. */
  | { readonly kind: "facts"; readonly facts: readonly Fact[] }
  | {
      readonly kind: "ready";
      readonly share: number;
      readonly pages: number;
      readonly bytes: number;
      /** What earlier visits found out, and the blocks sent and received, both of the shards of the thread. */
      readonly facts: readonly Fact[];
      readonly exchanges: readonly ShardExchange[];
    }
  | { readonly kind: "obeyed"; readonly number: number }
  | { readonly kind: "admitted"; readonly number: number; readonly fresh: number }
  /** A page for the main thread, answered with "handled". */
  | { readonly kind: "page"; readonly page: PageMessage }
  /** For programs that listen. */
  | { readonly kind: "told"; readonly told: Told }
  /** A handler has something to tell about a page. */
  | { readonly kind: "handlerLog"; readonly url: string; readonly text: string }
  /** It cannot start with what is on disk, or with the user's module. */
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      readonly exitCode: number;
    }
  /** URLs that it still held when it ended, where no journal knows them, and how many more of those are seeds. */
  | ({ readonly kind: "left" } & LeftUrls)
  | { readonly kind: "hosts"; readonly number: number; readonly answer: HostRanks | HostLine[] }
  | { readonly kind: "finished" };
