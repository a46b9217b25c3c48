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
/** A frontier that loses URLs is taken for empty after this long without a request. */
const LOST_MS = 1000;

/** A crawl: starts the threads, watches limits, and ends everything in order. */
export class Crawl {
  readonly events = new CrawlBus();
  /** As the user wants it, for the next run. */
  readonly #asked: CrawlConfig;
  /** As this process can do it. */
  readonly #config: CrawlConfig;
  readonly #fewFiles: string | undefined;
  readonly #out: string;
  readonly #resumes: boolean;
  readonly #losesUrls: boolean;
  readonly #memory;
  readonly #control: Control;
  readonly #bells;
  readonly #treeLocks: SharedArrayBuffer;
  #workers: Workers | undefined;
  #state: CrawlState | undefined;
  #startMs = 0;
  #startCpu = process.cpuUsage();
  readonly #idleness = new Idleness();
  readonly #drain = new Drain();
  #endedMs = 0;
  #fault: unknown;
  /** Builders, and this thread, that wait for the disk. */
  #waitForDisk = 0;

  /** `out` is made by `run`, which refuses a folder that is in use; with `resumes` it must hold a crawl. */
  constructor(asked: CrawlConfig, out: string, resumes = false) {
    const { config, note } = fitToOpenFiles(asked);
    this.#asked = asked;
    this.#config = config;
    this.#fewFiles = note;
    this.#out = out;
    this.#resumes = resumes;
    this.#losesUrls = frontierTraits(config).losesUrls;
    this.#memory = createMemory(config);
    this.#control = new Control(this.#memory);
    this.#bells = bellsOf(this.#memory);
    this.#treeLocks = treeLockMemory(config.store.includes("tree") ? config.builders : 0);
  }

