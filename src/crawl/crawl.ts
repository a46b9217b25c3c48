import { randomBytes } from "node:crypto";
import type { CrawlConfig } from "../config/schema.ts";
import { totals } from "../stats/counters.ts";
import { HourlyStatistics } from "../stats/hourly-statistics.ts";
import { createCrawlFolder } from "../store/crawl-folder.ts";
import { finishFolder } from "../store/finish-folder.ts";
import { treeLockMemory } from "../store/page-tree.ts";
import { monotonicMs } from "../sync/clock.ts";
import { LoopDoorbell } from "../sync/loop-doorbell.ts";
import { type RunningWorker, runWorker } from "../sync/run-worker.ts";
import { shardOf, siteHash, siteOf } from "../url/site.ts";
import { hostnameOf } from "../url/url-parts.ts";
import type { BuildRules } from "./build-worker.ts";
import { builderOptions } from "./builder-options.ts";
import type { FromCrawler, ToCrawler } from "./crawl-worker.ts";
import type { CrawlerRules } from "./crawler-rules.ts";
import type { DebugRules } from "./debug-worker.ts";
import { CrawlBus, type CrawlProgress } from "./events.ts";
import { flowOf } from "./flow.ts";
import { writeReports } from "./reports.ts";
import { bellsOf, Control, createMemory, type Ending, MODES } from "./shared-memory.ts";
import { type CrawlEnding, type CrawlSummary, type Measured, summaryOf } from "./summary.ts";
import { createSharedMemory, losesUrls } from "./thread-frontier.ts";

const TICK_MS = 250;
/** In-flight requests get this long to end after a stop was asked for. */
const DRAIN_MS = 8_000;

/** A frontier that loses URLs is taken for empty after this long without a request. */
const LOST_MS = 1000;

/** A crawl: starts the threads, watches limits, and ends everything in order. */
export class Crawl {
  readonly events = new CrawlBus();
  readonly #config: CrawlConfig;
  readonly #out: string;
  readonly #memory;
  readonly #control: Control;
  readonly #bells;
  readonly #crawlers: RunningWorker[] = [];
  readonly #writers: RunningWorker[] = [];
  #startMs = 0;
  #startCpu = process.cpuUsage();
  #lastWorkMs = 0;
  #stoppedAtMs = Number.POSITIVE_INFINITY;
  #endedMs = 0;
  #gaveUp = false;
  #fault: unknown;

  /** `out` is made by `run`, which refuses a folder that is in use. */
  constructor(config: CrawlConfig, out: string) {
    this.#config = config;
    this.#out = out;
    const shared = config.frontier === "shared" ? createSharedMemory(config) : undefined;
    this.#memory = createMemory(config, shared);
    this.#control = new Control(this.#memory);
    this.#bells = bellsOf(this.#memory);
  }

