import { EventEmitter } from "node:events";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { CrawlSummary } from "./crawl-summary.ts";

/** The figures of a running crawl at one moment. */
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

/** Every event of a crawl; docs/events.md explains each. */
export interface CrawlEvents {
  started: [out: string];
  progress: [progress: CrawlProgress];
  seedRedirected: [target: CrawlUrl];
  /** Fewer files may be open than asked for: the crawl uses fewer threads or links. */
  fewFiles: [message: string];
  /** A worker thread died and was replaced; `backMs` after its death the URLs it held were waiting again. */
  workerReplaced: [name: string, cause: unknown, backMs: number];
  /** The disk is full or fails: the crawl waits until it works again. */
  diskFull: [message: string];
  diskFree: [];
  stopping: [reason: string];
  /** Only long work is left, and it can be broken off. */
  safe: [];
  /** A stop left work that can be done later. */
  leftForLater: [message: string];
  ended: [summary: CrawlSummary];
}

/** Emits the events of a crawl. Listeners run on the main thread. */
export class CrawlBus extends EventEmitter<CrawlEvents> {}
