import { setImmediate } from "node:timers/promises";
import { changesOf, handlerFunction, type ProgramSettings } from "../config/crawl-config.ts";
import { OUTPUT_SETTINGS } from "../config/kept-config.ts";
import type { PageFunction } from "../config/page-handler.ts";
import { resumedConfig } from "../config/resume-config.ts";
import type { CrawlConfig } from "../config/schema.ts";
import { FUNCTION } from "../config/user-module.ts";
import {
  FolderTakenError,
  ListenerFailedError,
  type OrbweaverError,
  UsageError,
} from "../errors.ts";
import { readCookieFile } from "../fetch/cookies/cookie-file.ts";
import { type Credential, readCredentials } from "../fetch/credentials.ts";
import { frontierTraits, visitedPages } from "../frontier/frontier-memory.ts";
import { monotonicMs } from "../runtime/clock.ts";
import { giveBackMemory } from "../runtime/collect-garbage.ts";
import { type Totals, totals } from "../stats/counters.ts";
import { type CrawlActivity, type Figures, NO_FIGURES } from "../stats/crawl-figures.ts";
import { ExchangeSeries } from "../stats/exchange-series.ts";
import { type FlowSample, HourlyStatistics } from "../stats/hourly-statistics.ts";
import { SeriesFile } from "../stats/series-file.ts";
import { crawlPaths, readCrawlState } from "../store/folder/crawl-folder.ts";
import { noCrawl } from "../store/folder/no-crawl.ts";
import { writeVisitedList } from "../store/reports/visited-list.ts";
import { treeLockMemory } from "../store/tree/tree-writer.ts";
import { LoopDoorbell } from "../sync/loop-doorbell.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { builderCount } from "./buffer-plan.ts";
import type { BuildHere } from "./builder/build-rules.ts";
import { type DiskMessage, repeatOnLoop } from "./builder/disk-patience.ts";
import { type ControlChange, isForThreads } from "./control/control-change.ts";
import { ControlLog } from "./control/control-log.ts";
import { LiveControl, type Steered } from "./control/live-control.ts";
import {
  type CrawlEnding,
  type CrawlSummary,
  historyAfter,
  isEmpty,
  type Measured,
} from "./crawl-summary.ts";
import type { HostPage } from "./crawler/host-list.ts";
import type { HostQuestion } from "./crawler/host-ranking.ts";
import { AllReleased } from "./ending/all-released.ts";
import { BufferWatch } from "./ending/buffer-watch.ts";
import { type ClosedCrawl, type CloseListener, CrawlCloser } from "./ending/close-crawl.ts";
import { Drain } from "./ending/drain.ts";
import { flowOf } from "./ending/flow.ts";
import { Idleness } from "./ending/idleness.ts";
import { limitReached, rejoinCommand, resumeCommand } from "./ending/limit-reached.ts";
import { seedFaults } from "./ending/seed-faults.ts";
import {
  type BeforeRun,
  CrawlBus,
  type CrawlProgress,
  NOTHING_BEFORE,
  progressOf,
} from "./events.ts";
import { fitToOpenFiles } from "./file-budget.ts";
import { HeldFolder, withCure } from "./held-folder.ts";
import type { MainPages } from "./main-pages.ts";
import { PageStream } from "./page-stream.ts";
import { sampleFigures } from "./sample-figures.ts";
import {
  bellsOf,
  Control,
  type CrawlMemory,
  createMemory,
  type Ending,
  MODES,
} from "./shared-memory.ts";
import { widenedFact } from "./visit/learn-fact.ts";
import {
  checkedHandler,
  type LoadedHandler,
  loadHandler,
  modulesOf,
} from "./visit/load-handler.ts";
import { admitSeeds } from "./workers/admit-seeds.ts";
import { runSteps } from "./workers/replace-crawlers.ts";
import { epochsAfter } from "./workers/run-numbers.ts";
import { threadOf } from "./workers/start-workers.ts";
import { Workers } from "./workers/workers.ts";

// Longer than 400 lines because everything a crawl does in order stands here: begin, watch, stop, close.