  /** Runs the crawl to its end. Throws only for faults, and then the files on disk are valid and closed. */
  async run(): Promise<CrawlSummary> {
    const paths = createCrawlFolder(this.#out, Date.now(), this.#config.frontier);
    this.#startMs = monotonicMs();
    this.#lastWorkMs = this.#startMs;
    this.#startCpu = process.cpuUsage();
    this.#startWriters(paths.debugLog);
    this.#startCrawlers();
    this.events.emit("started", this.#out);
    const bell = new LoopDoorbell(this.#bells.at(-2)!, () => listen());
    const listen = () => {
      bell.asleep();
      // Also when the last URL was released before the bell was armed.
      if (this.#control.mode === MODES.run) return;
      if (this.#endedMs === 0) this.#endedMs = monotonicMs();
      this.#wakeAll();
    };
    listen();
    const { statsEveryMs, builders } = this.#config;
    const statistics = new HourlyStatistics(paths.hourly, statsEveryMs, this.#startMs);
    const flow = () => flowOf(this.#memory, builders);
    const ticker = setInterval(() => {
      this.#tick();
      statistics.tick(monotonicMs(), Date.now(), flow);
    }, TICK_MS);
    // Without its builder no page can be stored, so the crawlers need not go on.
    void this.#untilEnded(this.#writers);
    await this.#untilEnded(this.#crawlers);
    clearInterval(ticker);
    bell.close();
    if (this.#endedMs === 0) this.#endedMs = monotonicMs();
    this.#control.endBuilders();
    this.#wakeAll();
    await this.#untilEnded(this.#writers);
    statistics.close(monotonicMs(), Date.now(), flow());
    // Also after a fault: what was stored is joined, indexed and reported.
    finishFolder(this.#out);
    const measured = this.#measure();
    const sums = totals(this.#memory.counters);
    writeReports(this.#out, this.#config, sums, measured);
    if (this.#fault !== undefined) throw this.#fault;
    const summary = summaryOf(sums, measured);
    this.events.emit("ended", summary);
    return summary;
  }

  /** First call: take no more, finish and commit what is in flight. Second call: drop it. */
  stop(reason: Ending = "interrupted"): void {
    const again = this.#control.mode !== MODES.run;
    this.#control.end(reason, again ? MODES.abort : MODES.drain);
    this.#stoppedAtMs = Math.min(this.#stoppedAtMs, monotonicMs());
    this.events.emit("stopping", reason);
    this.#wakeAll();
  }

  /** Ends a worker thread at whatever it is doing, as a fault would: for drills. False if there is none of that name. */
  async killWorker(name: string): Promise<boolean> {
    const all = [...this.#crawlers, ...this.#writers];
    const victim = all.find((running) => running.name === name);
    await victim?.worker.terminate();
    return victim !== undefined;
  }

  /** The figures of this moment. */
  progress(): CrawlProgress {
    const sums = totals(this.#memory.counters);
    return {
      pages: sums.pages,
      failed: sums.failed,
      refused: sums.refused,
      redirects: sums.redirects,
      known: sums.known,
      queued: sums.queued,
      inFlight: sums.inFlight,
      hostsWaiting: sums.hostsWaiting,
      bytes: sums.bytes,
      seconds: (monotonicMs() - this.#startMs) / 1000,
      rssBytes: process.memoryUsage.rss(),
    };
  }

  #startWriters(debugFile: string): void {
    const { builders, debug } = this.#config;
    const module = new URL("./build-worker.js", import.meta.url);
    const treeLocks = treeLockMemory(this.#config.store.includes("tree") ? builders : 0);
    for (let builder = 0; builder < builders; builder++) {
      const options = builderOptions(this.#config, this.#out, builder, treeLocks);
      const workerData: BuildRules = { builder, builders, memory: this.#memory, options };
      this.#writers.push(runWorker(module, `builder ${builder}`, { workerData }));
    }
    if (debug) {
      const workerData: DebugRules = { memory: this.#memory, file: debugFile };
      const debugModule = new URL("./debug-worker.js", import.meta.url);
      this.#writers.push(runWorker(debugModule, "debug log", { workerData }));
    }
  }

  #startCrawlers(): void {
    const { threads, shards, seeds } = this.#config;
    const random = randomBytes(8);
    const [seedLow, seedHigh] = [random.readInt32LE(0), random.readInt32LE(4)];
    // Counted before any thread runs, so that no thread can see an empty crawl.
    this.#control.pending.add(seeds.length);
    const module = new URL("./crawl-worker.js", import.meta.url);
    for (let thread = 0; thread < threads; thread++) {
      const rules: CrawlerRules = {
        thread,
        config: this.#config,
        memory: this.#memory,
        seedLow,
        seedHigh,
        seeds,
      };
      const ownSeeds = seeds.filter((url) => {
        const shard = shardOf(siteHash(siteOf(hostnameOf(url))), shards);
        return shard % threads === thread;
      });
      const running = runWorker(module, `crawler ${thread}`, { workerData: { rules, ownSeeds } });
      running.worker.on("message", (message: FromCrawler) => this.#hear(message));
      this.#crawlers.push(running);
    }
  }

  #hear(message: FromCrawler): void {
    if (message.kind !== "seed") return;
    this.events.emit("seedRedirected", message.url);
    this.#tell(message);
  }

  #tell(message: ToCrawler): void {
    for (const { worker } of this.#crawlers) worker.postMessage(message);
  }

  /** Waits for all; the first that dies makes the others stop, and is thrown once everything is closed. */
  async #untilEnded(workers: readonly RunningWorker[]): Promise<void> {
    await Promise.all(
      workers.map(({ ended }) =>
        ended.catch((error: unknown) => {
          this.#fault ??= error;
          this.#abort();
        }),
      ),
    );
  }

  #abort(): void {
    this.#control.end("interrupted", MODES.abort);
    this.#wakeAll();
  }

  /** Rings everybody but the supervisor itself. */
  #wakeAll(): void {
    const own = this.#bells.at(-2);
    for (const bell of this.#bells) if (bell !== own) bell.ring();
  }

  #tick(): void {
    const now = monotonicMs();
    const progress = this.progress();
    this.events.emit("progress", progress);
    const { maxTimeMs, maxBytes, maxWaitMs } = this.#config;
    if (this.#control.mode === MODES.run) {
      if (maxTimeMs !== undefined && now - this.#startMs >= maxTimeMs) this.stop("limit");
      else if (maxBytes !== undefined && progress.bytes >= maxBytes) this.stop("limit");
    } else if (now - this.#stoppedAtMs > DRAIN_MS && this.#control.mode === MODES.drain) {
      this.#abort();
    }
    if (progress.inFlight > 0) this.#lastWorkMs = now;
    else if (losesUrls(this.#config) && now - this.#lastWorkMs > LOST_MS) {
      // The counter of a frontier that loses URLs never reaches 0 in the right way: idleness has to do.
      this.#control.end("finished", MODES.drain);
      this.#wakeAll();
    } else if (now - this.#lastWorkMs > maxWaitMs && !this.#gaveUp) {
      // Only hosts that make us wait are left: their URLs end as unavailable and stay for a later run.
      this.#gaveUp = true;
      this.#tell({ kind: "giveUpWaiting" });
    }
  }

  #measure(): Measured {
    const cpu = process.cpuUsage(this.#startCpu);
    const ending = this.#control.endedBy;
    return {
      ended: (ending === "running" ? "finished" : ending) as CrawlEnding,
      out: this.#out,
      seconds: (monotonicMs() - this.#startMs) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      maxRssMiB: process.resourceUsage().maxRSS / 1024,
      endingMs: monotonicMs() - this.#endedMs,
    };
  }
}
