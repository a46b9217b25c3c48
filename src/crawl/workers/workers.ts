import { WorkerDiedError } from "../../errors.ts";
import { reclaimRobots } from "../../fetch/robots/robots-board.ts";
import { refuseContradictions, type ShardExchange } from "../../frontier/fold/exchange-check.ts";
import type { Discovery, Fact } from "../../frontier/frontier.ts";
import {
  announceEnd,
  announceRun,
  frontierTraits,
  reclaimThread,
} from "../../frontier/frontier-memory.ts";
import { untouchedShards } from "../../frontier/shard/untouched-shards.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { compileLess } from "../../runtime/compile-less.ts";
import type { RunningWorker } from "../../runtime/run-worker.ts";
import { type Totals, totals } from "../../stats/counters.ts";
import type { LeftUrls } from "../../store/reports/result-lists.ts";
import type { FromBuilder } from "../builder/builder-message.ts";
import type { ThreadChange } from "../control/control-change.ts";
import type { FromCrawler, ToCrawler } from "../crawler/crawler-message.ts";
import type { HostPage } from "../crawler/host-list.ts";
import type { HostQuestion } from "../crawler/host-ranking.ts";
import { Account, bellsOf, gatesOf, MODES } from "../shared-memory.ts";
import { MAX_HANDLER_MS } from "../visit/handler-watch.ts";
import { AbsentThreads } from "./absent-threads.ts";
import { BuilderWorkers } from "./builder-workers.ts";
import { BusyShare } from "./busy-share.ts";
import { Compactor } from "./compactor.ts";
import { Deaths, MAX_DEATHS_WITHOUT_PAGE } from "./deaths.ts";
import { HostQuestions } from "./host-questions.ts";
import { HungHandlers } from "./hung-handlers.ts";
import { incurableOf } from "./incurable.ts";
import { KnownFacts } from "./known-facts.ts";
import {
  type Replacing,
  replaceCrawlers,
  runSteps,
  setCounters,
  startOrRefusal,
} from "./replace-crawlers.ts";
import { StandbyWorkers } from "./standby-workers.ts";
import {
  beginCrawler,
  dismiss,
  journalsOf,
  startDebugLog,
  threadOf,
  type WorkersListener,
  type WorkersPlan,
} from "./start-workers.ts";

// Longer than 400 lines because starting, replacing and ending go over the same table of threads.

/** A worker thread, or a builder in this thread. */
type Running = Pick<RunningWorker, "name" | "ended" | "terminate">;
type Admitted = Extract<FromCrawler, { kind: "admitted" }>;
type FirstMessage = ReturnType<typeof startOrRefusal>;

/** What a thread says that has nothing to do and never had. */
const NOTHING: FirstMessage = {
  kind: "ready",
  ...{ share: 0, pages: 0, bytes: 0 },
  facts: [],
  exchanges: [],
};

