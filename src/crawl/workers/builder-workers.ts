import { DiskFullError } from "../../errors.ts";
import { compileLess } from "../../runtime/compile-less.ts";
import type { RunningWorker } from "../../runtime/run-worker.ts";
import { BufferPlan, startsJoined } from "../buffer-plan.ts";
import type { BuilderLegacy, FromBuilder, ToBuilder } from "../builder/builder-message.ts";
import { bellsOf, createBuffer } from "../shared-memory.ts";
import { startBuilder, type WorkersPlan } from "./start-workers.ts";

/** What builders report to their owner. */
export interface BuilderListener {
  onMessage(message: FromBuilder): void;
  onDeath(running: RunningWorker, error: unknown): void;
}

/** The builder threads of a crawl. Each empties the buffers of its crawlers. */
export class BuilderWorkers {
  readonly #plan: WorkersPlan;
  readonly #buffers: BufferPlan;
  readonly #listener: BuilderListener;
  readonly #running: RunningWorker[] = [];
  #areJoined: boolean;
  /** Set while builders wait for space. */
  fullDisk: DiskFullError | undefined;

  constructor(plan: WorkersPlan, listener: BuilderListener) {
    this.#plan = plan;
    this.#buffers = new BufferPlan(plan.config);
    this.#listener = listener;
    this.#areJoined = startsJoined(plan.config);
  }

  get all(): readonly RunningWorker[] {
    return this.#running;
  }

  /** Starts the builders, unless they share the threads of their crawlers. */
  startAll(): void {
    if (this.#areJoined) return;
    for (let builder = 0; builder < this.#plan.config.builders; builder++) this.#start(builder);
  }

  /** Starts the thread that takes over from the builder in the only crawler thread. */
  takeOver(legacy: BuilderLegacy): void {
    this.#areJoined = false;
    this.#start(0, legacy);
  }

  #start(builder: number, legacy?: BuilderLegacy): void {
    const onMessage = (message: FromBuilder) => {
      if (message.kind !== "loaded") this.heard(message);
      // When a crawl begins its crawlers may still load.
      else if (legacy !== undefined) compileLess("now");
    };
    const running = startBuilder(this.#plan, builder, onMessage, legacy);
    this.#running[builder] = running;
    running.ended.catch((error: unknown) => this.#listener.onDeath(running, error));
  }

  /** A builder has something to tell. */
  heard(message: FromBuilder): void {
    if (message.kind === "diskFull") this.fullDisk = new DiskFullError(message.message);
    else if (message.kind === "diskFree") this.fullDisk = undefined;
    this.#listener.onMessage(message);
  }

  /** True while builders share the threads of their crawlers. */
  get areJoined(): boolean {
    return this.#areJoined;
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
    const number = this.#buffers.builderOf(thread);
    const builder = this.#running[number]!;
    const note: ToBuilder = { kind: "crawlerDied", thread };
    builder.worker.postMessage(note);
    this.#plan.control.noteSent();
    bellsOf(this.#plan.memory).builders[number]!.ring();
    const builderDied = builder.ended.catch(() => {}).then(() => true);
    return (await Promise.race([closed, builderDied])) !== true;
  }

  /** Settles when all have closed their files; `replaced` settles when those that died meanwhile have successors. */
  async ended(replaced: () => Promise<void>): Promise<void> {
    for (const waited = new Set<RunningWorker>(); ; ) {
      const more = this.#running.filter((running) => !waited.has(running));
      if (more.length === 0) return;
      await Promise.all(more.map(({ ended }) => ended.catch(() => {})));
      for (const running of more) waited.add(running);
      await replaced();
    }
  }
}
