import { parentPort, workerData } from "node:worker_threads";
import { OrbweaverError } from "../../errors.ts";
import { type LoadedHandler, loadHandler } from "../visit/load-handler.ts";
import { Crawler } from "./crawler.ts";
import type { FromCrawler, StandbyData, ToCrawler } from "./crawler-message.ts";

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
