import { configOf, handlerFunction, type ProgramSettings } from "./config/crawl-config.ts";
import { Crawl } from "./crawl/crawl.ts";
import { CrawlRun } from "./crawl/crawl-run.ts";
import type { CrawlBus, CrawlEvents } from "./crawl/events.ts";
import { UsageError } from "./errors.ts";
import { freshFolder } from "./store/folder/fresh-folder.ts";

export type { Patterns, ProgramSettings } from "./config/crawl-config.ts";
export type {
  BeforeRequest,
  EnqueueOptions,
  Page,
  PageAnswer,
  PageContext,
  PageFunction,
  PageHandler,
  PagePriority,
  PageRequest,
  PageResponse,
  ShouldVisit,
  UserData,
} from "./config/page-handler.ts";
export { createRouter, type Router } from "./config/router.ts";
export type { CrawlConfig, CrawlSettings } from "./config/schema.ts";
export type { RefusedSeed } from "./crawl/control/change-input.ts";
export type { ControlChange } from "./crawl/control/control-change.ts";
export type { ControlSnapshot } from "./crawl/control/control-state.ts";
export type { AddedSeeds, LiveControl } from "./crawl/control/live-control.ts";
export { Crawl } from "./crawl/crawl.ts";
export { CrawlRun } from "./crawl/crawl-run.ts";
export type { CrawlSummary } from "./crawl/crawl-summary.ts";
export type { CrawlEvents, CrawlProgress, UrlEnd } from "./crawl/events.ts";
export * from "./errors.ts";
export type { HostSetting } from "./frontier/host-settings.ts";
export { type CrawlUrl, canonicalize } from "./url/crawl-url.ts";
export { configOf };

/** Functions to call while a crawl runs, by event. */
export type Listeners = {
  readonly [Event in keyof CrawlEvents]?: (...args: CrawlEvents[Event]) => void | Promise<void>;
};

/**
 * Crawls: `await` it for the figures, or go over its pages with `for await`. Settings are those of the command line under
 * their names in docs/config.md; without `out` a new folder below ./crawls is made, as by the command. The seeds of a
 * program consent to no private address: say `allowPrivate`.
 */
export function crawl(settings: ProgramSettings, listeners: Listeners = {}): CrawlRun {
  return new Crawler(settings, listeners).run();
}

/** A crawl that is set up first and run later. docs/library.md explains settings, handlers and events. */
export class Crawler {
  readonly #crawl: Crawl;
  readonly #signal: AbortSignal | undefined;

  constructor(settings: ProgramSettings, listeners: Listeners = {}) {
    const config = configOf(settings);
    const out = config.out ?? freshFolder("crawls", new Date());
    this.#crawl = new Crawl(config, out, false, handlerFunction(settings));
    this.#signal = settings.signal;
    for (const [event, listener] of Object.entries(listeners)) {
      if (typeof listener !== "function")
        throw new UsageError(`the listener of ${event} is no function`);
      this.#crawl.events.on(event as keyof CrawlEvents, listener as () => void);
    }
  }

  /** Where listeners are added: `crawler.events.on("page", …)`. */
  get events(): CrawlBus {
    return this.#crawl.events;
  }

  /** Begins in the next turn of the event loop; to be called once. */
  run(): CrawlRun {
    return new CrawlRun(this.#crawl, this.#signal);
  }

  /** Finishes and commits what is in flight; a second call drops it. */
  stop(): void {
    this.#crawl.stop();
  }
}