/** How often a recount checks whether all crawlers have published. */
const LOOK_MS = 1;

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
  readonly #facts: KnownFacts;
  readonly #compactor: Compactor | undefined;
  #debugLog: RunningWorker | undefined;
  /** By name, who awaits a message: only the first one counts, and one that nobody awaits is dropped. */
  readonly #awaited = new Map<string, (message: FromCrawler | FromBuilder) => void>();
  #areUndisturbed = true;
  /** Crawlers that have ended and are not replaced. */
  readonly #ended = new Set<number>();
  /** Those of them that had committed and counted everything before. */
  readonly #finished = new Set<number>();
  #allEnded = () => {};
  #recounts = 0;
  #asked = 0;
  /** Settles when the start and all replacements so far are done: they run one after the other. */
  #replacing: Promise<void> = Promise.resolve();
  readonly #dismissed = new Set<Running>();
  /** Crawlers that have been started and have not reported "ready". */
  readonly #starting = new Set<number>();
  readonly #dead = new Set<number>();
  /** Those for which there is nothing to do yet. They count as ended: nobody waits for them. */
  readonly #absent: AbsentThreads;
  /** Those of them that are to be started. */
  readonly #wanted = new Set<number>();
  /** The number of this run, for those that are started late. */
  #epoch = 0;
  /** Held in the pending counter during a replacement and a second look, so that the crawl does not look empty. */
  #guards = 0;
  readonly #deaths = new Deaths();
  readonly #hung: HungHandlers;
  /** Threads that were ended because a handler hung in them: no fault of ours. */
  readonly #endedForHandler = new Set<Running>();
  readonly #busy = new BusyShare();
  readonly #questions = new HostQuestions();
  #areDismissed = false;
  /** When the latest successors had read their shards: since then the leases of the dead wait again. */
  #foldedMs = 0;

  /** What the journals say that earlier runs did; undefined until the threads have read them. */
  before: Totals | undefined;

  /** What crawlers held when they ended, where no journal knows it. */
  readonly left: LeftUrls[] = [];

  /** Settles when every crawler has ended. */
  readonly crawlersEnded: Promise<void>;

  constructor(plan: WorkersPlan, listener: WorkersListener) {
    this.#plan = plan;
    this.#listener = listener;
    const { seedLow, seedHigh, lease } = plan;
    // Ends alone are never folded.
    const folder = frontierTraits(plan.config).isDurable ? journalsOf(plan) : undefined;
    this.#compactor =
      folder === undefined ? undefined : new Compactor({ folder, seedLow, seedHigh, lease });
    this.#standby = new StandbyWorkers(plan.config);
    this.#absent = new AbsentThreads(plan, (thread) => this.#startLate(thread));
    this.#facts = new KnownFacts(plan.memory);
    const { memory, config } = plan;
    const timeoutMs = config.handlerTimeoutMs ?? MAX_HANDLER_MS;
    this.#hung = new HungHandlers(memory.handlers, memory.threads, timeoutMs);
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
    const untouched = this.#keepAbsent();
    this.#guards++;
    try {
      if (config.debug) this.#debugLog = startDebugLog(this.#plan);
      this.#debugLog?.ended.catch((error: unknown) => this.#listener.onFault(error));
      this.#epoch = this.#plan.nextEpoch();
      const starting = Promise.all(
        Array.from({ length: memory.threads }, (_, thread) =>
          this.#absent.has(thread) ? NOTHING : this.#startCrawler(thread, this.#epoch, resumed),
        ),
      );
      // A builder that cannot be started is told first.
      starting.catch(() => {});
      // While crawlers load their code: a builder in this thread opens its files now.
      this.#builders.startAll();
      const starts = await starting;
      refuseContradictions(
        [...untouched, ...starts.flatMap(({ exchanges }) => exchanges)],
        this.#plan.state.epoch,
      );
      setCounters(control, memory.threads, starts, this.#guards, config.maxPages);
      control.bytes.set(starts.reduce((sum, { bytes = 0 }) => sum + bytes, 0));
      this.before = totals(memory.counters);
      this.#listener.onBegun();
      for (const { facts = [] } of starts) this.#facts.learn(facts);
      this.#listener.onFacts(this.#facts.all, false);
    } catch (error) {
      await this.#dismissCrawlers();
      throw error;
    }
    this.postToAll(this.#letGo());
    this.#absent.listen();
    this.release();
  }

  /**
   * Which threads have nothing to do so far: those without a seed of whose shards no earlier run has left anything to read.
   * What these exchanged, which is nothing, is compared all the same.
   */
  #keepAbsent(): ShardExchange[] {
    const { memory, resumed, seeds, config, state } = this.#plan;
    const folder = journalsOf(this.#plan);
    const isBegun = state.journals !== undefined;
    const untouched =
      resumed && folder !== undefined ? untouchedShards(folder, config.shards, isBegun) : undefined;
    const busy = new Set(seeds.map((url) => threadOf(url, config)));
    if (untouched !== undefined)
      for (let shard = 0; shard < config.shards; shard++)
        if (!untouched.has(shard)) busy.add(shard % memory.threads);
    // Somebody has to find out that there is nothing to do.
    if (busy.size === 0) busy.add(0);
    for (let thread = 0; thread < memory.threads; thread++) {
      if (busy.has(thread) || !this.#absent.tryAdd(thread)) continue;
      this.#ended.add(thread);
      this.#finished.add(thread);
    }
    return [...(untouched?.values() ?? [])].filter(({ shard }) =>
      this.#absent.has(shard % memory.threads),
    );
  }

  /** There is something to do for a thread that has not been started. Not while another one is being replaced. */
  #startLate(thread: number): void {
    this.#wanted.add(thread);
    if (this.#wanted.size > 1) return;
    this.#replacing = this.#replacing
      .then(() => this.#startWanted())
      .catch((fault: unknown) => {
        this.#listener.onFault(fault);
        return this.#dismissCrawlers();
      });
  }

  /** Starts all that are wanted by now at once. */
  async #startWanted(): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    for (const thread of wanted) this.#absent.remove(thread);
    // What was sent to them waits for the next run.
    if (this.#plan.control.mode !== MODES.run || this.#areDismissed) return;
    const starting = wanted.map((thread) => {
      this.#ended.delete(thread);
      this.#finished.delete(thread);
      return this.#startCrawler(thread, this.#epoch, this.#plan.resumed, true);
    });
    await Promise.all(starting);
    for (const thread of wanted) this.#crawlers[thread]!.worker.postMessage(this.#letGo());
  }

  /** The message to go. Whoever gets it has loaded its code. */
  #letGo(): ToCrawler {
    compileLess(this.#started.length);
    return { kind: "go", facts: this.#facts.all, changes: this.#plan.changes() };
  }

  /** Seeds were added: the scope is wider for all threads, as after a seed's redirect. */
  widen(facts: readonly Fact[]): void {
    const fresh = this.#facts.learn(facts);
    this.postToAll({ kind: "facts", facts: fresh });
    this.#listener.onFacts(fresh, false);
  }

  /** Tells all crawlers of a change; settles when each obeys it. One that dies meanwhile is told with its successor's start. */
  async change(change: ThreadChange): Promise<void> {
    const answers = this.#started.map(({ worker, ended }) => {
      const number = ++this.#asked;
      const obeyed = this.#next(`obeyed ${number}`);
      worker.postMessage({ kind: "control", number, change } satisfies ToCrawler);
      return Promise.race([obeyed, ended.catch(() => {})]);
    });
    await Promise.all(answers);
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

  /** True when a crawler has ended before it had committed and counted everything. */
  get isBrokenOff(): boolean {
    const { control, memory } = this.#plan;
    return control.mode === MODES.abort || this.#finished.size < memory.threads;
  }

  /** True when no thread has died. */
  get areUndisturbed(): boolean {
    return this.#areUndisturbed;
  }

  get #started(): RunningWorker[] {
    return this.#crawlers.filter((running) => running !== undefined);
  }

  /** Sends a message to every crawler. */
  postToAll(message: ToCrawler): void {
    for (const { worker } of this.#started) worker.postMessage(message);
  }

  /** A page of the hosts of all crawlers; those of one that dies meanwhile are left out. */
  hosts(question: HostQuestion, hasOwners: boolean): Promise<HostPage> {
    return this.#questions.page(this.#crawlers, question, hasOwners);
  }

  /** The busy share of the crawlers since the last call, from 0 to 1, on average. */
  busyShare(): number {
    return this.#busy.shareOf(this.#started.map(({ worker }) => worker));
  }

  /** False while a thread has announced something that the supervisor has not heard. */
  get hasAllFacts(): boolean {
    return this.#facts.areAllHere;
  }

  /** Lets a thread admit URLs; tells how many were new, and nothing when it ends before they are durable. */
  async admit(thread: number, found: readonly Discovery[]): Promise<Admitted | undefined> {
    if (this.#absent.has(thread)) this.#startLate(thread);
    await this.#replacing;
    if (this.#crawlers[thread] === undefined) return undefined;
    const { worker, ended } = this.#crawlers[thread];
    const number = ++this.#asked;
    const name = `admitted ${number}`;
    const admitted = this.#next(name).then((message) => message as Admitted);
    const hasEnded = ended.catch(() => {}).then(() => undefined);
    worker.postMessage({ kind: "admit", number, found } satisfies ToCrawler);
    const answer = await Promise.race([admitted, hasEnded]);
    this.#awaited.delete(name);
    return answer;
  }

  /** Keeps the crawl from ending until `release`; only when nothing is pending, or something else keeps it. */
  hold(): void {
    this.#guards++;
    this.#plan.control.pending.add(1);
  }

  /** Rings all threads but the supervisor. */
  wakeAll(): void {
    const { all, supervisor } = bellsOf(this.#plan.memory);
    for (const bell of all) if (bell !== supervisor) bell.ring();
  }

  #ringCrawlers(): void {
    for (const bell of bellsOf(this.#plan.memory).crawlers) bell.ring();
  }

  /** Ends crawlers that were told to drop everything and wait for what never comes: as after a crash, nothing is lost. */
  abandonCrawlers(): void {
    for (const [thread, running] of this.#crawlers.entries())
      if (!this.#ended.has(thread) && !this.#starting.has(thread)) void dismiss(running);
  }

  /** Call when the crawlers have ended: lets the builders close their files. */
  async endBuilders(): Promise<void> {
    await this.#replacing;
    this.#absent.close();
    await this.#compactor?.close();
    this.#plan.control.endBuilders();
    this.wakeAll();
    await this.#builders.ended(() => this.#replacing);
    await this.#standby.dismiss();
    await this.#debugLog?.ended.catch(() => {});
  }

  /** Ends crawlers that hang in a handler; others take over, and the pages of such handlers end with a code. */
  endHungHandlers(nowMs: number): void {
    for (const { thread, hangs } of this.#hung.look(nowMs)) {
      const running = this.#crawlers[thread]!;
      this.#endedForHandler.add(running);
      this.postToAll({ kind: "hangs", hangs });
      void running.worker.terminate();
    }
  }

  get #all(): Running[] {
    const all = [...this.#crawlers, ...this.#builders.all, this.#debugLog];
    return all.filter((running) => running !== undefined);
  }

  /** Ends every thread that is left, wherever it is: after a fault nothing may keep the process alive. */
  async terminate(): Promise<void> {
    this.#areDismissed = true;
    this.#absent.close();
    for (const running of this.#all) this.#dismissed.add(running);
    const ends = this.#all.map((running) => running.terminate());
    await Promise.all([...ends, this.#compactor?.close(), this.#standby.dismiss()]);
  }

  /** For drills: ends a worker thread wherever it is, as a fault would. False if there is none of that name. */
  async kill(name: string): Promise<boolean> {
    const victim = this.#all.find((running) => running.name === name);
    await victim?.terminate();
    return victim !== undefined;
  }

  /** Starts a crawler, and another one when it dies before it has read its shards. */
  async #startCrawler(
    thread: number,
    epoch: number,
    mustWait: boolean,
    isLate = false,
  ): Promise<FirstMessage> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryStartCrawler(thread, epoch, mustWait, isLate);
      } catch (error) {
        const hasDied = error instanceof WorkerDiedError;
        // After a dismissal a new thread would keep the process alive.
        if (!hasDied || this.#areDismissed || tries === MAX_DEATHS_WITHOUT_PAGE) throw error;
      }
    }
  }

  /** Settles when the crawler has read its shards. */
  #tryStartCrawler(
    thread: number,
    epoch: number,
    mustWait: boolean,
    isLate: boolean,
  ): Promise<FirstMessage> {
    const run = { thread, epoch, mustWait, isLate, hangs: [...this.#hung.known] };
    const standby = this.#standby.take();
    // One that cannot be begun must be ended like the others.
    this.#crawlers[thread] = standby;
    const running = beginCrawler(this.#plan, standby, run, (message) =>
      this.#onCrawler(thread, message, standby),
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

  #onCrawler(thread: number, message: FromCrawler, { worker }: RunningWorker): void {
    if (message.kind === "builder") this.#builders.heard(message.message);
    else if (message.kind === "facts") this.#spread(this.#facts.announced(thread, message.facts));
    else if (message.kind === "finished") {
      this.#finished.add(thread);
      this.#announceEnd(thread);
    } else if (message.kind === "left") this.left.push(message);
    else if (message.kind === "hosts") this.#questions.answered(message.number, message.answer);
    else if (message.kind === "page") {
      void this.#listener.onPage(message.page).then((reply) => {
        worker.postMessage({ kind: "handled", reply } satisfies ToCrawler);
      });
    } else if (message.kind === "told") this.#listener.onTold(message.told);
    else if (message.kind === "handlerLog") this.#listener.onHandlerLog(message.url, message.text);
    else if (message.kind === "admitted" || message.kind === "obeyed") {
      const name = `${message.kind} ${message.number}`;
      this.#awaited.get(name)?.(message);
      this.#awaited.delete(name);
    } else {
      if (message.kind === "ready") {
        this.#starting.delete(thread);
        this.#dead.delete(thread);
      }
      this.#awaited.get(`ready ${thread}`)?.(message);
    }
  }

  /** Tells all crawlers and the supervisor what is new. */
  #spread(facts: readonly Fact[]): void {
    if (facts.length > 0) this.postToAll({ kind: "facts", facts });
    this.#listener.onFacts(facts, true);
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
    else if (message.kind === "segments") this.#compactor?.onClosed(message.closed);
  }

  #crawlerEnded(thread: number): void {
    this.#ended.add(thread);
    if (this.#ended.size === this.#plan.memory.threads) this.#allEnded();
  }

  #onDeath(running: Running, error: unknown): void {
    if (this.#dismissed.delete(running)) return;
    this.#areUndisturbed = false;
    const { control, config } = this.#plan;
    const crawler = (this.#crawlers as Running[]).indexOf(running);
    const builder = (this.#builders.all as readonly Running[]).indexOf(running);
    // A crawl that is ending needs no new crawler: what was not committed waits for the next run.
    if (control.mode !== MODES.run && crawler >= 0) {
      this.#announceEnd(crawler);
      this.#crawlerEnded(crawler);
      return;
    }
    // A full disk is fatal only to a crawl that is ending: before that its builders wait.
    const fullDisk = control.mode === MODES.run ? undefined : this.#builders.fullDisk;
    const incurable = fullDisk ?? incurableOf(error);
    const isHandlers = this.#endedForHandler.delete(running);
    const isHopeless =
      incurable ?? (!isHandlers && this.#deaths.areTooMany(control.pagesCommitted));
    if (isHopeless || !frontierTraits(config).isDurable) {
      this.#listener.onFault(incurable ?? error);
      if (crawler >= 0) this.#crawlerEnded(crawler);
      return;
    }
    if (crawler >= 0) this.#dead.add(crawler);
    const diedMs = monotonicMs();
    this.hold();
    this.#replacing = this.#replacing
      .then(() => {
        // A crawler that died beside its builder was replaced with it.
        const current = crawler >= 0 ? this.#crawlers[crawler] : this.#builders.all[builder];
        if (current !== running || this.#areDismissed) return this.release();
        if (crawler < 0) return this.#replaceBuilder(builder);
        if (!this.#builders.areJoined) return this.#replaceCrawlers([crawler]);
        // Its builder died with it.
        this.#builders.replace(crawler);
        return this.#replaceCrawlers([crawler], false);
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
    this.#absent.rest(this.#builders.threadsOf(builder));
    await Promise.all(threads.map((thread) => this.#dismiss(this.#crawlers[thread]!)));
    if (control.mode === MODES.run) return this.#replaceCrawlers(threads, false);
    for (const thread of threads) {
      this.#announceEnd(thread);
      this.#crawlerEnded(thread);
    }
    this.release();
  }

  async #replaceCrawlers(threads: readonly number[], builderLives = true): Promise<void> {
    // Successors load their code while the builder closes the journals.
    this.#standby.keep(threads.length);
    for (const thread of threads) this.#dead.add(thread);
    if (await runSteps(replaceCrawlers(threads, this.#replacement(builderLives)))) {
      this.#compactor?.resume();
      this.#standby.refill();
    }
    this.release();
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
        if (memory.robots !== undefined) reclaimRobots(memory.robots, thread);
      },
      nextEpoch,
      begin: async (dead, epoch) => {
        const starting = dead.map((thread) => this.#startCrawler(thread, epoch, true));
        const starts = await Promise.all(starting);
        // As far as both shards of a pair were read again; the others know more than their journals.
        refuseContradictions(
          starts.flatMap(({ exchanges }) => exchanges),
          epoch,
        );
        // Some of it may have died with a thread before anybody heard of it.
        for (const thread of dead) this.#facts.forget(thread);
        for (const { facts = [] } of starts) this.#spread(this.#facts.learn(facts));
        this.#foldedMs = monotonicMs();
        return starts;
      },
      nextRecount: () => ++this.#recounts,
      // A thread that has died meanwhile has a guard in the counter, and its own recount will follow.
      published: (dead, recount) =>
        Array.from({ length: memory.threads }, (_, thread) => thread)
          .filter((thread) => !dead.includes(thread) && !this.#dead.has(thread))
          .map((thread) =>
            this.#absent.has(thread) ? NOTHING : new Account(memory, thread).read(recount),
          ),
      pause: () => new Promise((resolve) => setTimeout(resolve, LOOK_MS)),
      ringAll: () => this.#ringCrawlers(),
      guards: () => this.#guards,
      go: (thread, epoch) => {
        announceRun(memory.frontier, thread, epoch);
        this.#ringCrawlers();
        this.#crawlers[thread]!.worker.postMessage(this.#letGo());
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

  /** Ends a hold. */
  release(): void {
    this.#guards--;
    if (this.#plan.control.pending.release(1)) this.#listener.onAllReleased();
  }
}
