import { DiskFullError } from "../../errors.ts";
import type { RunningWorker } from "../../runtime/run-worker.ts";
import { BufferPlan } from "../buffer-plan.ts";
import type { FromBuilder, ToBuilder } from "../builder/builder-message.ts";
import { bellsOf } from "../shared-memory.ts";
import { startBuilder, type WorkersPlan } from "./start-workers.ts";

/** What becomes of a builder. */
export interface BuilderListener {
  onMessage(message: FromBuilder): void;
  onDeath(running: RunningWorker, error: unknown): void;
}

/** The builder threads of a crawl. Each empties the buffers of its crawlers. */
export class BuilderWorkers {
  readonly #plan: WorkersPlan;
  readonly #listener: BuilderListener;
  readonly #running: RunningWorker[] = [];
  /** Set while builders wait for space. */
  fullDisk: DiskFullError | undefined;

  constructor(plan: WorkersPlan, listener: BuilderListener) {
    this.#plan = plan;
    this.#listener = listener;
  }

  get all(): readonly RunningWorker[] {
    return this.#running;
  }

  /** Starts a builder; one that takes the place of another finds nothing of it in the buffers. */
  start(builder: number): void {
    const running = startBuilder(this.#plan, builder, (message) => {
      if (message.kind === "diskFull") this.fullDisk = new DiskFullError(message.message);
      else if (message.kind === "diskFree") this.fullDisk = undefined;
      this.#listener.onMessage(message);
    });
    this.#running[builder] = running;
    running.ended.catch((error: unknown) => this.#listener.onDeath(running, error));
  }

  /** The crawlers of a builder. */
  threadsOf(builder: number): number[] {
    const plan = new BufferPlan(this.#plan.config);
    return plan.buffersOf(builder).flatMap((buffer) => plan.crawlersOf(buffer));
  }

  /**
   * Has everything stored that a dead crawler handed over whole, and its journals closed; `closed` settles when its
   * builder says so. False when the builder died meanwhile.
   */
  async crawlerDied(thread: number, closed: Promise<unknown>): Promise<boolean> {
    const { config, control, memory } = this.#plan;
    const number = new BufferPlan(config).builderOf(thread);
    const builder = this.#running[number]!;
    const note: ToBuilder = { kind: "crawlerDied", thread };
    builder.worker.postMessage(note);
    control.noteSent();
    bellsOf(memory)[memory.threads + number]!.ring();
    const builderDied = builder.ended.catch(() => {}).then(() => true);
    return (await Promise.race([closed, builderDied])) !== true;
  }

  /** Settles when all have closed their files; `repaired` settles when those that died meanwhile have been replaced. */
  async ended(repaired: () => Promise<void>): Promise<void> {
    for (const waited = new Set<RunningWorker>(); ; ) {
      const more = this.#running.filter((running) => !waited.has(running));
      if (more.length === 0) return;
      await Promise.all(more.map(({ ended }) => ended.catch(() => {})));
      for (const running of more) waited.add(running);
      await repaired();
    }
  }
}
