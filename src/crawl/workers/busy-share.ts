import type { EventLoopUtilization } from "node:perf_hooks";
import type { Worker } from "node:worker_threads";

/** How busy the event loops of threads are. Asked from outside: it costs the threads nothing. */
export class BusyShare {
  readonly #before = new WeakMap<Worker, EventLoopUtilization>();
  #last = 0;

  /** The busy share since the last call, from 0 to 1, on average; the same again when nothing has passed. */
  shareOf(workers: readonly Worker[]): number {
    let sum = 0;
    let running = 0;
    for (const worker of workers) {
      const now = worker.performance.eventLoopUtilization();
      const before = this.#before.get(worker);
      this.#before.set(worker, now);
      const active = now.active - (before?.active ?? 0);
      const all = active + now.idle - (before?.idle ?? 0);
      if (all <= 0) continue;
      sum += active / all;
      running++;
    }
    if (running > 0) this.#last = sum / running;
    return this.#last;
  }
}
