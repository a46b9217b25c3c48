import { UsageError, WorkerDiedError } from "../../errors.ts";
import {
  announceEnd,
  announceRun,
  frontierTraits,
  reclaimThread,
} from "../../frontier/frontier-memory.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import type { RunningWorker } from "../../runtime/run-worker.ts";
import type { FromBuilder } from "../builder/builder-message.ts";
import type { FromCrawler, ToCrawler } from "../crawler/crawler-message.ts";
import { Account, bellsOf, gatesOf, MODES } from "../shared-memory.ts";
import { BuilderWorkers } from "./builder-workers.ts";
import { Compactor } from "./compactor.ts";
import {
  type Replacing,
  replaceCrawlers,
  runSteps,
  type Start,
  setCounters,
  startOrRefusal,
} from "./replace-crawlers.ts";
import { StandbyWorkers } from "./standby-workers.ts";
import {
  beginCrawler,
  dismiss,
  journalsOf,
  startDebugLog,
  type WorkersListener,
  type WorkersPlan,
} from "./start-workers.ts";

/** After this many deaths without a page in between, starting another thread is no cure. */
const MAX_DEATHS_WITHOUT_PAGE = 5;
/** How often a recount checks whether all crawlers have published. */
const LOOK_MS = 1;
/** Run numbers made durable at once, so that a replacement seldom waits for the disk. */
const EPOCHS_AHEAD = 16;

/**
 * The worker threads of a crawl: starts them, adds up what they have to do, and replaces those that die. The shards of
 * a dead crawler are folded again from their journals, and what it held in shared memory is reclaimed by its number.
 */
export class Workers {
  readonly #plan: WorkersPlan;
  readonly #listener: WorkersListener;
  readonly #crawlers: RunningWorker[] = [];
  readonly #builders: BuilderWorkers;
  readonly #standby: StandbyWorkers;
  readonly #compactor: Compactor | undefined;
  #debugLog: RunningWorker | undefined;
  /** By name, who awaits a message: only the first one counts, and one that nobody awaits is dropped. */
  readonly #awaited = new Map<string, (message: FromCrawler | FromBuilder) => void>();
  /** Crawlers that have ended and are not replaced. */
  readonly #ended = new Set<number>();
  #allEnded = () => {};
  #recounts = 0;
  /** Settles when the start and all replacements so far are done: they run one after the other. */
  #replacing: Promise<void> = Promise.resolve();
  readonly #dismissed = new Set<RunningWorker>();
  /** Crawlers that have been started and have not reported "ready". */
  readonly #starting = new Set<number>();
  readonly #dead = new Set<number>();
  /** Held in the pending counter during a replacement, so that the crawl does not look empty. */
  #guards = 0;
  /** Deaths since the last page, and the pages then. */
  #deaths = 0;
  #pagesAtDeath = -1;
  #areDismissed = false;
  /** When the latest successors had read their shards: since then the leases of the dead wait again. */
  #foldedMs = 0;

  /** Settles when every crawler has ended. */
  readonly crawlersEnded: Promise<void>;

