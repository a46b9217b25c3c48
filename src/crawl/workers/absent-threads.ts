import type { CrawlConfig } from "../../config/schema.ts";
import { isThreadWanted, offerThread } from "../../frontier/frontier-memory.ts";
import { LoopDoorbell } from "../../sync/loop-doorbell.ts";
import { restInBuffer } from "../open-buffer.ts";
import { bellsOf, type CrawlMemory } from "../shared-memory.ts";

/**
 * Crawler threads that are not started before there is something for them: links for their shards, or work that the others
 * have no place for. Until then the supervisor listens at their doorbells; nobody who rings can tell.
 */
export class AbsentThreads {
  readonly #memory: CrawlMemory;
  readonly #config: CrawlConfig;
  readonly #onWanted: (thread: number) => void;
  readonly #bells = new Map<number, LoopDoorbell>();

  constructor(
    { memory, config }: { readonly memory: CrawlMemory; readonly config: CrawlConfig },
    onWanted: (thread: number) => void,
  ) {
    this.#memory = memory;
    this.#config = config;
    this.#onWanted = onWanted;
  }

  has(thread: number): boolean {
    return this.#bells.has(thread);
  }

  /** Keeps a thread from being started for now; false where its frontier needs it. */
  tryAdd(thread: number): boolean {
    if (!offerThread(this.#memory.frontier, this.#memory.threads, thread)) return false;
    const bell = bellsOf(this.#memory).crawlers[thread]!;
    // The threads that run keep the loop alive.
    this.#bells.set(thread, new LoopDoorbell(bell, () => this.#listen(thread), null));
    this.rest([thread]);
    return true;
  }

  /** Those among these threads that are absent have nothing to hand over; to be said again when their buffers are new. */
  rest(threads: readonly number[]): void {
    for (const thread of threads)
      if (this.has(thread)) restInBuffer(this.#memory, this.#config, thread);
  }

  /** Call when the others run. */
  listen(): void {
    for (const thread of [...this.#bells.keys()]) this.#listen(thread);
  }

  /** The thread listens at its doorbell itself from now on, or nobody does. */
  remove(thread: number): void {
    const bell = this.#bells.get(thread);
    this.#bells.delete(thread);
    bell?.close();
    bell?.awake();
  }

  close(): void {
    for (const thread of [...this.#bells.keys()]) this.remove(thread);
  }

  #listen(thread: number): void {
    const { frontier, threads } = this.#memory;
    const hasWork = () => isThreadWanted(frontier, threads, thread);
    const bell = this.#bells.get(thread);
    if (bell === undefined) return;
    bell.awake();
    // Rung between two looks: once more.
    while (bell.fallAsleep({ hasWork })) {
      if (!hasWork()) continue;
      this.#onWanted(thread);
      return;
    }
  }
}
