import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { CrawlConfig } from "../../config/schema.ts";
import { WorkerDiedError } from "../../errors.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { ProcessOrder } from "./round-process.ts";
import type { RoundAnswer } from "./round-worker.ts";
import type { Fetchers } from "./rounds-crawl.ts";

/**
 * The same fetching threads in several processes. They share no memory, so the process that starts them keeps frontier and
 * set, and every URL and every link crosses a pipe.
 */
export class RoundProcesses implements Fetchers {
  readonly #children: readonly ChildProcess[];
  readonly #threadsEach: number;
  readonly #waiting = new Map<number, (answer: RoundAnswer) => void>();
  #next = 0;

  private constructor(children: readonly ChildProcess[], threadsEach: number) {
    this.#children = children;
    this.#threadsEach = threadsEach;
    for (const child of children) {
      child.on("message", (answer: RoundAnswer) => {
        this.#waiting.get(answer.id)?.(answer);
        this.#waiting.delete(answer.id);
      });
    }
  }

  /** Starts so many processes with the threads of the configuration each. */
  static async start(config: CrawlConfig, processes: number): Promise<RoundProcesses> {
    const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
    const entry = fileURLToPath(new URL(`./round-process${extension}`, import.meta.url));
    const children = Array.from({ length: processes }, () =>
      fork(entry, { serialization: "advanced", execArgv: [] }),
    );
    const order: ProcessOrder = { config };
    await Promise.all(
      children.map(async (child) => {
        const died = once(child, "exit").then(() => {
          throw new WorkerDiedError("a process of the laboratory");
        });
        child.send(order);
        await Promise.race([once(child, "message"), died]);
        died.catch(() => {});
      }),
    );
    return new RoundProcesses(children, config.threads);
  }

  get count(): number {
    return this.#children.length * this.#threadsEach;
  }

  /** Threads are dealt out in turn, so that few links reach all processes. */
  fetch(thread: number, urls: readonly CrawlUrl[], maxWaitMs: number): Promise<RoundAnswer> {
    const id = this.#next++;
    const child = this.#children[thread % this.#children.length]!;
    const order: ProcessOrder = {
      id,
      thread: Math.floor(thread / this.#children.length),
      urls,
      maxWaitMs,
    };
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      child.send(order);
    });
  }

  /** The processes end with their channel. */
  async close(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.disconnect();
        await ended;
      }),
    );
  }
}