  constructor(plan: WorkersPlan, listener: WorkersListener) {
    this.#plan = plan;
    this.#listener = listener;
    const { seedLow, seedHigh } = plan;
    const folder = journalsOf(plan);
    this.#compactor =
      folder === undefined ? undefined : new Compactor({ folder, seedLow, seedHigh });
    this.#standby = new StandbyWorkers(plan.config);
    this.#builders = new BuilderWorkers(plan, {
      onMessage: (message) => this.#onBuilder(message),
      onDeath: (running, error) => this.#onDeath(running, error),
    });
    this.crawlersEnded = new Promise((resolve) => {
      this.#allEnded = resolve;
    });
  }

  /** Starts all threads; settles when they run. */
  start(): Promise<void> {
    const started = this.#startAll();
    // A thread that dies meanwhile is replaced when all have been counted.
    this.#replacing = started.catch(() => {});
    return started;
  }

  async #startAll(): Promise<void> {
    const { config, memory, control, resumed } = this.#plan;
    this.#guards++;
    for (let builder = 0; builder < config.builders; builder++) this.#builders.start(builder);
    if (config.debug) this.#debugLog = startDebugLog(this.#plan);
    this.#debugLog?.ended.catch((error: unknown) => this.#listener.onFault(error));
    try {
      const epoch = this.#plan.nextEpoch();
      const starting = Array.from({ length: memory.threads }, (_, thread) =>
        this.#startCrawler(thread, epoch, resumed),
      );
      const starts = await Promise.all(starting);
      setCounters(control, memory.threads, starts, this.#guards, config.maxPages);
    } catch (error) {
      await this.#dismissCrawlers();
      throw error;
    }
    this.postToAll({ kind: "go" });
    this.#releaseGuard();
  }

  /** Ends all crawlers of a crawl that cannot start or go on. */
  async #dismissCrawlers(): Promise<void> {
    this.#areDismissed = true;
    await Promise.all(this.#crawlers.map((running) => this.#dismiss(running)));
    this.#allEnded();
  }

  async #dismiss(running: RunningWorker): Promise<void> {
    this.#dismissed.add(running);
    await dismiss(running);
  }

  /** Sends a message to every crawler. */
  postToAll(message: ToCrawler): void {
    for (const { worker } of this.#crawlers) worker.postMessage(message);
  }

  /** Rings all threads but the supervisor. */
  wakeAll(): void {
    const { all, supervisor } = bellsOf(this.#plan.memory);
    for (const bell of all) if (bell !== supervisor) bell.ring();
  }

  #ringCrawlers(): void {
    for (const bell of bellsOf(this.#plan.memory).crawlers) bell.ring();
  }

  /** Call when the crawlers have ended: lets the builders close their files. */
  async endBuilders(): Promise<void> {
    await this.#replacing;
    await this.#compactor?.close();
    this.#plan.control.endBuilders();
    this.wakeAll();
    await this.#builders.ended(() => this.#replacing);
    await this.#standby.dismiss();
    await this.#debugLog?.ended.catch(() => {});
  }

  /** For drills: ends a worker thread wherever it is, as a fault would. False if there is none of that name. */
  async kill(name: string): Promise<boolean> {
    const all = [...this.#crawlers, ...this.#builders.all, this.#debugLog];
    const victim = all.find((running) => running?.name === name);
    await victim?.worker.terminate();
    return victim !== undefined;
  }

  /** Starts a crawler, and another one when it dies before it has read its shards. */
  async #startCrawler(thread: number, epoch: number, mustWait: boolean): Promise<Start> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryStartCrawler(thread, epoch, mustWait);
      } catch (error) {
        const hasDied = error instanceof WorkerDiedError;
        // After a dismissal a new thread would keep the process alive.
        if (!hasDied || this.#areDismissed || tries === MAX_DEATHS_WITHOUT_PAGE) throw error;
      }
    }
  }

  /** Settles when the crawler has read its shards. */
  #tryStartCrawler(thread: number, epoch: number, mustWait: boolean): Promise<Start> {
    const run = { thread, epoch, mustWait };
    const running = beginCrawler(this.#plan, this.#standby.take(), run, (message) =>
      this.#onCrawler(thread, message),
    );
    this.#crawlers[thread] = running;
    this.#starting.add(thread);
    const ready = this.#next(`ready ${thread}`);
    const hasDied = new Promise<never>((_, reject) => {
      running.ended.then(
        () => this.#starting.has(thread) || this.#crawlerEnded(thread),
        (error: unknown) => {
          if (this.#starting.has(thread) && this.#crawlers[thread] === running) reject(error);
          else this.#onDeath(running, error);
        },
      );
    });
    return Promise.race([ready.then((first) => startOrRefusal(first as FromCrawler)), hasDied]);
  }

  /** Settles with the next message of that name. */
  #next(name: string): Promise<FromCrawler | FromBuilder> {
    return new Promise((resolve) => this.#awaited.set(name, resolve));
  }

  #onCrawler(thread: number, message: FromCrawler): void {
    if (message.kind === "seed") this.#listener.onSeed(message.url);
    else if (message.kind === "finished") this.#announceEnd(thread);
    else {
      if (message.kind === "ready") {
        this.#starting.delete(thread);
        this.#dead.delete(thread);
      }
      this.#awaited.get(`ready ${thread}`)?.(message);
    }
  }

  /** A crawler ends and is not replaced: what was lent to it waits for the next run. */
  #announceEnd(thread: number): void {
    announceEnd(this.#plan.memory.frontier, thread);
    this.#ringCrawlers();
  }

  #onBuilder(message: FromBuilder): void {
    if (message.kind === "closed") this.#awaited.get(`closed ${message.thread}`)?.(message);
    else if (message.kind === "places") this.#crawlers[message.thread]!.worker.postMessage(message);
    else if (message.kind === "diskFull" || message.kind === "diskFree")
      this.#listener.onDisk(message);
    else this.#compactor?.onClosed(message.closed);
  }

  #crawlerEnded(thread: number): void {
    this.#ended.add(thread);
    if (this.#ended.size === this.#plan.memory.threads) this.#allEnded();
  }

  #onDeath(running: RunningWorker, error: unknown): void {
    if (this.#dismissed.delete(running)) return;
    const { control, config } = this.#plan;
    const crawler = this.#crawlers.indexOf(running);
    const builder = this.#builders.all.indexOf(running);
    // A crawl that is ending needs no new crawler: what was not committed waits for the next run.
    if (control.mode !== MODES.run && crawler >= 0) {
      this.#announceEnd(crawler);
      this.#crawlerEnded(crawler);
      return;
    }
    // A full disk is fatal only to a crawl that is ending: before that its builders wait.
    const fullDisk = control.mode === MODES.run ? undefined : this.#builders.fullDisk;
    const misuse = fullDisk ?? misuseOf(error);
    const isHopeless = misuse ?? this.#diesTooOften();
    if (isHopeless || !frontierTraits(config).isDurable) {
      this.#listener.onFault(misuse ?? error);
      if (crawler >= 0) this.#crawlerEnded(crawler);
      return;
    }
    if (crawler >= 0) this.#dead.add(crawler);
    const diedMs = monotonicMs();
    this.#guards++;
    control.pending.add(1);
    this.#replacing = this.#replacing
      .then(() => {
        // A crawler that died beside its builder was replaced with it.
        const current = crawler >= 0 ? this.#crawlers[crawler] : this.#builders.all[builder];
        if (current !== running || this.#areDismissed) return this.#releaseGuard();
        return crawler >= 0 ? this.#replaceCrawlers([crawler]) : this.#replaceBuilder(builder);
      })
      .then(() => {
        const backMs = this.#foldedMs > diedMs ? this.#foldedMs : monotonicMs();
        this.#listener.onReplaced(running.name, error, backMs - diedMs);
      })
      .catch((fault: unknown) => {
        this.#listener.onFault(fault);
        return this.#dismissCrawlers();
      });
  }

  /** One more worker died; true when it is time to give up. */
  #diesTooOften(): boolean {
    const pages = this.#plan.control.pagesCommitted;
    this.#deaths = pages === this.#pagesAtDeath ? this.#deaths + 1 : 1;
    this.#pagesAtDeath = pages;
    return this.#deaths > MAX_DEATHS_WITHOUT_PAGE;
  }

  /**
   * Without its builder a crawler is ahead of what is on disk, so both are replaced. In a crawl that is ending the
   * crawlers end, and the new builder closes the files.
   */
  async #replaceBuilder(builder: number): Promise<void> {
    const { control } = this.#plan;
    const threads = this.#builders.threadsOf(builder).filter((thread) => !this.#ended.has(thread));
    // Successors load their code while the crawlers leave; what those still write goes to the old buffers.
    if (control.mode === MODES.run) this.#standby.keep(threads.length);
    this.#builders.replace(builder);
    await Promise.all(threads.map((thread) => this.#dismiss(this.#crawlers[thread]!)));
    if (control.mode === MODES.run) return this.#replaceCrawlers(threads, false);
    for (const thread of threads) {
      this.#announceEnd(thread);
      this.#crawlerEnded(thread);
    }
    this.#releaseGuard();
  }

  async #replaceCrawlers(threads: readonly number[], builderLives = true): Promise<void> {
    // Successors load their code while the builder closes the journals.
    this.#standby.keep(threads.length);
    for (const thread of threads) this.#dead.add(thread);
    if (await runSteps(replaceCrawlers(threads, this.#replacement(builderLives)))) {
      this.#compactor?.resume();
      this.#standby.refill();
    }
    this.#releaseGuard();
    if (this.#plan.control.mode !== MODES.run) this.wakeAll();
  }

  #replacement(builderLives: boolean): Replacing {
    const { memory, control, config, nextEpoch } = this.#plan;
    return {
      control,
      threads: memory.threads,
      maxPages: config.maxPages,
      storeLeft: (dead) => this.#storeLeft(builderLives ? dead : [], dead),
      reclaim: (thread) => {
        reclaimThread(memory.frontier, thread);
        // Hosts that it was asking wait for one delay.
        gatesOf(memory, thread).hosts.reclaim(thread + 1, monotonicMs() + config.delayMs);
      },
      nextEpoch,
      begin: async (dead, epoch) => {
        const starting = dead.map((thread) => this.#startCrawler(thread, epoch, true));
        const starts = await Promise.all(starting);
        this.#foldedMs = monotonicMs();
        return starts;
      },
      nextRecount: () => ++this.#recounts,
      // A thread that has died meanwhile has a guard in the counter, and its own recount will follow.
      published: (dead, recount) =>
        [...this.#crawlers.keys()]
          .filter((thread) => !dead.includes(thread) && !this.#dead.has(thread))
          .map((thread) => new Account(memory, thread).read(recount)),
      pause: () => new Promise((resolve) => setTimeout(resolve, LOOK_MS)),
      ringAll: () => this.#ringCrawlers(),
      guards: () => this.#guards,
      go: (thread, epoch) => {
        announceRun(memory.frontier, thread, epoch);
        this.#ringCrawlers();
        this.#crawlers[thread]!.worker.postMessage({ kind: "go" } satisfies ToCrawler);
      },
    };
  }

  /** False when a builder died and will never answer: replacing it also replaces its crawlers. */
  async #storeLeft(storing: readonly number[], dead: readonly number[]): Promise<boolean> {
    const stored = storing.map((thread) =>
      this.#builders.crawlerDied(thread, this.#next(`closed ${thread}`)),
    );
    await this.#compactor?.pause((shard) => dead.includes(shard % this.#plan.memory.threads));
    return !(await Promise.all(stored)).includes(false);
  }

  #releaseGuard(): void {
    this.#guards--;
    if (this.#plan.control.pending.release(1)) this.#listener.onAllReleased();
  }
}

const USAGE = new UsageError("").code;

/** The error in a user's module (`--handler`, `--priority`), if a worker died of one: another worker would, too. */
function misuseOf(error: unknown): UsageError | undefined {
  const cause = error instanceof WorkerDiedError ? error.cause : undefined;
  const isMisuse = cause instanceof Error && "code" in cause && cause.code === USAGE;
  return isMisuse ? new UsageError(cause.message, cause) : undefined;
}

/**
 * Run numbers of threads, each higher than all before. `keep` makes durable how far they may go before one of them is
 * used; some stay unused when the crawl ends.
 */
export function epochsAfter(last: number, keep: (upTo: number) => void): () => number {
  let durable = last;
  let epoch = last;
  return () => {
    if (epoch === durable) {
      keep(durable + EPOCHS_AHEAD);
      durable += EPOCHS_AHEAD;
    }
    return ++epoch;
  };
}