const TICK_MS = 250;
/** Crawlers that were told to drop everything get this long to end by themselves. */
const MAX_ABORT_MS = 1000;
/** A stop that was asked for twice leaves everything that can wait. */
const LONG_AGO_MS = -1e9;
/** A frontier that loses URLs counts as empty after this long without a request. */
const LOST_MS = 1000;

/** Crawls of this process that have ended: their shared memory is garbage that V8 does not count. */
let endedCrawls = 0;

/**
 * A crawl, supervised on the main thread: starts the worker threads, watches limits, and ends everything in order.
 * Nothing is held before `run` and after it.
 */
export class Crawl {
  readonly events = new CrawlBus();
  /** Changes the course of the crawl while it runs. */
  readonly control: LiveControl = new LiveControl(() => this.#steered);
  /** What the user asked for; kept for the next run. */
  readonly #asked: CrawlConfig;
  /** What this process can do of it. */
  readonly #config: CrawlConfig;
  readonly #fewFiles: string | undefined;
  readonly #out: string;
  readonly #resumes: boolean;
  readonly #handler: PageFunction | undefined;
  readonly #buildHere: BuildHere | undefined;
  #hooks: LoadedHandler = {};
  #credentials: readonly Credential[] = [];
  /** Where pages go one by one; undefined when nobody asked for them. */
  #stream: PageStream | undefined;
  /** All shared memory, as long as `run` goes on. */
  #shared: { readonly memory: CrawlMemory; readonly control: Control } | undefined;
  #hasRun = false;
  /** Set by a `stop` that came before `run`. */
  #stopAsked: Ending | undefined;
  #lastProgress = progressOf(totals(new SharedArrayBuffer(0)), 0, NOTHING_BEFORE);
  #workers: Workers | undefined;
  #controlLog: ControlLog | undefined;
  /** What control acts on; undefined before and after the run. */
  #steered: Steered | undefined;
  /** All seeds, also those that are added while the crawl runs. */
  #seeds: CrawlUrl[] = [];
  #folder: HeldFolder | undefined;
  #released: AllReleased | undefined;
  #exchanges: ExchangeSeries | undefined;
  #series: SeriesFile | undefined;
  /** Of the last line of the series. */
  #lastFigures: Figures | undefined;
  #startMs = 0;
  #startCpu = process.cpuUsage();
  readonly #idleness = new Idleness();
  readonly #buffers: BufferWatch;
  readonly #drain = new Drain();
  #isHurried = false;
  #abortedMs: number | undefined;
  /** When the supervisor learnt that the crawl ends. */
  #endedMs: number | undefined;
  #fault: unknown;
  /** A listener threw: the crawl is stopped in order, then `run` throws the same. */
  #listenerFault: { readonly error: unknown } | undefined;
  /** Threads that wait for the disk: builders, and this one. */
  #waitingForDisk = 0;

  /**
   * Goes on with the crawl in a folder, with the settings it has; those given here replace them. `run` does it.
   * A crawl whose handler is a function needs it again.
   */
  static resume(dir: string, changes: ProgramSettings = {}): Crawl {
    const state = readCrawlState(dir);
    if (state === undefined) throw noCrawl(dir);
    const old = { ...(state.config as CrawlConfig), ...OUTPUT_SETTINGS };
    return new Crawl(
      resumedConfig(old, changesOf(changes), dir),
      dir,
      true,
      handlerFunction(changes),
    );
  }

  /**
   * `run` creates `out` and refuses a folder that is in use; with `resumes` it must hold a crawl. `handler` runs on this
   * thread, and so may the builder (`buildHere`) if the program does nothing but crawl.
   */
  constructor(
    asked: CrawlConfig,
    out: string,
    resumes = false,
    handler?: PageFunction,
    buildHere?: BuildHere,
  ) {
    const { config, note } = fitToOpenFiles(asked);
    this.#handler = handler;
    this.#buildHere = buildHere;
    this.#asked = asked;
    this.#config = config;
    this.#fewFiles = note;
    this.#out = out;
    this.#resumes = resumes;
    this.#buffers = new BufferWatch(config);
  }

  /**
   * Runs the crawl to its end. Throws only for faults, also those of listeners. Either way all threads have ended then,
   * files and lock are closed, memory is free, and what was fetched is committed.
   */
  async run(signal?: AbortSignal): Promise<CrawlSummary> {
    if (this.#hasRun) throw new UsageError("a Crawl runs once: make a new one to resume it");
    this.#hasRun = true;
    if (this.#config.handler === FUNCTION && this.#handler === undefined)
      throw new UsageError(
        "the handler of this crawl is a function of a program: resume it there, with Crawl.resume(dir, { handler })",
      );
    const onAbort = () => this.stop();
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await this.#runOnce();
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** The pages of the crawl one by one, to be asked for before `run`; `ended` settles when it has ended. */
  stream(ended: () => Promise<unknown>): PageStream {
    if (this.#stream !== undefined)
      throw new UsageError("the pages of a crawl can be gone over once");
    this.#stream = new PageStream(() => {
      this.stop();
      return ended();
    });
    return this.#stream;
  }

  async #runOnce(): Promise<CrawlSummary> {
    const { whenFull } = this.#config;
    // Folders of older versions do not have the setting.
    if (whenFull === "wait" || whenFull === "overwrite") {
      throw new UsageError(
        `--when-full ${whenFull} runs in the laboratory: use the command, or runBlocking of orbweaver/lab`,
      );
    }
    this.#startMs = monotonicMs();
    this.#startCpu = process.cpuUsage();
    // A module that cannot be loaded must not leave a folder behind, nor a secret that is not there.
    this.#credentials = readCredentials(this.#config);
    if (this.#config.cookieFile !== undefined) readCookieFile(this.#config.cookieFile);
    this.#hooks = await loadHandler(modulesOf(this.#config));
    try {
      const onLost = (fault: OrbweaverError) => this.#fail(fault);
      this.#folder = HeldFolder.hold(this.#asked, this.#out, this.#resumes, onLost);
      this.#controlLog = new ControlLog(crawlPaths(this.#out).control);
      await this.#folder.begin(this.#config);
      this.#begin();
      return await this.#runIn();
    } catch (fault) {
      throw withCure(fault, this.#out);
    } finally {
      this.#lastProgress = this.progress();
      // Keeps the last state.
      this.control.state();
      this.#steered = undefined;
      this.#controlLog?.close();
      this.#workers = undefined;
      this.#shared = undefined;
      this.events.onFault = undefined;
      endedCrawls++;
      this.#folder?.release();
    }
  }

  get #memory(): CrawlMemory {
    return this.#shared!.memory;
  }

  get #control(): Control {
    return this.#shared!.control;
  }

  #begin(): void {
    if (endedCrawls > 0) giveBackMemory();
    const memory = createMemory(this.#config);
    this.#shared = { memory, control: new Control(memory) };
    if (this.#controlLog!.state.isPaused) this.#control.setPaused(true);
    this.events.onFault = (error) => {
      this.#listenerFault = { error };
      this.stop();
    };
    if (this.#stopAsked !== undefined) this.stop(this.#stopAsked);
  }

  async #runIn(): Promise<CrawlSummary> {
    const { hourly, exchanges, series } = crawlPaths(this.#out);
    const statistics = new HourlyStatistics(hourly, this.#config.statsEveryMs, monotonicMs());
    const { counters, threads } = this.#memory;
    this.#exchanges = new ExchangeSeries(exchanges, counters, threads, monotonicMs());
    this.#series = new SeriesFile(series);
    try {
      await this.#runWorkers(statistics);
      return await this.#close(statistics);
    } finally {
      statistics.abandon();
      this.#exchanges.abandon();
      this.#series.abandon();
    }
  }

  /** Settles when all threads have ended. */
  async #runWorkers(statistics: HourlyStatistics): Promise<void> {
    const workers = this.#newWorkers(statistics);
    this.#workers = workers;
    const stopWatching = this.#watch(workers, statistics);
    try {
      // When not all of them can start, the crawlers are dismissed, so the wait below ends either way.
      const begun = workers.start().then(
        () => this.#idleness.begin(monotonicMs()),
        (error: unknown) => this.#fail(error),
      );
      this.#steered = this.#steeredBy(workers, begun);
      this.events.tell("started", this.#out);
      if (this.#fewFiles !== undefined) this.events.tell("fewFiles", this.#fewFiles);
      await workers.crawlersEnded;
      stopWatching();
      this.#endedMs ??= monotonicMs();
      await workers.endBuilders();
    } finally {
      stopWatching();
      await workers.terminate();
    }
  }

  /** Looks after limits, statistics and the end of the crawl until the function that it returns is called. */
  #watch(workers: Workers, statistics: HourlyStatistics): () => void {
    const bell = new LoopDoorbell(bellsOf(this.#memory).supervisor, () => watchEnd());
    const hasEnded = () => this.#control.mode !== MODES.run;
    const end = { hasWork: () => hasEnded() || this.#control.isLast };
    const watchEnd = () => {
      // The last URL may have been released before the bell was armed.
      while (bell.fallAsleep(end)) {
        if (this.#control.takeLast()) this.#released!.decide();
        if (!hasEnded()) continue;
        this.#endedMs ??= monotonicMs();
        this.#drainIfFull();
        workers.wakeAll();
        return;
      }
    };
    watchEnd();
    const ticker = setInterval(() => {
      try {
        this.#tick();
        this.#buffers.look(this.#memory);
        statistics.tick(monotonicMs(), Date.now(), () => this.#flow());
        this.#exchanges?.tick(monotonicMs());
        if (workers.before !== undefined) this.#noteFigures();
      } catch (error) {
        this.#fail(error);
      }
    }, TICK_MS);
    return () => {
      clearInterval(ticker);
      bell.close();
    };
  }

  #noteFigures(): void {
    this.#series?.tick(monotonicMs(), () => {
      const figures = this.#sample();
      this.#lastFigures = figures;
      this.events.tell("figures", figures);
      return figures;
    });
  }

  #flow(): FlowSample {
    return flowOf(this.#memory, this.#buffers.plan);
  }

  /** Closes, lists and reports what the threads have stored. */
  async #close(statistics: HourlyStatistics): Promise<CrawlSummary> {
    // The folder belongs to another process now: nothing more is written.
    if (this.#fault instanceof FolderTakenError) throw this.#fault;
    this.#folder!.check();
    const sums = totals(this.#memory.counters);
    this.#buffers.look(this.#memory);
    let measured = this.#measure(this.#endedMs!, sums);
    const { losesUrls } = frontierTraits(this.#config);
    const stoppedMs = this.#isHurried ? LONG_AGO_MS : this.#drain.stoppedMs;
    const closer = new CrawlCloser(this.#out, this.#config, stoppedMs);
    const listener: CloseListener = {
      // A crawl that failed is still "running" for the next run.
      onEnded: (left) => {
        const { ended } = measured;
        const history = historyAfter(sums, measured);
        if (this.#fault === undefined) this.#folder!.keep({ ended, left, history });
      },
      onSafe: () => this.events.tell("safe"),
    };
    let closed: ClosedCrawl | undefined;
    // Also after a fault: what was stored is joined, indexed and reported. Each step may be repeated.
    const closing = this.#patiently(() => {
      statistics.close(monotonicMs(), Date.now(), this.#flow());
      this.#exchanges?.close(monotonicMs());
      if (isEmpty(sums, measured.ended))
        measured = { ...measured, seedFaults: seedFaults(this.#out) };
      const judge = measured.ended === "finished" ? this.#released!.judge : undefined;
      const run = {
        totals: sums,
        measured,
        // What a frontier that loses URLs still holds when nothing moves any more will never be handed out.
        left: losesUrls && measured.ended === "finished" ? [] : this.#workers!.left,
        isBrokenOff: this.#workers!.isBrokenOff,
        isUndisturbed: this.#fault === undefined && this.#workers!.areUndisturbed,
        buffers: this.#buffers.peaks,
      };
      const visited = visitedPages(this.#memory.frontier, this.#config);
      if (visited !== undefined) writeVisitedList(crawlPaths(this.#out).visited, visited);
      closed = closer.close(run, listener, judge);
    });
    await closing.catch((error: unknown) => {
      this.#fault ??= error;
    });
    if (this.#fault !== undefined) throw this.#fault;
    const { summary, left } = closed!;
    await this.#patiently(() => this.#closeSeries(closed!));
    for (const message of left) this.events.tell("leftForLater", message);
    this.events.tell("ended", summary);
    return this.#orListenerFault(summary);
  }

  /** The last line has the same figures as the summary. */
  #closeSeries({ summary, totals: sums }: ClosedCrawl): void {
    const { seconds, urlsQueued: queued, thisRun } = summary;
    const { cpuSeconds, seconds: runSeconds } = thisRun;
    const last = { seconds, runSeconds, cpuSeconds, queued, state: summary.ended, busy: 0 };
    const idle = { inFlight: 0, hostsWaiting: 0, uncommitted: 0, congested: 0 };
    this.#lastFigures = { ...this.#sample(sums), ...last, ...idle };
    this.#series!.close(this.#lastFigures);
    this.events.tell("figures", this.#lastFigures);
  }

  #orListenerFault(summary: CrawlSummary): CrawlSummary {
    if (this.#listenerFault !== undefined) throw new ListenerFailedError(this.#listenerFault.error);
    return summary;
  }

  /** A crawl that has received as much as it may stops like one that was told to: in time, whatever servers do. */
  #drainIfFull(): void {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#config;
    if (this.#control.endedBy !== "limit" || this.#control.bytes.value < maxBytes) return;
    this.#drain.begin(monotonicMs(), totals(this.#memory.counters).known);
    this.events.tell("stopping", "limit");
  }

  /** First call: take no more, finish and commit what is in flight. Second call: drop it. */
  stop(reason: Ending = "interrupted"): void {
    if (this.#shared === undefined) {
      this.#stopAsked = reason;
      return;
    }
    const again = this.#control.mode !== MODES.run;
    this.#isHurried ||= again;
    this.#control.end(reason, again ? MODES.abort : MODES.drain);
    this.#drain.begin(monotonicMs(), totals(this.#memory.counters).known);
    this.events.tell("stopping", reason);
    this.#workers?.wakeAll();
  }

  #steeredBy(workers: Workers, begun: Promise<void>): Steered {
    return {
      config: this.#config,
      log: this.#controlLog!,
      begun,
      isRunning: () => this.#shared !== undefined && this.#control.mode === MODES.run,
      obey: (change) => this.#obey(workers, change),
      admit: (seeds) => this.#admitSeeds(workers, seeds),
    };
  }

  /** Obeys a change that is durable; settles when all threads do. */
  async #obey(workers: Workers, change: ControlChange): Promise<void> {
    if (change.event === "pause" || change.event === "goOn") {
      this.#control.setPaused(change.event === "pause");
      this.#idleness.begin(monotonicMs());
      workers.wakeAll();
    } else if (change.event === "stop") this.stop();
    else if (isForThreads(change)) await workers.change(change);
    this.events.tell("controlled", change);
  }

  /** Has seeds admitted by their threads; undefined when the crawl ended before they were. */
  async #admitSeeds(workers: Workers, seeds: readonly CrawlUrl[]): Promise<number | undefined> {
    this.#seeds.push(...seeds);
    // Whatever threads do meanwhile, the crawl does not end before the seeds count.
    workers.hold();
    try {
      workers.widen(seeds.map(widenedFact));
      const answers = await runSteps(
        admitSeeds(seeds, {
          threadOf: (url) => threadOf(url, this.#config),
          admit: (thread, found) => workers.admit(thread, found),
          rest: () => setImmediate(),
          isRunning: () => this.#shared !== undefined && this.#control.mode === MODES.run,
        }),
      );
      return answers?.reduce<number>((sum, answer) => sum + (answer as { fresh: number }).fresh, 0);
    } finally {
      workers.release();
    }
  }

  /** For drills: ends a worker thread wherever it is, as a fault would. False if there is none of that name. */
  async killWorker(name: string): Promise<boolean> {
    return (await this.#workers?.kill(name)) ?? false;
  }

  /** The figures at this moment. */
  progress(): CrawlProgress {
    if (this.#shared === undefined) return this.#lastProgress;
    const runMs = monotonicMs() - this.#startMs;
    const { isPaused } = this.#control;
    return progressOf(totals(this.#memory.counters), runMs, this.#before, isPaused);
  }

  /** The figures of the last second; when the crawl has ended, those of its end. */
  figures(): Figures {
    this.#lastFigures ??= NO_FIGURES;
    return this.#lastFigures;
  }

  /** Hosts of this run, asked of the threads that own them. */
  async hosts(question: HostQuestion): Promise<HostPage> {
    const hasOwners = this.#config.frontier === "sharded";
    return (await this.#workers?.hosts(question, hasOwners)) ?? { total: 0, hosts: [] };
  }

  #sample(sums?: Totals): Figures {
    const cpu = process.cpuUsage(this.#startCpu);
    const sampled = {
      progress: this.progress(),
      config: this.#config,
      state: this.#activity,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      busy: this.#workers?.busyShare() ?? 0,
      diskWaits: this.#waitingForDisk > 0,
    };
    return sampleFigures(this.#memory, sampled, sums);
  }

  get #activity(): CrawlActivity {
    if (this.#workers?.before === undefined) return "starting";
    if (this.#control.mode !== MODES.run) return "stopping";
    return this.#control.isPaused ? "paused" : "running";
  }

  get #before(): BeforeRun {
    const { runs, seconds } = this.#folder!.history;
    return { counted: this.#workers?.before, runs, seconds };
  }

  /** The threads have read what earlier runs did, and none has begun. */
  #beginStatistics(statistics: HourlyStatistics): void {
    const { history, crashedSeconds } = this.#folder!;
    const run = { run: history.runs + 1, lostSeconds: crashedSeconds };
    statistics.begin(run, Date.now(), this.#flow());
  }

  #newWorkers(statistics: HourlyStatistics): Workers {
    const config = this.#config;
    const folder = this.#folder!;
    const { state, lease } = folder;
    const changed = this.#controlLog!.state;
    const moreSeeds = [...(state.moreSeeds as CrawlUrl[]), ...changed.seeds];
    this.#seeds = [...new Set([...(config.seeds as CrawlUrl[]), ...moreSeeds])];
    const released = new AllReleased(
      {
        config,
        shouldVisit: this.#hooks.shouldVisit,
        out: this.#out,
        memory: this.#memory,
        control: this.#control,
        workers: () => this.#workers!,
        onWidened: (url) => this.events.tell("seedRedirected", url),
        onFault: (error) => this.#fail(error),
      },
      moreSeeds,
    );
    this.#released = released;
    const plan = {
      config,
      out: this.#out,
      state,
      lease,
      memory: this.#memory,
      control: this.#control,
      seedLow: state.seedLow,
      seedHigh: state.seedHigh,
      seeds: this.#seeds,
      changes: () => changed.forThreads,
      resumed: this.#resumes,
      treeLocks: treeLockMemory(config.store.includes("tree") ? builderCount(config) : 0),
      credentials: this.#credentials,
      wants: {
        pages: this.#wantsPages,
        paces: this.#stream !== undefined,
        ends: this.events.listenerCount("failed") + this.events.listenerCount("skipped") > 0,
      },
      buildHere: this.#buildHere,
      nextEpoch: epochsAfter(state.epoch, (epoch) => folder.keep({ epoch })),
    };
    let pages: Promise<MainPages> | undefined;
    return new Workers(plan, {
      onPage: async (page) => {
        pages ??= this.#openPages();
        return (await pages).take(page);
      },
      onTold: ({ kind, ...end }) => this.events.tell(kind, end),
      onFacts: (facts, areOfThisRun) => released.learn(facts, areOfThisRun),
      onDisk: (message) => this.#onDisk(message),
      onReplaced: (...death) => this.events.tell("workerReplaced", ...death),
      onHandlerLog: (url, text) => this.events.tell("log", url, text),
      onBegun: () => this.#beginStatistics(statistics),
      onAllReleased: () => released.note(),
      onFault: (error) => this.#fail(error),
    });
  }

  get #wantsPages(): boolean {
    const isHeard = this.events.listenerCount("page") > 0;
    return isHeard || this.#stream !== undefined || this.#handler !== undefined;
  }

  /** What this thread does with pages. Loaded when the first one comes: a parser belongs to it, and few crawls need it here. */
  async #openPages(): Promise<MainPages> {
    const { openMainPages } = await import("./main-pages.ts");
    return openMainPages(this.#config, {
      handler: this.#handler && checkedHandler(this.#handler),
      onPage: (page) => {
        this.events.tell("page", page);
        return this.#stream?.offer(page) ?? true;
      },
      log: (url, text) => this.events.tell("log", url, text),
    });
  }

  /** Repeats a step of this thread until the disk accepts it, as builders do. */
  #patiently(step: () => void): Promise<void> {
    return repeatOnLoop(this.#control, (message) => this.#onDisk(message), step);
  }

  /** Emits one event for a disk, however many threads wait for it. */
  #onDisk(message: DiskMessage): void {
    if (message.kind === "diskFull" && this.#waitingForDisk++ === 0)
      this.events.tell("diskFull", message.message);
    if (message.kind === "diskFree" && --this.#waitingForDisk === 0) this.events.tell("diskFree");
  }

  /** Something failed that cannot be repaired: everything is stopped and closed, then `run` throws the error. */
  #fail(error: unknown): void {
    this.#fault ??= error;
    this.#abort();
  }

  #abort(): void {
    // The lock may be lost before anything runs; whatever comes next checks it.
    if (this.#shared === undefined) return;
    this.#control.end("interrupted", MODES.abort);
    this.#workers?.wakeAll();
  }

  #tick(): void {
    const now = monotonicMs();
    const progress = this.progress();
    this.events.tell("progress", progress);
    this.#workers?.endHungHandlers(now);
    const { maxTimeMs, maxWaitMs } = this.#config;
    if (this.#control.mode === MODES.run) {
      const isLate = maxTimeMs !== undefined && now - this.#startMs >= maxTimeMs;
      if (isLate) this.stop("limit");
    } else if (this.#drain.isOver(now, progress.inFlight) && this.#control.mode === MODES.drain) {
      this.#abort();
    } else if (this.#control.mode === MODES.abort) {
      this.#abortedMs ??= now;
      if (now - this.#abortedMs > MAX_ABORT_MS) this.#workers?.abandonCrawlers();
    }
    if (this.#control.isPaused) this.#idleness.begin(now);
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

  #measure(endedMs: number, sums: Totals): Measured {
    const cpu = process.cpuUsage(this.#startCpu);
    const ending = this.#control.endedBy;
    const ended = (ending === "running" ? "finished" : ending) as CrawlEnding;
    const seconds = (monotonicMs() - this.#startMs) / 1000;
    // Of all runs together, as the limit is.
    const reached = { pages: sums.pages, bytes: this.#control.bytes.value };
    const limit = ended === "limit" ? limitReached(this.#config, reached, seconds) : null;
    const isLeft = ended !== "finished" || sums.unavailable > 0;
    const { isDurable, isElsewhere } = frontierTraits(this.#config);
    const goOn =
      isLeft && isDurable
        ? resumeCommand(this.#out, this.#config, limit)
        : // A limit ends it for all workers.
          isElsewhere && ended === "interrupted"
          ? rejoinCommand(this.#out, this.#config)
          : null;
    return {
      ended,
      limit,
      next: goOn,
      seedFaults: [],
      out: this.#out,
      seconds,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      maxRssMiB: process.resourceUsage().maxRSS / 1024,
      endingMs: monotonicMs() - endedMs,
      // A crawl whose threads could not start has done nothing.
      before: this.#workers!.before ?? sums,
      history: this.#folder!.history,
    };
  }
}
