import { DiskFullError } from "../../errors.ts";
import { BufferPlan, mayBuildInMain } from "../buffer-plan.ts";
import type { FromBuilder, RunningBuilder } from "../builder/builder-message.ts";
import { createBuffer } from "../shared-memory.ts";
import { buildRulesOf, startBuilder, type WorkersPlan } from "./start-workers.ts";

/** What builders report to their owner. */
export interface BuilderListener {
  onMessage(message: FromBuilder): void;
  onDeath(running: RunningBuilder, error: unknown): void;
}

/** The builders of a crawl. Each empties the buffers of its crawlers. */
export class BuilderWorkers {
  readonly #plan: WorkersPlan;
  readonly #buffers: BufferPlan;
  readonly #listener: BuilderListener;
  readonly #running: RunningBuilder[] = [];
  /** True while builders share the threads of their crawlers. */
  readonly areJoined: boolean;
  #wasHere = false;
  /** Set while builders wait for space. */
  fullDisk: DiskFullError | undefined;

  constructor(plan: WorkersPlan, listener: BuilderListener) {
    this.#plan = plan;
    this.#buffers = new BufferPlan(plan.config);
    this.#listener = listener;
    this.areJoined = plan.config.builders === 0;
  }

  get all(): readonly RunningBuilder[] {
    return this.#running;
  }

  /** Starts the builders, unless they share the threads of their crawlers. */
  startAll(): void {
    if (this.areJoined) return;
    for (let builder = 0; builder < this.#plan.config.builders; builder++) this.#start(builder);
  }

  #start(builder: number): void {
    const onMessage = (message: FromBuilder) => this.heard(message);
    const running =
      this.#startHere(builder, onMessage) ?? startBuilder(this.#plan, builder, onMessage);
    this.#running[builder] = running;
    running.ended.catch((error: unknown) => this.#listener.onDeath(running, error));
  }

  /**
   * Starts the builder in this thread, if that is where it is to be. One that has died there leaves its files open, and one
   * that finds a full disk at its start has to wait without blocking: a thread does better.
   */
  #startHere(
    builder: number,
    onMessage: (message: FromBuilder) => void,
  ): RunningBuilder | undefined {
    const { buildHere, config } = this.#plan;
    if (buildHere === undefined || this.#wasHere || !mayBuildInMain(config)) return undefined;
    this.#wasHere = true;
    try {
      return buildHere(buildRulesOf(this.#plan, builder), onMessage);
    } catch {
      // The thread will meet the same fault.
      return undefined;
    }
  }

  /** A builder has something to tell. */
  heard(message: FromBuilder): void {
    if (message.kind === "diskFull") this.fullDisk = new DiskFullError(message.message);
    else if (message.kind === "diskFree") this.fullDisk = undefined;
    this.#listener.onMessage(message);
  }

  /** Starts the successor of a dead builder, with empty buffers: decision 6 says why. */
  replace(builder: number): void {
    const { memory } = this.#plan;
    for (const buffer of this.#buffers.buffersOf(builder)) memory.buffers[buffer] = createBuffer();
    if (!this.areJoined) this.#start(builder);
  }

  /** The crawlers of a builder. */
  threadsOf(builder: number): number[] {
    const buffers = this.#buffers.buffersOf(builder);
    return buffers.flatMap((buffer) => this.#buffers.crawlersOf(buffer));
  }

  /**
   * Has the builder of a dead crawler store every complete record it handed over and close its journals; `closed`
   * settles when the builder says so. False when the builder died meanwhile.
   */
  async crawlerDied(thread: number, closed: Promise<unknown>): Promise<boolean> {
    const builder = this.#running[this.#buffers.builderOf(thread)]!;
    builder.tell({ kind: "crawlerDied", thread });
    const builderDied = builder.ended.catch(() => {}).then(() => true);
    return (await Promise.race([closed, builderDied])) !== true;
  }

  /** Settles when all have closed their files; `replaced` settles when those that died meanwhile have successors. */
  async ended(replaced: () => Promise<void>): Promise<void> {
    for (const waited = new Set<RunningBuilder>(); ; ) {
      const more = this.#running.filter((running) => !waited.has(running));
      if (more.length === 0) return;
      await Promise.all(more.map(({ ended }) => ended.catch(() => {})));
      for (const running of more) waited.add(running);
      await replaced();
    }
  }
}
