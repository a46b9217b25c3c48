import { EventEmitter } from "node:events";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { CrawlSummary } from "./crawl-summary.ts";

/** What a running crawl looks like at one moment. */
export interface CrawlProgress {
  readonly pages: number;
  readonly failed: number;
  readonly refused: number;
  readonly redirects: number;
  readonly known: number;
  readonly queued: number;
  readonly inFlight: number;
  /** Hosts that have URLs but must not be asked yet. */
  readonly hostsWaiting: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly rssBytes: number;
}

/** Every event of a crawl; docs/events.md tells what each means. */
export interface CrawlEvents {
  started: [out: string];
  progress: [progress: CrawlProgress];
  seedRedirected: [target: CrawlUrl];
  /** Fewer files may be open than asked for: the crawl uses fewer threads or links. */
  fewFiles: [message: string];
  /** A worker thread died and another one took its place; what it held waited again after `backMs`. */
  workerReplaced: [name: string, cause: unknown, backMs: number];
  /** The disk is full or fails: the crawl waits until it works again. */
  diskFull: [message: string];
  diskFree: [];
  stopping: [reason: string];
  /** What is left to do is long and can be broken off. */
  safe: [];
  /** The end had no time for work that can be done later. */
  leftForLater: [message: string];
  ended: [summary: CrawlSummary];
}

/** Tells whoever listens how the crawl goes. Listeners run on the main thread. */
export class CrawlBus extends EventEmitter<CrawlEvents> {}
