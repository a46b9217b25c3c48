import { DiskFullError } from "../errors.ts";
import type { RunningWorker } from "../sync/run-worker.ts";
import type { FromBuilder, ToBuilder } from "./build-worker.ts";
import { type CrewPlan, startBuilder } from "./crew-workers.ts";
import { createPipe } from "./shared-memory.ts";

/** What becomes of a builder. */
export interface BuilderVoice {
  hear(message: FromBuilder): void;
  died(running: RunningWorker, error: unknown): void;
}

/** The builder threads of a crawl. Builder b stores the pages of the crawlers b, b + B, b + 2B and so on. */
export class BuilderCrew {
  readonly #plan: CrewPlan;
  readonly #voice: BuilderVoice;
  readonly #running: RunningWorker[] = [];
  /** True when one has died: it may have left a file of the archive open. */
  hasLost = false;
  /** Set while builders wait for space. */
  fullDisk: DiskFullError | undefined;

  constructor(plan: CrewPlan, voice: BuilderVoice) {
    this.#plan = plan;
    this.#voice = voice;
  }

  get all(): readonly RunningWorker[] {
    return this.#running;
  }

  /** Starts a builder; one that takes the place of another finds nothing of it in the pipes. */
  start(builder: number): void {
    const running = startBuilder(this.#plan, builder, (message) => {
      if (message.kind === "diskFull") this.fullDisk = new DiskFullError(message.message);
      else if (message.kind === "diskFree") this.fullDisk = undefined;
      this.#voice.hear(message);
    });
    this.#running[builder] = running;
    running.ended.catch((error: unknown) => {
      this.hasLost = true;
      this.#voice.died(running, error);
    });
  }

  /** The crawlers of a builder. */
  threadsOf(builder: number): number[] {
    const { builders, threads } = this.#plan.config;
    return Array.from({ length: threads }, (_, thread) => thread).filter(
      (thread) => thread % builders === builder,
    );
  }

  /**
   * Has everything stored that a dead crawler handed over whole, and its journals closed; `closed` settles when its
   * builder says so. False when the builder died meanwhile.
   */
  async crawlerDied(thread: number, closed: Promise<unknown>): Promise<boolean> {
    const { memory, config, control } = this.#plan;
    const builder = this.#running[thread % config.builders]!;
    memory.pipes[thread] = createPipe();
    const note: ToBuilder = { kind: "crawlerDied", thread, pipe: memory.pipes[thread] };
    builder.worker.postMessage(note);
    control.noteSent();
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
