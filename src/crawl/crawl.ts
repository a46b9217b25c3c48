import { randomBytes } from "node:crypto";
import type { CrawlConfig } from "../config/schema.ts";
import { withoutPasswords } from "../config/values/proxy-value.ts";
import { frontierTraits } from "../frontier/frontier-memory.ts";
import { monotonicMs } from "../runtime/clock.ts";
import { residentBytes } from "../runtime/open-files.ts";
import { totals } from "../stats/counters.ts";
import { HourlyStatistics } from "../stats/hourly-statistics.ts";
import { prepareResume } from "../store/finish/prepare-resume.ts";
import {
  type CrawlState,
  crawlPaths,
  readCrawlState,
  writeCrawlState,
} from "../store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../store/folder/create-folder.ts";
import { lockFolder } from "../store/folder/folder-lock.ts";
import { treeLockMemory } from "../store/tree/tree-writer.ts";
import { LoopDoorbell } from "../sync/loop-doorbell.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { BufferPlan } from "./buffer-plan.ts";
import { type DiskMessage, repeatOnLoop } from "./builder/disk-patience.ts";
import { type CrawlEnding, type CrawlSummary, type Measured, summaryOf } from "./crawl-summary.ts";
import { type CloseListener, CrawlCloser } from "./ending/close-crawl.ts";
import { Drain } from "./ending/drain.ts";
import { flowOf } from "./ending/flow.ts";
import { Idleness } from "./ending/idleness.ts";
import { CrawlBus, type CrawlProgress } from "./events.ts";
import { fitToOpenFiles } from "./file-budget.ts";
import { bellsOf, Control, createMemory, type Ending, MODES } from "./shared-memory.ts";
import { epochsAfter, Workers } from "./workers/workers.ts";

const TICK_MS = 250;
/** A frontier that loses URLs counts as empty after this long without a request. */
const LOST_MS = 1000;

/** A crawl, supervised on the main thread: starts the worker threads, watches limits, and ends everything in order. */
export class Crawl {
  readonly events = new CrawlBus();
  /** What the user asked for; kept for the next run. */
  readonly #asked: CrawlConfig;
  /** What this process can do of it. */
  readonly #config: CrawlConfig;
  readonly #fewFiles: string | undefined;
  readonly #out: string;
  readonly #resumes: boolean;
  readonly #memory;
  readonly #control: Control;
  #workers: Workers | undefined;
  #state: CrawlState | undefined;
  #startMs = 0;
  #startCpu = process.cpuUsage();
  readonly #idleness = new Idleness();
  readonly #drain = new Drain();
  /** When the supervisor learnt that the crawl ends. */
  #endedMs: number | undefined;
  #fault: unknown;
  /** Threads that wait for the disk: builders, and this one. */
  #waitingForDisk = 0;

  /** `run` creates `out` and refuses a folder that is in use; with `resumes` it must hold a crawl. */
  constructor(asked: CrawlConfig, out: string, resumes = false) {
    const { config, note } = fitToOpenFiles(asked);
    this.#asked = asked;
    this.#config = config;
    this.#fewFiles = note;
    this.#out = out;
    this.#resumes = resumes;
    this.#memory = createMemory(config);
    this.#control = new Control(this.#memory);
  }

  /** Runs the crawl to its end. Throws only for faults; the files on disk are then valid and closed. */
  async run(): Promise<CrawlSummary> {
    this.#startMs = monotonicMs();
    this.#startCpu = process.cpuUsage();
    const unlock = this.#openFolder();
    try {
      return await this.#runIn();
    } finally {
      unlock();
    }
  }

