import type { Page } from "../config/page-handler.ts";
import { UsageError } from "../errors.ts";
import type { Crawl } from "./crawl.ts";
import type { CrawlSummary } from "./crawl-summary.ts";
import type { CrawlBus, CrawlProgress } from "./events.ts";

/**
 * A crawl that begins in the next turn of the event loop: `await` it for its summary, or go over its pages with
 * `for await`, which sets its pace; breaking out of the loop stops the crawl and commits what was seen.
 */
export class CrawlRun implements Promise<CrawlSummary>, AsyncIterable<Page> {
  readonly [Symbol.toStringTag] = "CrawlRun";
  readonly events: CrawlBus;
  readonly #crawl: Crawl;
  readonly #summary: Promise<CrawlSummary>;
  #hasBegun = false;

  constructor(crawl: Crawl, signal?: AbortSignal) {
    this.#crawl = crawl;
    this.events = crawl.events;
    this.#summary = new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#hasBegun = true;
        crawl.run(signal).then(resolve, reject);
      });
    });
  }

  /** Its pages, at least once each, with back-pressure. To be asked for before the crawl begins. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Page, undefined> {
    if (this.#hasBegun)
      throw new UsageError(
        "the pages of a crawl must be asked for before it begins: for await (const page of crawl(...))",
      );
    const stream = this.#crawl.stream(() => this.#summary);
    this.#summary.then(
      () => stream.close(),
      (fault: unknown) => stream.close({ fault }),
    );
    return stream;
  }

  /** Finishes and commits what is in flight; a second call drops it. */
  stop(): void {
    this.#crawl.stop();
  }

  /** The figures at this moment. */
  progress(): CrawlProgress {
    return this.#crawl.progress();
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = CrawlSummary, B = never>(
    onEnded?: ((summary: CrawlSummary) => A | PromiseLike<A>) | null,
    onFault?: ((fault: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#summary.then(onEnded, onFault);
  }

  catch<B = never>(onFault?: ((fault: unknown) => B | PromiseLike<B>) | null) {
    return this.#summary.catch(onFault);
  }

  finally(onEnd?: (() => void) | null): Promise<CrawlSummary> {
    return this.#summary.finally(onEnd);
  }
}
