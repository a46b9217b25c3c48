import { parentPort, workerData } from "node:worker_threads";
import { OrbweaverError } from "../../errors.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import { type LoadedHandler, loadHandler } from "../visit/load-handler.ts";
import type { StandbyData } from "../workers/standby-workers.ts";
import { Crawler } from "./crawler.ts";
import type { CrawlerRules } from "./crawler-rules.ts";

/** What the supervisor says to a crawler thread. */
export type ToCrawler =
  /** The first word: these shards are yours. */
  | {
      readonly kind: "begin";
      readonly rules: CrawlerRules;
      readonly ownSeeds: readonly CrawlUrl[];
    }
  | { readonly kind: "seed"; readonly url: CrawlUrl }
  | { readonly kind: "giveUpWaiting" }
  | { readonly kind: "go" }
  /** Somebody else will begin anew with these shards. */
  | { readonly kind: "leave" }
  /** Where records are that this thread asked for. */
  | { readonly kind: "places"; readonly places: readonly PlaceOfRecord[] };

/** What a crawler thread says to the supervisor. */
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

const port = parentPort!;
const post = (message: FromCrawler): void => port.postMessage(message);
let crawler: Crawler | undefined;

try {
  const handler = await loadHandler((workerData as StandbyData).modules);
  port.on("message", (message: ToCrawler) => {
    if (message.kind === "begin") orRefuse(() => begin(message, handler));
    else if (message.kind === "leave") process.exit(1);
    else onMessage(message);
  });
} catch (error) {
  refuse(error);
}

function orRefuse(step: () => void): void {
  try {
    step();
  } catch (error) {
    refuse(error);
  }
}

/** The state on disk is not what was written, or a folder cannot be read: a sentence for the user, not a fault. */
function refuse(error: unknown): void {
  if (!(error instanceof OrbweaverError)) throw error;
  const { code, message, exitCode } = error;
  post({ kind: "refused", code, message, exitCode });
  port.close();
}

function begin(
  { rules, ownSeeds }: Extract<ToCrawler, { kind: "begin" }>,
  handler: LoadedHandler,
): void {
  crawler = new Crawler(
    { ...rules, handler },
    {
      onSeed: (url) => post({ kind: "seed", url }),
      onReady: (share, pages) => post({ kind: "ready", share, pages }),
      onFinished: () => {
        post({ kind: "finished" });
        port.close();
      },
      // A fault in our own code: the thread ends with it, and the supervisor starts another one.
      onFault: (error) => {
        throw error;
      },
    },
  );
  crawler.start(ownSeeds);
}

function onMessage(message: ToCrawler): void {
  // A thread that was refused listens no more.
  if (crawler === undefined) return;
  if (message.kind === "seed") crawler.addSeed(message.url);
  else if (message.kind === "go") crawler.go();
  else if (message.kind === "places") crawler.onPlaces(message.places);
  else if (message.kind === "giveUpWaiting") crawler.giveUpWaiting();
}
