import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findCrawl } from "../../src/cluster/find-crawl.ts";
import { readStatus } from "../../src/cluster/read-status.ts";
import { workerOfFolder } from "../../src/cluster/worker-folders.ts";
import { connectEngine, engineAddress } from "../../src/frontier/engine/connect-engine.ts";
import type { RemoteWeb } from "../../src/web/web-process.ts";
import { type CrawlProcess, startCrawl, untilEnd } from "../faults/drill.ts";

/** A distributed crawl that does not end within this is stuck. */
const MAX_MS = 10 * 60_000;
/** So is one that asks for nothing for so long: no lease, delay or cut of a drill keeps it waiting for that. */
const MAX_STILL_MS = 60_000;
const LOOK_MS = 200;

/** What the workers of a crawl have in common. */
export interface EngineCrawlOptions {
  /** Where the workers find the engine; a proxy may stand between. */
  readonly engineUrl: string;
  readonly web: RemoteWeb;
  /** Parent of the workers' folders. */
  readonly folder: string;
  /** More arguments of the crawl. */
  readonly args?: readonly string[];
  readonly delayMs?: number;
  /** The program, where it is not that of the build. */
  readonly program?: string;
  readonly name?: string;
}

/** One worker: its folder and its process, which may be the second one in that folder. */
export interface WorkerRun extends CrawlProcess {
  readonly number: number;
  readonly out: string;
  /** Whether it was ended on purpose. */
  isKilled: boolean;
}

/** A distributed crawl in processes of its own: the first worker creates it, others join, leave and die. */
export class EngineCrawl {
  readonly name: string;
  /** Every process that was started. */
  readonly runs: WorkerRun[] = [];
  readonly #options: EngineCrawlOptions;
  #folders = 0;

  constructor(options: EngineCrawlOptions) {
    this.#options = options;
    this.name = options.name ?? "drill";
  }

  /** Folders of all workers so far. */
  get folders(): string[] {
    return [...new Set(this.runs.map(({ out }) => out))];
  }

  /** The workers that run. */
  get alive(): WorkerRun[] {
    return this.runs.filter(({ child, isKilled }) => child.exitCode === null && !isKilled);
  }

  /** Starts the worker that creates the crawl, and waits until it has fetched something. */
  async create(): Promise<WorkerRun> {
    const { web, delayMs = 0, args = [] } = this.#options;
    const first = this.#start(this.#folders++, [
      ...["crawl", ...web.start, "--frontier", "engine", "--scope", "any"],
      ...["--delay", String(delayMs), "--allow-private", "127.0.0.0/8", "--json", "--quiet"],
      ...web.resolveArguments(),
      ...args,
    ]);
    await untilEnd(first.ended, async () => (await web.report()).pages > 0, 5);
    return first;
  }

  /** Starts one more worker in a folder of its own, perhaps with a way to the engine of its own. */
  join(engineUrl?: string): WorkerRun {
    return this.#start(this.#folders++, ["worker", "--json", "--quiet"], engineUrl);
  }

  /** Settles when a worker has found the crawl, or has ended: one that finds no engine when it starts says so and ends. */
  async joined({ out, child }: WorkerRun): Promise<void> {
    while (child.exitCode === null && !existsSync(out)) await setTimeout(5);
  }

  /** Starts a worker in the folder of one that is gone. */
  rejoin({ number }: WorkerRun): WorkerRun {
    return this.#start(number, ["worker", "--json", "--quiet"]);
  }

  /** kill -9. */
  async kill(worker: WorkerRun): Promise<void> {
    worker.isKilled = true;
    worker.child.kill("SIGKILL");
    await worker.ended;
  }

  /** Settles when the web has served so many pages, no worker is left, or nothing is asked for any more. */
  async served(pages: number): Promise<void> {
    const isStill = this.#stillness();
    for (;;) {
      const { pages: served } = await this.#options.web.report();
      if (this.alive.length === 0 || served >= pages || isStill(served)) return;
      await setTimeout(2);
    }
  }

  /** Tells whether a number has not changed for too long. */
  #stillness(): (pages: number) => boolean {
    let [before, sinceMs] = [-1, 0];
    return (pages) => {
      if (pages !== before) [before, sinceMs] = [pages, performance.now()];
      return performance.now() - sinceMs > MAX_STILL_MS;
    };
  }

  /** Settles when the engine has accepted pages of this worker, or it has ended. */
  async atWork(worker: WorkerRun): Promise<void> {
    const engine = await connectEngine(engineAddress(this.#options.engineUrl, {}));
    try {
      const crawl = await findCrawl(engine, this.name);
      while (worker.child.exitCode === null) {
        const id = workerOfFolder(worker.out);
        const { workers } = await readStatus(engine, crawl, 0);
        if (workers.some(({ about, pages }) => about === id && pages > 0)) return;
        await setTimeout(20);
      }
    } finally {
      engine.close();
    }
  }

  /** Waits until every worker has ended by itself; what went wrong with any of them. */
  async end(expected = 0, maxMs = MAX_MS): Promise<string[]> {
    const problems: string[] = [];
    const startMs = performance.now();
    const isStill = this.#stillness();
    while (this.alive.length > 0) {
      const ms = performance.now() - startMs;
      if (ms > maxMs) problems.push(`the crawl did not end within ${maxMs / 1000} s`);
      else if (isStill((await this.#options.web.report()).pages))
        problems.push(`the crawl did not end, and asked for nothing for ${MAX_STILL_MS / 1000} s`);
      if (problems.length > 0) break;
      await setTimeout(LOOK_MS);
    }
    for (const worker of this.alive) await this.kill(worker);
    for (const worker of this.runs) {
      const { code, signal, stderr } = await worker.ended;
      // The creator says that a limit was reached, a worker just ends.
      if (worker.isKilled || code === 0 || (worker.number === 0 && code === expected)) continue;
      problems.push(`worker ${worker.number} ended with ${code ?? signal}: ${stderr.slice(-500)}`);
    }
    return problems;
  }

  /** Collects the folders of all workers, which are gone; the engine decides what dead ones left in doubt. */
  async collect(): Promise<{ readonly out: string; readonly problems: string[] }> {
    const { engineUrl, folder } = this.#options;
    const out = join(folder, "collected");
    const folders = this.folders.filter((one) => existsSync(join(one, "archive")));
    const args = ["cluster", "collect", this.name, ...folders, "--engine", engineUrl, "--out", out];
    const { code, stderr } = await startCrawl(args).ended;
    return { out, problems: code === 0 ? [] : [`collect ended with ${code}: ${stderr}`] };
  }

  /** Ends whatever still runs. */
  async close(): Promise<void> {
    for (const worker of this.alive) await this.kill(worker);
  }

  #start(
    number: number,
    args: readonly string[],
    engineUrl: string = this.#options.engineUrl,
  ): WorkerRun {
    const { folder, program } = this.#options;
    const out = join(folder, `worker-${number}`);
    const all = [...args, "--engine", engineUrl, "--crawl", this.name, "--out", out];
    const process = startCrawl(all, {}, program === undefined ? {} : { program });
    const worker = { ...process, number, out, isKilled: false };
    this.runs.push(worker);
    return worker;
  }
}

/** Whether a worker got as far as making its folder. */
export function hasFolder({ out }: WorkerRun): boolean {
  return existsSync(join(out, "archive"));
}
