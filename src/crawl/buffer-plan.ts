import type { CrawlConfig } from "../config/schema.ts";
import { frontierTraits } from "../frontier/frontier-memory.ts";
import { CRAWLERS_PER_BUFFER } from "../sync/hand-off-buffer.ts";

/**
 * Whether the builder may run in the main thread, where the program does nothing but crawl: that of the only crawler thread
 * of a crawl that did not ask for builders (decision 130).
 */
export function mayBuildInMain(
  config: Pick<
    CrawlConfig,
    "threads" | "placesBuilder" | "handOff" | "store" | "frontier" | "sync"
  >,
): boolean {
  const { threads, placesBuilder = false, handOff, store } = config;
  // Records that are to be handed over together, and the small files of a tree, are for a thread that may block. Where others
  // fetch again what a dead worker had not settled, commits are not to wait for anybody's turns.
  const wantsThread =
    handOff === "full" || store.includes("tree") || frontierTraits(config).isElsewhere;
  return placesBuilder && threads === 1 && !wantsThread;
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
