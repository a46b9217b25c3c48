import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import type { StandbyData } from "../crawler/crawler-message.ts";
import { type HandlerModules, modulesOf } from "../visit/load-handler.ts";

/**
 * Crawler threads in reserve: they load their code and then wait for their shards. Loading takes longer than the rest of
 * a replacement, so it begins as soon as a thread dies, and after the first death some are kept ready (18 MiB each).
 */
export class StandbyWorkers {
  readonly #data: StandbyData;
  #ready: RunningWorker[] = [];
  #kept = 0;

  constructor(modules: HandlerModules) {
    this.#data = { crawler: true, modules: modulesOf(modules) };
  }

  /** A thread without shards; it no longer belongs to the reserve. */
  take(): RunningWorker {
    return this.#ready.shift() ?? this.#start();
  }

  /** Keeps at least so many in reserve from now on. */
  keep(count: number): void {
    this.#kept = Math.max(this.#kept, count);
    this.refill();
  }

  /** Call after a replacement, not during one: threads that load their code would delay those that begin. */
  refill(): void {
    while (this.#ready.length < this.#kept) this.#ready.push(this.#start());
  }

  async dismiss(): Promise<void> {
    this.#kept = 0;
    await Promise.all(this.#ready.splice(0).map(({ worker }) => worker.terminate()));
  }

  #start(): RunningWorker {
    const module = new URL("../crawler/crawl-worker.js", import.meta.url);
    const running = runWorker(module, "crawler", { workerData: this.#data });
    // One that dies while it waits leaves the reserve.
    const forget = () => {
      this.#ready = this.#ready.filter((ready) => ready !== running);
    };
    running.ended.then(forget, forget);
    return running;
  }
}
