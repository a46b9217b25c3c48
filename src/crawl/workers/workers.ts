import { UsageError, WorkerDiedError } from "../../errors.ts";
import {
  announceEnd,
  announceRun,
  frontierTraits,
  reclaimThread,
} from "../../frontier/frontier-memory.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import type { RunningWorker } from "../../runtime/run-worker.ts";
import { BufferPlan } from "../buffer-plan.ts";
import type { FromBuilder } from "../builder/builder-message.ts";
import type { FromCrawler, ToCrawler } from "../crawler/crawler-message.ts";
import { Account, bellsOf, createBuffer, gatesOf, MODES } from "../shared-memory.ts";
import { BuilderWorkers } from "./builder-workers.ts";
import { Compactor } from "./compactor.ts";
import {
  countAnew,
  type Replacing,
  replaceCrawlers,
  runSteps,
  type Start,
  startOrRefusal,
} from "./replace-crawlers.ts";
import { StandbyWorkers } from "./standby-workers.ts";
import {
  beginCrawler,
  dismiss,
  journalsOf,
  startOthers,
  type WorkersListener,
  type WorkersPlan,
} from "./start-workers.ts";

/** A worker that dies this often without a page in between dies of something that starting it again does not cure. */
const MAX_DEATHS_WITHOUT_PAGE = 5;
/** How often a recount looks whether everybody has published. */
const LOOK_MS = 1;
/** Run numbers that are made durable at once: a replacement need not wait for the disk each time. */
const EPOCHS_AHEAD = 16;

/**
 * The worker threads of a crawl: starts them, counts what they have to do, and replaces one that dies. Its shards are
 * folded again from their journals, and what it held in shared memory is reclaimed by its number.
 */
export class Workers {
  readonly #plan: WorkersPlan;
  readonly #listener: WorkersListener;
  readonly #crawlers: RunningWorker[] = [];
  readonly #builders: BuilderWorkers;
  readonly #standby: StandbyWorkers;
  readonly #compactor: Compactor | undefined;
  /** Who waits for which message of a worker; a message nobody waits for is dropped. */
  readonly #awaited = new Map<string, (message: FromCrawler | FromBuilder) => void>();
  #others: RunningWorker[] = [];
  /** Crawlers that have ended and are not replaced. */
  readonly #ended = new Set<number>();
  #allEnded = () => {};
  #recounts = 0;
  /** Settles when the replacements so far are done: one follows the other. */
  #replacing: Promise<void> = Promise.resolve();
  readonly #dismissed = new Set<RunningWorker>();
  /** Threads that are being started and have not said that they are ready. */
  readonly #starting = new Set<number>();
  readonly #dead = new Set<number>();
  /** Held in the pending counter while something is being replaced, so that nobody sees an empty crawl. */
  #guards = 0;
  /** Deaths since the last page, and the pages then. */
  #deaths = 0;
  #pagesAtDeath = -1;
  #areDismissed = false;
  /** When the crawlers that were begun anew last had read what is theirs: leases of the dead wait again since then. */
  #foldedMs = 0;

  /** Settles when every crawler has ended by itself. */
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

