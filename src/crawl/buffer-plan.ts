import type { CrawlConfig } from "../config/schema.ts";
import { CRAWLERS_PER_BUFFER } from "../sync/hand-off-buffer.ts";

/**
 * Which crawlers share a hand-off buffer and which builder drains it: at most two crawlers per buffer, any number of
 * buffers per builder.
 * With twice as many crawlers as builders there is one buffer per builder, as in seed 001.
 */
export class BufferPlan {
  readonly count: number;
  readonly #threads: number;
  readonly #builders: number;

  constructor({ threads, builders }: Pick<CrawlConfig, "threads" | "builders">) {
    this.#threads = threads;
    this.#builders = builders;
    this.count = Math.max(builders, Math.ceil(threads / CRAWLERS_PER_BUFFER));
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
    const lanes = [];
    for (let thread = buffer; thread < this.#threads; thread += this.count) lanes.push(thread);
    return lanes;
  }

  /** The buffers that a builder empties. */
  buffersOf(builder: number): number[] {
    const own = [];
    for (let buffer = builder; buffer < this.count; buffer += this.#builders) own.push(buffer);
    return own;
  }
}
