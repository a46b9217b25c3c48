import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type {
  QueueShape,
  Technique,
} from "../../../../src/frontier/shared/techniques/record-queue.ts";
import type { Task } from "./technique-worker.ts";

/** Real threads that open shared frontiers; owner ids are 1 and up, `main` is the id left for the test itself. */
export class Team {
  readonly main: number;
  readonly #workers: Worker[];

  constructor(threads: number) {
    this.main = threads + 1;
    this.#workers = Array.from({ length: threads }, () => new Worker(workerModule));
  }

  /** Gives task i to thread i + 1; one promise of an answer each. */
  start(tasks: readonly Task[]): Promise<number[]>[] {
    return tasks.map(async (task, i) => {
      const worker = this.#workers[i]!;
      const answer = once(worker, "message");
      worker.postMessage(task);
      return (await answer)[0] as number[];
    });
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** The compiled worker entry. */
export const workerModule = new URL("./technique-worker.js", import.meta.url);

/** A frontier to be opened by a worker. */
export function frontierOf(
  technique: Technique,
  memory: SharedArrayBuffer,
  shape: QueueShape,
  owner: number,
): Pick<Task, "technique" | "memory" | "shape" | "owner"> {
  return { technique, memory, shape, owner };
}
