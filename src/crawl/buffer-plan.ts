import type { CrawlConfig } from "../config/schema.ts";
import { frontierTraits } from "../frontier/frontier-memory.ts";
import { CRAWLERS_PER_BUFFER } from "../sync/hand-off-buffer.ts";

/**
 * Whether the builders share the threads of their crawlers when the crawl begins. The only crawler thread of a crawl that
 * did not ask for builders begins so as well: a thread of its own pays for itself only in a longer crawl (decision 125).
 */
export function startsJoined(
  config: Pick<
    CrawlConfig,
    "threads" | "builders" | "addsBuilder" | "handOff" | "store" | "frontier" | "sync"
  >,
): boolean {
  const { threads, builders, addsBuilder = false, handOff, store } = config;
  if (builders === 0) return true;
  // Records that are to be handed over together, and the small files of a tree, are for a thread that may block. Where others
  // fetch again what a dead worker had not settled, commits are not to wait for a crawler's turns.
  const wantsThread =
    handOff === "full" || store.includes("tree") || frontierTraits(config).isElsewhere;
  return addsBuilder && threads === 1 && !wantsThread;
}

/** How many builders there are: one in each crawler thread where there are no threads for them. */
export function builderCount({
  threads,
  builders,
}: Pick<CrawlConfig, "threads" | "builders">): number {
  return builders === 0 ? threads : builders;
}

/**
 * Which threads share which hand-off buffer: at most two crawlers each, and any number of buffers per builder. With twice
 * as many crawlers as builders there is one buffer per builder, as in seed 001.
 */
export class BufferPlan {
  readonly count: number;
  readonly #threads: number;
  readonly #builders: number;

  constructor(config: Pick<CrawlConfig, "threads" | "builders">) {
    const { threads } = config;
    this.#threads = threads;
    this.#builders = builderCount(config);
    this.count = Math.max(this.#builders, Math.ceil(threads / CRAWLERS_PER_BUFFER));
  }

  bufferOf(thread: number): number {
    return thread % this.count;
  }

  laneOf(thread: number): number {
    return Math.floor(thread / this.count);
  }

  builderOf(thread: number): number {
    return this.bufferOf(thread) % this.#builders;
  }

  /** The crawlers of a buffer, in the order of their lanes. */
  crawlersOf(buffer: number): number[] {
    return every(this.count, buffer, this.#threads);
  }

  /** The buffers that a builder empties. */
  buffersOf(builder: number): number[] {
    return every(this.#builders, builder, this.count);
  }
}

/** Every `step`-th number from `first` on, below `end`. */
function every(step: number, first: number, end: number): number[] {
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, i) => first + i * step);
}