  async #runIn(): Promise<CrawlSummary> {
    const workers = this.#newWorkers();
    this.#workers = workers;
    const bell = new LoopDoorbell(bellsOf(this.#memory).supervisor, () => watchEnd());
    const end = { hasWork: () => this.#control.mode !== MODES.run };
    const watchEnd = () => {
      // The last URL may have been released before the bell was armed.
      while (bell.fallAsleep(end)) {
        if (!end.hasWork()) continue;
        this.#endedMs ??= monotonicMs();
        workers.wakeAll();
        return;
      }
    };
    watchEnd();
    const { hourly } = crawlPaths(this.#out);
    const statistics = new HourlyStatistics(hourly, this.#config.statsEveryMs, monotonicMs());
    const flow = () => flowOf(this.#memory, new BufferPlan(this.#config));
    const ticker = setInterval(() => {
      this.#tick();
      statistics.tick(monotonicMs(), Date.now(), flow);
    }, TICK_MS);
    this.events.emit("started", this.#out);
    if (this.#fewFiles !== undefined) this.events.emit("fewFiles", this.#fewFiles);
    // When not all of them can start, the crawlers are dismissed, so the wait below ends either way.
    workers.start().then(
      () => this.#idleness.begin(monotonicMs()),
      (error: unknown) => this.#fail(error),
    );
    await workers.crawlersEnded;
    clearInterval(ticker);
    bell.close();
    this.#endedMs ??= monotonicMs();
    await workers.endBuilders();
    const measured = this.#measure(this.#endedMs);
    const sums = totals(this.#memory.counters);
    const closer = new CrawlCloser(this.#out, this.#config, this.#drain.stoppedMs);
    const listener: CloseListener = {
      // A crawl that failed is still "running" for the next run.
      onEnded: (left) => this.#fault ?? this.#keep({ ended: measured.ended, left }),
      onSafe: () => this.events.emit("safe"),
    };
    let left: readonly string[] = [];
    // Also after a fault: what was stored is joined, indexed and reported. Each step may be repeated.
    const closing = this.#patiently(() => {
      statistics.close(monotonicMs(), Date.now(), flow());
      left = closer.close(sums, measured, listener);
    });
    await closing.catch((error: unknown) => {
      this.#fault ??= error;
    });
    if (this.#fault !== undefined) throw this.#fault;
    const summary = summaryOf(sums, measured);
    for (const message of left) this.events.emit("leftForLater", message);
    this.events.emit("ended", summary);
    return summary;
  }

  /** First call: take no more, finish and commit what is in flight. Second call: drop it. */
  stop(reason: Ending = "interrupted"): void {
    const again = this.#control.mode !== MODES.run;
    this.#control.end(reason, again ? MODES.abort : MODES.drain);
    this.#drain.begin(monotonicMs(), totals(this.#memory.counters).known);
    this.events.emit("stopping", reason);
    this.#workers?.wakeAll();
  }

  /** For drills: ends a worker thread wherever it is, as a fault would. False if there is none of that name. */
  async killWorker(name: string): Promise<boolean> {
    return (await this.#workers?.kill(name)) ?? false;
  }

  /** The figures at this moment. */
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
      rssBytes: residentBytes(),
    };
  }

  /** Creates the folder, or opens an existing one, and locks it for this process; returns how to unlock it. */
  #openFolder(): () => void {
    if (!this.#resumes) {
      const random = randomBytes(8);
      createCrawlFolder(this.#out, Date.now(), {
        frontier: this.#config.frontier,
        seedLow: random.readUInt32LE(0),
        seedHigh: random.readUInt32LE(4),
        journals: frontierTraits(this.#config).isDurable ? this.#config.shards : 0,
        config: withoutPasswords(this.#asked),
      });
    }
    const unlock = lockFolder(this.#out);
    this.#state = readCrawlState(this.#out)!;
    if (this.#resumes) prepareResume(this.#out, this.#state);
    this.#keep({ ended: "running", config: withoutPasswords(this.#asked) });
    return unlock;
  }

  #keep(change: Partial<CrawlState>): void {
    this.#state = { ...this.#state!, ...change };
    writeCrawlState(this.#out, this.#state);
  }

  #newWorkers(): Workers {
    const config = this.#config;
    const state = this.#state!;
    const plan = {
      config,
      out: this.#out,
      state,
      memory: this.#memory,
      control: this.#control,
      seedLow: state.seedLow,
      seedHigh: state.seedHigh,
      seeds: [...new Set([...config.seeds, ...(state.moreSeeds as CrawlUrl[])])],
      resumed: this.#resumes,
      treeLocks: treeLockMemory(config.store.includes("tree") ? config.builders : 0),
      nextEpoch: epochsAfter(state.epoch, (epoch) => this.#keep({ epoch })),
    };
    return new Workers(plan, {
      onSeed: (url) => this.#addSeed(url),
      onDisk: (message) => this.#onDisk(message),
      onReplaced: (...death) => this.events.emit("workerReplaced", ...death),
      onAllReleased: () => {
        this.#control.end("finished", MODES.drain);
        bellsOf(this.#memory).supervisor.ring();
      },
      onFault: (error) => this.#fail(error),
    });
  }

  #addSeed(url: CrawlUrl): void {
    this.events.emit("seedRedirected", url);
    this.#state = { ...this.#state!, moreSeeds: [...this.#state!.moreSeeds, url] };
    this.#patiently(() => this.#keep({})).catch((error: unknown) => this.#fail(error));
    this.#workers!.postToAll({ kind: "seed", url });
  }

  /** Repeats a step of this thread until the disk accepts it, as builders do. */
  #patiently(step: () => void): Promise<void> {
    return repeatOnLoop(this.#control, (message) => this.#onDisk(message), step);
  }

  /** Emits one event for a disk, however many threads wait for it. */
  #onDisk(message: DiskMessage): void {
    if (message.kind === "diskFull" && this.#waitingForDisk++ === 0)
      this.events.emit("diskFull", message.message);
    if (message.kind === "diskFree" && --this.#waitingForDisk === 0) this.events.emit("diskFree");
  }

  /** Something failed that cannot be repaired: everything is stopped and closed, then `run` throws the error. */
  #fail(error: unknown): void {
    this.#fault ??= error;
    this.#abort();
  }

  #abort(): void {
    this.#control.end("interrupted", MODES.abort);
    this.#workers?.wakeAll();
  }

  #tick(): void {
    const now = monotonicMs();
    const progress = this.progress();
    this.events.emit("progress", progress);
    const { maxTimeMs, maxBytes, maxWaitMs } = this.#config;
    if (this.#control.mode === MODES.run) {
      const isLate = maxTimeMs !== undefined && now - this.#startMs >= maxTimeMs;
      if (isLate || (maxBytes !== undefined && progress.bytes >= maxBytes)) this.stop("limit");
    } else if (this.#drain.isOver(now, progress.inFlight) && this.#control.mode === MODES.drain) {
      this.#abort();
    }
    const idleMs = this.#idleness.lookMs(now, totals(this.#memory.counters));
    if (frontierTraits(this.#config).losesUrls && idleMs > LOST_MS) {
      // A frontier that loses URLs never counts them down to 0, so its end is found by idleness.
      this.#control.end("finished", MODES.drain);
      this.#workers?.wakeAll();
    } else if (idleMs > maxWaitMs) {
      // Only hosts that do not answer are left: their URLs end as unavailable and stay for a later run.
      this.#idleness.begin(now);
      this.#workers?.postToAll({ kind: "giveUpWaiting" });
    }
  }

  #measure(endedMs: number): Measured {
    const cpu = process.cpuUsage(this.#startCpu);
    const ending = this.#control.endedBy;
    return {
      ended: (ending === "running" ? "finished" : ending) as CrawlEnding,
      out: this.#out,
      seconds: (monotonicMs() - this.#startMs) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      maxRssMiB: process.resourceUsage().maxRSS / 1024,
      endingMs: monotonicMs() - endedMs,
      losesUrls: frontierTraits(this.#config).losesUrls,
    };
  }
}