  /** Starts everybody; settles when they run. */
  async start(): Promise<void> {
    const { config, memory, control, resumed } = this.#plan;
    // Whoever dies meanwhile is replaced when everybody has been counted.
    let begun = () => {};
    this.#replacing = new Promise((resolve) => {
      begun = resolve;
    });
    this.#guards++;
    for (let builder = 0; builder < config.builders; builder++) this.#builders.start(builder);
    this.#others = startOthers(this.#plan, (error) => this.#listener.onFault(error));
    const epoch = this.#plan.nextEpoch();
    const ready = Array.from({ length: memory.threads }, (_, thread) =>
      this.#startCrawler(thread, epoch, resumed),
    );
    try {
      const tallies = await Promise.all(ready);
      countAnew(control, memory.threads, tallies, this.#guards, config.maxPages);
    } catch (error) {
      await this.#dismissCrawlers();
      throw error;
    } finally {
      begun();
    }
    this.postToAll({ kind: "go" });
    this.#releaseGuard();
  }

  /** Ends the crawlers of a crawl that cannot begin. */
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

  /** Rings everybody but the supervisor. */
  wakeAll(): void {
    const bells = bellsOf(this.#plan.memory);
    for (const bell of bells) if (bell !== bells.at(-2)) bell.ring();
  }

  #ringCrawlers(): void {
    const { memory } = this.#plan;
    for (const bell of bellsOf(memory).slice(0, memory.threads)) bell.ring();
  }

  /** After the crawlers: lets the builders close their files. */
  async endBuilders(): Promise<void> {
    await this.#replacing;
    await this.#compactor?.close();
    this.#plan.control.endBuilders();
    this.wakeAll();
    await this.#builders.ended(() => this.#replacing);
    await this.#standby.dismiss();
    await Promise.all(this.#others.map(({ ended }) => ended.catch(() => {})));
  }

  /** Ends a worker thread at whatever it is doing, as a fault would: for drills. False if there is none of that name. */
  async kill(name: string): Promise<boolean> {
    const all = [...this.#crawlers, ...this.#builders.all, ...this.#others];
    const victim = all.find((running) => running.name === name);
    await victim?.worker.terminate();
    return victim !== undefined;
  }

  /** Starts a crawler, and again when it dies before it has read what is on disk. */
  async #startCrawler(thread: number, epoch: number, mustWait: boolean): Promise<Start> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryStartCrawler(thread, epoch, mustWait);
      } catch (error) {
        const hasDied = error instanceof WorkerDiedError;
        // A thread left behind by a crawl that cannot begin would keep the process alive.
        if (!hasDied || this.#areDismissed || tries === MAX_DEATHS_WITHOUT_PAGE) throw error;
      }
    }
  }

  /** Settles when the crawler has read what is on disk. */
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

  #arrived(name: string, message: FromCrawler | FromBuilder): void {
    this.#awaited.get(name)?.(message);
    this.#awaited.delete(name);
  }

  #onCrawler(thread: number, message: FromCrawler): void {
    if (message.kind === "seed") this.#listener.onSeed(message.url);
    else if (message.kind === "ready") {
      this.#starting.delete(thread);
      this.#dead.delete(thread);
      this.#arrived(`ready ${thread}`, message);
    } else if (message.kind === "refused") this.#arrived(`ready ${thread}`, message);
    else if (message.kind === "finished") this.#announceEnd(thread);
  }

  /** Nobody takes its place in a crawl that ends: what it was lent and has not brought back waits for the next run. */
  #announceEnd(thread: number): void {
    announceEnd(this.#plan.memory.frontier, thread);
    this.#ringCrawlers();
  }

  #onBuilder(message: FromBuilder): void {
    if (message.kind === "closed") this.#arrived(`closed ${message.thread}`, message);
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
    // A crawl that ends anyway needs no new thread: what was not committed waits for the next run.
    if (control.mode !== MODES.run && crawler >= 0) {
      this.#announceEnd(crawler);
      this.#crawlerEnded(crawler);
      return;
    }
    // A full disk is fatal only to a crawl that ends: until then its builders wait.
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
        const isCurrent =
          this.#crawlers[crawler] === running || this.#builders.all[builder] === running;
        if (!isCurrent || this.#areDismissed) return this.#releaseGuard();
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
   * Without its builder a crawler is ahead of what is on disk, so they begin anew together. In a crawl that ends it
   * has nothing to begin: it ends, and the new builder closes the files.
   */
  async #replaceBuilder(builder: number): Promise<void> {
    const { memory, control, config } = this.#plan;
    const threads = this.#builders.threadsOf(builder).filter((thread) => !this.#ended.has(thread));
    for (const buffer of new BufferPlan(config).buffersOf(builder)) {
      memory.buffers[buffer] = createBuffer();
    }
    // Their successors load their code while they go; what they still write is in the old buffers.
    if (control.mode === MODES.run) this.#standby.keep(threads.length);
    this.#builders.start(builder);
    await Promise.all(threads.map((thread) => this.#dismiss(this.#crawlers[thread]!)));
    if (control.mode === MODES.run) return this.#replaceCrawlers(threads, false);
    for (const thread of threads) {
      this.#announceEnd(thread);
      this.#crawlerEnded(thread);
    }
    this.#releaseGuard();
  }

  async #replaceCrawlers(threads: readonly number[], builderLives = true): Promise<void> {
    // They load their code while the builder closes the journals and this thread does what takes it a moment.
    this.#standby.keep(threads.length);
    for (const thread of threads) this.#dead.add(thread);
    if (await runSteps(replaceCrawlers(threads, this.#replacement(builderLives)))) {
      this.#compactor?.go();
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
        // Hosts that it was asking wait one delay.
        gatesOf(memory, thread).hosts.reclaim(thread + 1, monotonicMs() + config.delayMs);
      },
      nextEpoch,
      begin: async (dead, epoch) => {
        const fresh = dead.map((thread) => this.#startCrawler(thread, epoch, true));
        const tallies = await Promise.all(fresh);
        this.#foldedMs = monotonicMs();
        return tallies;
      },
      nextRecount: () => ++this.#recounts,
      // A thread that has died meanwhile has a guard in the counter, and a recount of its own to come.
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

  /** A builder that dies meanwhile never answers: replacing it begins its crawlers anew, too. */
  async #storeLeft(storing: readonly number[], dead: readonly number[]): Promise<boolean> {
    const stored = storing.map((thread) =>
      this.#builders.crawlerDied(thread, this.#next(`closed ${thread}`)),
    );
    await this.#compactor?.makeWay((shard) => dead.includes(shard % this.#plan.memory.threads));
    return !(await Promise.all(stored)).includes(false);
  }

  #releaseGuard(): void {
    this.#guards--;
    if (this.#plan.control.pending.release(1)) this.#listener.onAllReleased();
  }
}

const USAGE = new UsageError("").code;

/** What a worker died of, if that is what the user gave it (`--handler`, `--priority`): starting it again does not cure that. */
function misuseOf(error: unknown): UsageError | undefined {
  const cause = error instanceof WorkerDiedError ? error.cause : undefined;
  const isMisuse = cause instanceof Error && "code" in cause && cause.code === USAGE;
  return isMisuse ? new UsageError(cause.message, cause) : undefined;
}

/**
 * Numbers for the runs of threads, each above all before; `keep` makes durable how far they may go, before any of them
 * is used. Some are left unused when the crawl ends.
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
