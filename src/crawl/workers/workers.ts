import { monotonicMs } from "../../runtime/clock.ts";
import type { RunningWorker } from "../../runtime/run-worker.ts";
import type { FromBuilder } from "../builder/builder-message.ts";
import type { FromCrawler, ToCrawler } from "../crawler/crawl-worker.ts";
import { BufferPlan } from "../hand-off/buffer-plan.ts";
import { bellsOf, createBuffer, MODES } from "../shared-memory.ts";
import { AwaitedMessages } from "./awaited-messages.ts";
import { BuilderWorkers } from "./builder-workers.ts";
import { Compactor } from "./compactor.ts";
import { countAnew, orRefused, reclaim, recount, type Start } from "./recount.ts";
import { misuseOf, RestartLimit, startAgain } from "./restart-limit.ts";
import { StandbyWorkers } from "./standby-workers.ts";
import {
  beginCrawler,
  dismiss,
  journalsOf,
  startOthers,
  type WorkersListener,
  type WorkersPlan,
} from "./start-workers.ts";

/**
 * The worker threads of a crawl: starts them, counts what they have to do, and replaces one that dies. Its shards are
 * folded again from their journals, and what it held in shared memory is reclaimed by its number.
 */
export class Workers {
  readonly #plan: WorkersPlan;
  readonly #voice: WorkersListener;
  readonly #crawlers: RunningWorker[] = [];
  readonly #builders: BuilderWorkers;
  readonly #spares: StandbyWorkers;
  readonly #compactor: Compactor | undefined;
  readonly #words = new AwaitedMessages<FromCrawler | FromBuilder>();
  #others: RunningWorker[] = [];
  /** Crawlers that have ended and are not replaced. */
  readonly #home = new Set<number>();
  #allEnded = () => {};
  #recounts = 0;
  #repair: Promise<void> = Promise.resolve();
  #dismissed = new Set<RunningWorker>();
  /** Threads that are being started and have not said that they are ready. */
  readonly #starting = new Set<number>();
  readonly #dead = new Set<number>();
  /** Held in the pending counter while something is being repaired, so that nobody sees an empty crawl. */
  #guards = 0;
  readonly #toll = new RestartLimit();
  #dismissedAll = false;
  /** When the crawlers that were begun anew last had read what is theirs: leases of the dead wait again since then. */
  #foldedMs = 0;

  /** Settles when every crawler has ended by itself. */
  readonly crawlersEnded: Promise<void>;

