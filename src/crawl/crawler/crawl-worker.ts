import { parentPort, workerData } from "node:worker_threads";
import { OrbweaverError } from "../../errors.ts";
import { loadHandler } from "../visit/load-handler.ts";
import { Crawler } from "./crawler.ts";
import type { FromCrawler, StandbyData, ToCrawler } from "./crawler-message.ts";

const port = parentPort!;
let crawler: Crawler | undefined;

/** Sends a message to the supervisor; after the last one the thread may end. */
function post(message: FromCrawler): void {
  if (message.kind === "page") port.postMessage(message, [message.page.body.buffer]);
  else port.postMessage(message);
  if (message.kind === "finished" || message.kind === "refused") port.close();
}

/** The state on disk is not what was written, or a folder cannot be read: a sentence for the user, not a fault. */
function refuse(error: unknown): void {
  if (!(error instanceof OrbweaverError)) throw error;
  const { code, message, exitCode } = error;
  post({ kind: "refused", code, message, exitCode });
}

try {
  const handler = await loadHandler((workerData as StandbyData).modules);
  port.on("message", (message: ToCrawler) => {
    if (message.kind === "leave") process.exit(1);
    // A thread that was refused has no crawler and listens no more.
    if (message.kind !== "begin") return crawler?.onMessage(message);
    try {
      crawler = new Crawler({ ...message.rules, handler }, post);
      crawler.start(message.ownSeeds);
    } catch (error) {
      refuse(error);
    }
  });
} catch (error) {
  refuse(error);
}
