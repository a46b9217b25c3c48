import { configOf, type ProgramSettings } from "./config/crawl-config.ts";
import { Crawl } from "./crawl/crawl.ts";
import type { CrawlEvents } from "./crawl/events.ts";
import type { CrawlSummary } from "./crawl/summary.ts";

export type { ProgramSettings } from "./config/crawl-config.ts";
export type { PagePriority } from "./config/priority-module.ts";
export type { CrawlConfig, CrawlSettings } from "./config/schema.ts";
export { Crawl } from "./crawl/crawl.ts";
export type { CrawlEvents, CrawlProgress } from "./crawl/events.ts";
export type { CrawlSummary } from "./crawl/summary.ts";
export * from "./errors.ts";
export { openScratchFile, type ScratchFile } from "./frontier/scratch-file.ts";
export {
  type BatchPrediction,
  type CrawlSample,
  findBatchSize,
  predictBatch,
} from "./queue/batch-size.ts";
export type { BlockFile } from "./queue/block-file.ts";
export { BucketQueue } from "./queue/bucket-queue.ts";
export type { Crew, Phase } from "./queue/crew.ts";
export { GlobalQuickheap } from "./queue/global-quickheap.ts";
export { Heap } from "./queue/heap.ts";
export { type Key, Keys } from "./queue/keys.ts";
export { bestFirst, type LinkGraph, pageRank } from "./queue/page-rank.ts";
export type { PriorityQueue } from "./queue/priority-queue.ts";
export { Quickheap } from "./queue/quickheap.ts";
export { RangeQueue } from "./queue/range-queue.ts";
export type { SliceMemory } from "./queue/slice-memory.ts";
export { SlicedQueue } from "./queue/sliced-queue.ts";
export { ThreadCrew } from "./queue/thread-crew.ts";
export { Tournament } from "./queue/tournament.ts";
export type { WorkBalance } from "./queue/work-balance.ts";
export { readCrawlSample, type SampleOptions } from "./store/crawl-sample.ts";
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
