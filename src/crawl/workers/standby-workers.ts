import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import type { StandbyData } from "../crawler/crawler-message.ts";
import type { HandlerModules } from "../visit/load-handler.ts";

/**
 * Crawler threads that load their code and then wait to be told which shards are theirs: loading takes longer than all
 * the rest of a replacement, so it is begun when somebody dies, and after the first death some are kept ready.
 */
export class StandbyWorkers {
  readonly #data: StandbyData;
  readonly #ready: RunningWorker[] = [];
  #kept = 0;

  constructor({ handler, priority }: HandlerModules) {
    this.#data = { crawler: true, modules: { handler, priority } };
  }

  /** A thread that has nothing to do yet; it is no longer a spare. */
  take(): RunningWorker {
    return this.#ready.shift() ?? this.#start();
  }

  /** Sees to it that so many are ready, or nearly, now and after every `refill`. */
  keep(count: number): void {
    this.#kept = Math.max(this.#kept, count);
    this.refill();
  }

  /** For the next death. Not while one is being repaired: threads that load their code would hold up those that begin. */
  refill(): void {
    while (this.#ready.length < this.#kept) this.#ready.push(this.#start());
  }

  /** The crawl is over. */
  async dismiss(): Promise<void> {
    this.#kept = 0;
    await Promise.all(this.#ready.splice(0).map(({ worker }) => worker.terminate()));
  }

  #start(): RunningWorker {
    const module = new URL("../crawler/crawl-worker.js", import.meta.url);
    const running = runWorker(module, "crawler", { workerData: this.#data });
    // One that dies while it waits is simply not there any more.
    const forget = () => {
      const at = this.#ready.indexOf(running);
      if (at >= 0) this.#ready.splice(at, 1);
    };
    running.ended.then(forget, forget);
    return running;
  }
}
