import { EventEmitter } from "node:events";
import type { Page } from "../config/page-handler.ts";
import { residentBytes } from "../runtime/open-files.ts";
import type { Totals } from "../stats/counters.ts";
import type { Figures } from "../stats/crawl-figures.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { CrawlSummary, RunFigures } from "./crawl-summary.ts";

/** The figures of a running crawl at one moment: of all runs, and in `thisRun` of this one. */
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
  /** How many runs the crawl has had, this one included. */
  readonly runs: number;
  /** Of this run alone. */
  readonly thisRun: Pick<RunFigures, "pages" | "failed" | "refused" | "bytes" | "seconds">;
}

/** What earlier runs did, as far as it is known. */
export interface BeforeRun {
  /** Undefined until the threads have read it. */
  readonly counted: Totals | undefined;
  readonly runs: number;
  readonly seconds: number;
}

export const NOTHING_BEFORE: BeforeRun = { counted: undefined, runs: 0, seconds: 0 };

/** The figures of a crawl that has run so long. */
export function progressOf(sums: Totals, runMs: number, before: BeforeRun): CrawlProgress {
  // As long as threads read what earlier runs did, they have done nothing themselves.
  const start = before.counted ?? sums;
  const seconds = runMs / 1000;
  return {
    pages: sums.pages,
    failed: sums.failed,
    refused: sums.refused,
    redirects: sums.redirects,
    known: sums.known,
    queued: sums.queued,
    inFlight: sums.inFlight,
    hostsWaiting: sums.hostsWaiting,
    bytes: sums.bytes,
    seconds: before.seconds + seconds,
    rssBytes: residentBytes(),
    runs: before.runs + 1,
    thisRun: {
      pages: sums.pages - start.pages,
      failed: sums.failed - start.failed,
      refused: sums.refused - start.refused,
      bytes: sums.bytes - start.bytes,
      seconds,
    },
  };
}

/** What became of a URL that is no page. */
export interface UrlEnd {
  readonly url: string;
  /** A stable code of docs/outcomes.md. */
  readonly reason: string;
  readonly detail: string | undefined;
  readonly parent: string | undefined;
  readonly depth: number;
}

/** Every event of a crawl; docs/events.md explains each. */
export interface CrawlEvents {
  started: [out: string];
  progress: [progress: CrawlProgress];
  /** All figures of the crawl, once a second. */
  figures: [figures: Figures];
  seedRedirected: [target: CrawlUrl];
  /** Fewer files may be open than asked for: the crawl uses fewer threads or links. */
  fewFiles: [message: string];
  /** A worker thread died and was replaced; `backMs` after its death the URLs it held were waiting again. */
  workerReplaced: [name: string, cause: unknown, backMs: number];
  /** The disk is full or fails: the crawl waits until it works again. */
  diskFull: [message: string];
  diskFree: [];
  /** A page, before it is committed: at least once each. */
  page: [page: Page];
  /** A URL ended without a page. */
  failed: [end: UrlEnd];
  /** A link is not followed, or a URL is refused. */
  skipped: [end: UrlEnd];
  /** A handler called `log` for a page. */
  log: [url: string, text: string];
  stopping: [reason: string];
  /** Only long work is left, and it can be broken off. */
  safe: [];
  /** A stop left work that can be done later. */
  leftForLater: [message: string];
  ended: [summary: CrawlSummary];
}

/**
 * Emits the events of a crawl. Listeners run on the main thread. The first error of a listener, thrown or rejected, goes
 * to `onFault`, and no listener is called after it: the crawl stops and ends with that error.
 */
export class CrawlBus extends EventEmitter<CrawlEvents> {
  /** Set by the crawl while it runs. */
  onFault: ((error: unknown) => void) | undefined;
  #hasFailed = false;

  constructor() {
    super({ captureRejections: true });
  }

  /** Emits an event of the running crawl; never throws. */
  tell<Event extends keyof CrawlEvents>(event: Event, ...args: CrawlEvents[Event]): void {
    if (this.onFault === undefined) return;
    try {
      // The types of EventEmitter do not follow a generic name.
      (this.emit as (event: string, ...args: unknown[]) => boolean).call(this, event, ...args);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Called by Node with what the promise of an asynchronous listener was rejected with. */
  override [EventEmitter.captureRejectionSymbol](error: unknown, ..._event: unknown[]): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    const { onFault } = this;
    this.onFault = undefined;
    if (onFault !== undefined) onFault(error);
    // Nobody would learn of the error of a listener that went on after the crawl's end.
    else if (!this.#hasFailed) void Promise.reject(error);
    this.#hasFailed = true;
  }
}