  constructor(plan: WorkersPlan, voice: WorkersListener) {
    this.#plan = plan;
    this.#voice = voice;
    const { seedLow, seedHigh } = plan;
    const folder = journalsOf(plan);
    this.#compactor =
      folder === undefined ? undefined : new Compactor({ folder, seedLow, seedHigh });
    this.#spares = new StandbyWorkers(plan.config);
    this.#builders = new BuilderWorkers(plan, {
      hear: (message) => this.#onBuilder(message),
      died: (running, error) => this.#died(running, error),
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
    this.#repair = new Promise((resolve) => {
      begun = resolve;
    });
    this.#guards++;
    for (let builder = 0; builder < config.builders; builder++) this.#builders.start(builder);
    this.#others = startOthers(this.#plan, (error) => this.#voice.fault(error));
    const epoch = this.#plan.nextEpoch();
    const ready = Array.from({ length: memory.threads }, (_, thread) =>
      this.#startAgain(thread, epoch, resumed),
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
    this.tell({ kind: "go" });
    this.#releaseGuard();
  }

  /** A workers that cannot begin goes home. */
  async #dismissCrawlers(): Promise<void> {
    this.#dismissedAll = true;
    await Promise.all(this.#crawlers.map((running) => this.#dismiss(running)));
    this.#allEnded();
  }

  async #dismiss(running: RunningWorker): Promise<void> {
    this.#dismissed.add(running);
    await dismiss(running);
  }

  /** Says something to every crawler. */
  tell(message: ToCrawler): void {
    for (const { worker } of this.#crawlers) worker.postMessage(message);
  }

  /** Rings everybody but the supervisor. */
  wakeAll(): void {
    const bells = bellsOf(this.#plan.memory);
    for (const bell of bells) if (bell !== bells.at(-2)) bell.ring();
  }

  /** After the crawlers: lets the builders close their files. */
  async endBuilders(): Promise<void> {
    await this.#repair;
    await this.#compactor?.close();
    this.#plan.control.endBuilders();
    this.wakeAll();
    await this.#builders.ended(() => this.#repair);
    await this.#spares.dismiss();
    await Promise.all(this.#others.map(({ ended }) => ended.catch(() => {})));
  }

  /** Ends a worker thread at whatever it is doing, as a fault would: for drills. False if there is none of that name. */
  async kill(name: string): Promise<boolean> {
    const all = [...this.#crawlers, ...this.#builders.all, ...this.#others];
    const victim = all.find((running) => running.name === name);
    await victim?.worker.terminate();
    return victim !== undefined;
  }

  /** Settles when the crawler has read what is on disk. */
  #startCrawler(thread: number, epoch: number, mustWait: boolean): Promise<Start> {
    const run = { thread, epoch, mustWait };
    const running = beginCrawler(this.#plan, this.#spares.take(), run, (message) =>
      this.#onCrawler(thread, message),
    );
    this.#crawlers[thread] = running;
    this.#starting.add(thread);
    const ready = this.#words.next(`ready ${thread}`);
    const diedBefore = new Promise<never>((_, reject) => {
      running.ended.then(
        () => this.#starting.has(thread) || this.#crawlerEnded(thread),
        (error: unknown) => {
          if (this.#starting.has(thread) && this.#crawlers[thread] === running) reject(error);
          else this.#died(running, error);
        },
      );
    });
    return Promise.race([ready.then((word) => orRefused(word as FromCrawler)), diedBefore]);
  }

  #onCrawler(thread: number, message: FromCrawler): void {
    if (message.kind === "seed") this.#voice.seedFound(message.url);
    else if (message.kind === "ready") {
      this.#starting.delete(thread);
      this.#dead.delete(thread);
      this.#words.heard(`ready ${thread}`, message);
    } else if (message.kind === "refused") this.#words.heard(`ready ${thread}`, message);
    else if (message.kind === "finished") this.#goneForGood(thread);
  }

  /** Nobody takes its place in a crawl that ends: what it was lent and has not brought back waits for the next run. */
  #goneForGood(thread: number): void {
    this.tell({ kind: "sendAgain", thread, epoch: Number.MAX_SAFE_INTEGER });
  }

  #onBuilder(message: FromBuilder): void {
    if (message.kind === "closed") this.#words.heard(`closed ${message.thread}`, message);
    else if (message.kind === "places") this.#say(message.thread, message);
    else if (message.kind === "diskFull" || message.kind === "diskFree") this.#voice.disk(message);
    else this.#compactor?.hear(message.closed);
  }

  #say(thread: number, message: ToCrawler): void {
    this.#crawlers[thread]!.worker.postMessage(message);
  }

  #crawlerEnded(thread: number): void {
    this.#home.add(thread);
    if (this.#home.size === this.#plan.memory.threads) this.#allEnded();
  }

  #died(running: RunningWorker, error: unknown): void {
    if (this.#dismissed.delete(running)) return;
    const { control, config } = this.#plan;
    const crawler = this.#crawlers.indexOf(running);
    const builder = this.#builders.all.indexOf(running);
    // A crawl that ends anyway needs no new thread: what was not committed waits for the next run.
    if (control.mode !== MODES.run && crawler >= 0) {
      this.#goneForGood(crawler);
      this.#crawlerEnded(crawler);
      return;
    }
    // A full disk is fatal only to a crawl that ends: until then its builders wait.
    const fullDisk = control.mode === MODES.run ? undefined : this.#builders.fullDisk;
    const misuse = fullDisk ?? misuseOf(error);
    const isHopeless = misuse ?? this.#toll.isTooHigh(control.pagesCommitted);
    if (config.frontier === "shared" || isHopeless) {
      this.#voice.fault(misuse ?? error);
      if (crawler >= 0) this.#crawlerEnded(crawler);
      return;
    }
    if (crawler >= 0) this.#dead.add(crawler);
    const diedMs = monotonicMs();
    this.#guards++;
    control.pending.add(1);
    this.#repair = this.#repair
      .then(() => {
        // Whoever died beside its builder was replaced with it.
        const isCurrent =
          this.#crawlers[crawler] === running || this.#builders.all[builder] === running;
        if (!isCurrent || this.#dismissedAll) return this.#releaseGuard();
        return crawler >= 0 ? this.#replaceCrawlers([crawler]) : this.#replaceBuilder(builder);
      })
      .then(() => {
        const backMs = this.#foldedMs > diedMs ? this.#foldedMs : monotonicMs();
        this.#voice.replaced(running.name, error, backMs - diedMs);
      })
      .catch((fault: unknown) => {
        this.#voice.fault(fault);
        return this.#dismissCrawlers();
      });
  }

  /**
   * Without its builder a crawler is ahead of what is on disk, so they begin anew together. In a crawl that ends it
   * has nothing to begin: it goes home, and the new builder closes the files.
   */
  async #replaceBuilder(builder: number): Promise<void> {
    const { memory, control, config } = this.#plan;
    const threads = this.#builders.threadsOf(builder).filter((thread) => !this.#home.has(thread));
    for (const buffer of new BufferPlan(config).buffersOf(builder)) {
      memory.buffers[buffer] = createBuffer();
    }
    // Who comes next loads its code while they go; what they still write is in the old buffers.
    if (control.mode === MODES.run) this.#spares.keep(threads.length);
    this.#builders.start(builder);
    await Promise.all(threads.map((thread) => this.#dismiss(this.#crawlers[thread]!)));
    if (control.mode === MODES.run) return this.#replaceCrawlers(threads, false);
    for (const thread of threads) {
      this.#goneForGood(thread);
      this.#crawlerEnded(thread);
    }
    this.#releaseGuard();
  }

  async #replaceCrawlers(threads: readonly number[], builderLives = true): Promise<void> {
    const { control, memory } = this.#plan;
    // They load their code while the builder closes the journals and this thread does what takes it a moment.
    this.#spares.keep(threads.length);
    for (const thread of threads) this.#dead.add(thread);
    const closed = (thread: number) => this.#words.next(`closed ${thread}`);
    const stored = builderLives
      ? threads.map((thread) => this.#builders.crawlerDied(thread, closed(thread)))
      : [];
    for (const thread of threads) reclaim(this.#plan, thread);
    const epoch = this.#plan.nextEpoch();
    await this.#compactor?.makeWay((shard) => threads.includes(shard % memory.threads));
    // A builder that dies meanwhile never answers: its own replacement begins these crawlers anew, too.
    if ((await Promise.all(stored)).includes(false)) return this.#releaseGuard();
    const fresh = await Promise.all(threads.map((thread) => this.#startAgain(thread, epoch, true)));
    this.#foldedMs = monotonicMs();
    // Who has died meanwhile has a guard in the counter, and a recount of its own to come.
    const others = () =>
      [...this.#crawlers.keys()].filter(
        (thread) => !threads.includes(thread) && !this.#dead.has(thread),
      );
    const guards = () => this.#guards;
    await recount(this.#plan, { number: ++this.#recounts, fresh, others, guards });
    for (const thread of threads) {
      this.tell({ kind: "sendAgain", thread, epoch });
      this.#say(thread, { kind: "go" });
    }
    this.#compactor?.go();
    this.#spares.refill();
    this.#releaseGuard();
    if (control.mode !== MODES.run) this.wakeAll();
  }

  /** Starts a crawler; one that dies before it has read what is on disk is started once more. */
  #startAgain(thread: number, epoch: number, mustWait: boolean): Promise<Start> {
    const start = () => this.#startCrawler(thread, epoch, mustWait);
    return startAgain(start, () => this.#dismissedAll);
  }

  #releaseGuard(): void {
    this.#guards--;
    if (this.#plan.control.pending.release(1)) this.#voice.finished();
  }
}
