import { configOf, type ProgramSettings } from "./config/crawl-config.ts";
import { Crawl } from "./crawl/crawl.ts";
import type { CrawlSummary } from "./crawl/crawl-summary.ts";
import type { CrawlEvents } from "./crawl/events.ts";

export type { ProgramSettings } from "./config/crawl-config.ts";
export type {
  EnqueueOptions,
  Page,
  PageAnswer,
  PageContext,
  PageFunction,
  PageHandler,
  PagePriority,
  PageRequest,
  PageResponse,
  UserData,
} from "./config/page-handler.ts";
export type { CrawlConfig, CrawlSettings } from "./config/schema.ts";
export { Crawl } from "./crawl/crawl.ts";
export type { CrawlSummary } from "./crawl/crawl-summary.ts";
export type { CrawlEvents, CrawlProgress } from "./crawl/events.ts";
export * from "./errors.ts";
export { type CrawlUrl, canonicalize } from "./url/crawl-url.ts";
export { configOf };

/** Functions to call while a crawl runs, by event. */
export type Listeners = {
  readonly [Event in keyof CrawlEvents]?: (...args: CrawlEvents[Event]) => void;
};

/**
 * Crawls and returns the figures. Settings are those of the command line under their names in docs/config.md;
 * `out` is required here. The seeds of a program consent to no private address: say `allowPrivate`.
 */
export async function crawl(
  settings: ProgramSettings & { readonly out: string },
  listeners: Listeners = {},
): Promise<CrawlSummary> {
  const running = new Crawl(configOf(settings), settings.out);
  for (const [event, listener] of Object.entries(listeners)) {
    running.events.on(event as keyof CrawlEvents, listener as () => void);
  }
  return running.run();
}
