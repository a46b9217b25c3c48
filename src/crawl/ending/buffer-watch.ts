import type { CrawlConfig } from "../../config/schema.ts";
import { BufferPlan } from "../buffer-plan.ts";
import type { CrawlMemory } from "../shared-memory.ts";
import { bufferFlow } from "./flow.ts";
import type { BufferPeaks } from "./self-check.ts";

/** Looks from time to time how many pages the hand-off buffers hold. */
export class BufferWatch {
  readonly plan: BufferPlan;
  readonly #size: number;
  #mostPages = 0;
  #left = 0;

  constructor(config: Pick<CrawlConfig, "threads" | "builders" | "bufferSize">) {
    this.plan = new BufferPlan(config);
    this.#size = config.bufferSize;
  }

  look(memory: CrawlMemory): void {
    const pages = bufferFlow(memory, this.plan).map(({ added, removed }) => added - removed);
    this.#mostPages = Math.max(this.#mostPages, ...pages);
    this.#left = pages.reduce((sum, each) => sum + each, 0);
  }

  /** What was seen so far; `left` of the last look. */
  get peaks(): BufferPeaks {
    return { size: this.#size, mostPages: this.#mostPages, left: this.#left };
  }
}
