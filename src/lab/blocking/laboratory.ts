import { checkSettings, configFrom } from "../../config/crawl-config.ts";
import type { CrawlConfig } from "../../config/schema.ts";
import { OrbweaverError } from "../../errors.ts";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import { fetchRules } from "../lab-rules.ts";
import type { BlockingOrder } from "./blocking-worker.ts";
import type { IoOrder } from "./io-worker.ts";

const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
const moduleAt = (name: string) => new URL(`./${name}${EXTENSION}`, import.meta.url);

/** A laboratory thread holds one page and a few URLs. */
const SMALL = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };
const PATIENCE_MS = 2000;

/** What came back from a thread that was given an order. */
type Answer = { readonly ended: true } | { readonly fault: string };

/** Threads that are kept from run to run, because starting a hundred of them takes longer than a run. */
export class Laboratory {
  readonly config: CrawlConfig;
  readonly #io: RunningWorker;
  #threads: RunningWorker[] = [];

  private constructor(config: CrawlConfig, io: RunningWorker) {
    this.config = config;
    this.#io = io;
  }

  /** Opens a laboratory that crawls as a configuration says; its I/O thread obeys the same rules as a crawl. */
  static async open(config: CrawlConfig): Promise<Laboratory> {
    const rules = await fetchRules({ ...config, threads: 1 });
    const io = runWorker(moduleAt("io-worker"), "laboratory I/O", { workerData: rules });
    return new Laboratory(config, io);
  }

  /** The same for a web of our own on loopback: no delay, no robots.txt, as many connections as there are threads. */
  static openFor(start: readonly string[], maxThreads: number): Promise<Laboratory> {
    const settings = checkSettings({
      seeds: [...start],
      delayMs: 0,
      robots: false,
      linksPerThread: maxThreads,
    });
    return Laboratory.open(configFrom(settings, { typed: start }));
  }

  /** Makes sure that there are so many threads. */
  staff(threads: number): void {
    while (this.#threads.length < threads) {
      const name = `laboratory ${this.#threads.length}`;
      const running = runWorker(moduleAt("blocking-worker"), name, { resourceLimits: SMALL });
      running.worker.setMaxListeners(0);
      this.#threads.push(running);
    }
  }

  /** The I/O thread answers these slots from now on. */
  async serve(order: IoOrder): Promise<void> {
    const ready = new Promise<unknown>((resolve) => this.#io.worker.once("message", resolve));
    this.#io.worker.postMessage(order);
    await Promise.race([ready, this.#io.ended]);
  }

  /** Gives every thread its order; settles when all have ended, and rejects when one failed. */
  begin(orders: readonly BlockingOrder[]): { readonly ended: Promise<void> } {
    this.staff(orders.length);
    const ends = orders.map((order, i) => {
      const { worker, ended } = this.#threads[i]!;
      const answered = new Promise<Answer>((resolve) => worker.once("message", resolve));
      worker.postMessage(order);
      return Promise.race([answered, ended.then(() => ({ fault: "it ended" }))]).then((answer) => {
        if ("fault" in answer) throw new OrbweaverError("OW_LAB", answer.fault);
      });
    });
    const ended = Promise.all(ends).then(() => {});
    ended.catch(() => {});
    return { ended };
  }

  /** Waits for threads that were told to stop; those that hang are ended by force. True when all went by themselves. */
  async dismiss(ended: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    const inTime = await Promise.race([ended.then(() => true as const), late]);
    clearTimeout(timer);
    if (!inTime) await this.#endThreads();
    return inTime;
  }

  /** Ends everything. */
  async close(): Promise<void> {
    await this.#endThreads();
    await this.#io.worker.terminate();
  }

  async #endThreads(): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }
}