  /** Runs the crawl to its end. Throws only for faults, and then the files on disk are valid and closed. */
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
    const bell = new LoopDoorbell(this.#bells.at(-2)!, () => listen());
    const listen = () => {
      const end = { hasWork: () => this.#control.mode !== MODES.run };
      // Also when the last URL was released before the bell was armed.
      while (bell.fallAsleep(end)) {
        if (!end.hasWork()) continue;
        if (this.#endedMs === 0) this.#endedMs = monotonicMs();
        workers.wakeAll();
        return;
      }
    };
    listen();
    const { hourly } = crawlPaths(this.#out);
    const statistics = new HourlyStatistics(hourly, this.#config.statsEveryMs, monotonicMs());
    const flow = () => flowOf(this.#memory, new BufferPlan(this.#config));
    const ticker = setInterval(() => {
      this.#tick();
      statistics.tick(monotonicMs(), Date.now(), flow);
    }, TICK_MS);
    this.events.emit("started", this.#out);
    if (this.#fewFiles !== undefined) this.events.emit("fewFiles", this.#fewFiles);
    // A workers that cannot begin dismisses its crawlers, so the wait below ends either way.
    workers.start().then(
      () => this.#idleness.begin(monotonicMs()),
      (error: unknown) => this.#fail(error),
    );
    await workers.crawlersEnded;
    clearInterval(ticker);
    bell.close();
    if (this.#endedMs === 0) this.#endedMs = monotonicMs();
    await workers.endBuilders();
    const measured = this.#measure();
    const sums = totals(this.#memory.counters);
    const cleaner = new CrawlCloser(this.#out, this.#config, this.#drain.stoppedMs);
    const voice: CloseListener = {
      keep: (left) => this.#fault ?? this.#keep({ ended: measured.ended, left }),
      safe: () => this.events.emit("safe"),
    };
    let left: readonly string[] = [];
    try {
      // Also after a fault: what was stored is joined, indexed and reported. Each step may be repeated.
      await this.#patiently(() => {
        statistics.close(monotonicMs(), Date.now(), flow());
        left = cleaner.clean(sums, measured, voice);
      });
    } catch (error) {
      throw this.#fault ?? error;
    }
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

  /** Ends a worker thread at whatever it is doing, as a fault would: for drills. False if there is none of that name. */
  async killWorker(name: string): Promise<boolean> {
    return (await this.#workers?.kill(name)) ?? false;
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
      rssBytes: residentBytes(),
    };
  }

  /** Makes the folder, or opens one that is there; it belongs to this process from then on. */
  #openFolder(): () => void {
    if (!this.#resumes) {
      const { frontier, shards } = this.#config;
      const random = randomBytes(8);
      const [seedLow, seedHigh] = [random.readUInt32LE(0), random.readUInt32LE(4)];
      const journals = frontierTraits(this.#config).isDurable ? shards : 0;
      const crawl = {
        frontier,
        seedLow,
        seedHigh,
        journals,
        config: withoutPasswords(this.#asked),
      };
      createCrawlFolder(this.#out, Date.now(), crawl);
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
    const { seedLow, seedHigh, moreSeeds } = this.#state!;
    const plan = {
      config: this.#config,
      out: this.#out,
      state: this.#state!,
      memory: this.#memory,
      control: this.#control,
      seedLow,
      seedHigh,
      seeds: [...new Set([...this.#config.seeds, ...(moreSeeds as CrawlUrl[])])],
      resumed: this.#resumes,
      treeLocks: this.#treeLocks,
      nextEpoch: epochsAfter(this.#state!.epoch, (epoch) => this.#keep({ epoch })),
    };
    return new Workers(plan, {
      onSeed: (url) => this.#addSeed(url),
      onDisk: (news) => this.#onDisk(news),
      onReplaced: (...death) => this.events.emit("workerReplaced", ...death),
      onAllReleased: () => {
        this.#control.end("finished", MODES.drain);
        this.#bells.at(-2)!.ring();
      },
      onFault: (error) => this.#fail(error),
    });
  }

  #addSeed(url: CrawlUrl): void {
    this.events.emit("seedRedirected", url);
    const more = { moreSeeds: [...this.#state!.moreSeeds, url] };
    this.#state = { ...this.#state!, ...more };
    this.#patiently(() => this.#keep({})).catch((error: unknown) => this.#fail(error));
    this.#workers!.postToAll({ kind: "seed", url });
  }

  /** Repeats a step of this thread until the disk takes it, as builders do. */
  #patiently(step: () => void): Promise<void> {
    return repeatOnLoop(this.#control, (news) => this.#onDisk(news), step);
  }

  /** However many wait for a disk, it is said once. */
  #onDisk(news: DiskMessage): void {
    if (news.kind === "diskFull" && this.#waitForDisk++ === 0)
      this.events.emit("diskFull", news.message);
    if (news.kind === "diskFree" && --this.#waitForDisk === 0) this.events.emit("diskFree");
  }

  /** Something died that cannot be made good: everything is stopped and closed, then the error is thrown. */
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
      if (maxTimeMs !== undefined && now - this.#startMs >= maxTimeMs) this.stop("limit");
      else if (maxBytes !== undefined && progress.bytes >= maxBytes) this.stop("limit");
    } else if (this.#drain.isOver(now, progress.inFlight) && this.#control.mode === MODES.drain) {
      this.#abort();
    }
    const idleMs = this.#idleness.lookMs(now, totals(this.#memory.counters));
    if (this.#losesUrls && idleMs > LOST_MS) {
      // The counter of a frontier that loses URLs never reaches 0 in the right way: idleness has to do.
      this.#control.end("finished", MODES.drain);
      this.#workers?.wakeAll();
    } else if (idleMs > maxWaitMs) {
      // Only hosts that make us wait are left: their URLs end as unavailable and stay for a later run.
      this.#idleness.begin(now);
      this.#workers?.postToAll({ kind: "giveUpWaiting" });
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
      losesUrls: this.#losesUrls,
    };
  }
}
