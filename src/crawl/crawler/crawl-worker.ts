import { parentPort, workerData } from "node:worker_threads";
import { OrbweaverError } from "../../errors.ts";
import { type LoadedHandler, loadHandler } from "../visit/load-handler.ts";
import { Crawler, type CrawlerListener } from "./crawler.ts";
import type { FromCrawler, StandbyData, ToCrawler } from "./crawler-message.ts";

const port = parentPort!;
const post = (message: FromCrawler): void => port.postMessage(message);
let crawler: Crawler | undefined;

try {
  const handler = await loadHandler((workerData as StandbyData).modules);
  port.on("message", (message: ToCrawler) => {
    if (message.kind === "begin") begin(message, handler);
    else if (message.kind === "leave") process.exit(1);
    else onMessage(message);
  });
} catch (error) {
  refuse(error);
}

/** What was found (damaged state, an unreadable folder, a bad module) is an error for the user, not a fault of ours. */
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
  const listener: CrawlerListener = {
    onSeed: (url) => post({ kind: "seed", url }),
    onReady: (share, pages) => post({ kind: "ready", share, pages }),
    onFinished: () => {
      post({ kind: "finished" });
      port.close();
    },
    // A fault of ours: the thread dies of it, and the supervisor starts another one.
    onFault: (error) => {
      throw error;
    },
  };
  try {
    crawler = new Crawler({ ...rules, handler }, listener);
    crawler.start(ownSeeds);
  } catch (error) {
    refuse(error);
  }
}

/** A thread that refused to begin has no crawler and ignores further messages. */
function onMessage(message: ToCrawler): void {
  if (message.kind === "seed") crawler?.addSeed(message.url);
  else if (message.kind === "go") crawler?.go();
  else if (message.kind === "places") crawler?.onPlaces(message.places);
  else if (message.kind === "giveUpWaiting") crawler?.giveUpWaiting();
}
