import { type Lease, OUTCOME, type ThreadFrontier } from "../../frontier/frontier.ts";
import type { LentSoFar } from "../../frontier/lending/lender.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { CounterRow } from "../../stats/counters.ts";
import { LoopDoorbell } from "../../sync/loop-doorbell.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { BufferPlan } from "../hand-off/buffer-plan.ts";
import { type BufferSender, outlookOf } from "../hand-off/buffer-sender.ts";
import type { HandOffPort, PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import { openSender } from "../open-buffer.ts";
import { Account, bellsOf, Control, debugRingOf, MODES } from "../shared-memory.ts";
import { DebugLog } from "../visit/debug-log.ts";
import { CrawlerStages } from "../visit/stages.ts";
import { type VisitEnd, visit } from "../visit/visit.ts";
import { type CrawlerParts, crawlerParts } from "./crawler-parts.ts";
import { type CrawlerRules, mayLend, spareLeases } from "./crawler-rules.ts";
import { openThreadFrontier, publishCounters } from "./open-frontier.ts";
import { PageLimit } from "./page-limit.ts";
import { Uncommitted } from "./uncommitted.ts";
import { WakeTimer } from "./wake-timer.ts";

/** What a crawler says to its supervisor. */
export interface CrawlerListener {
  seedFound(url: CrawlUrl): void;
  /** What is on disk is read: how many things are pending here, and how many pages are committed. */
  ready(share: number, pages: number): void;
  finished(): void;
  failed(error: unknown): void;
}

/**
 * One crawler thread: takes URLs from its shards, keeps L of them in flight, exchanges links, and never blocks.
 * Everything happens in `#pump`, which runs after anything that may have changed what can be done; nothing else
 * touches what the threads share, so that a recount finds every thread between two pumps.
 */
export class Crawler {
  readonly #rules: CrawlerRules;
  readonly #parts: CrawlerParts;
  readonly #control: Control;
  readonly #account: Account;
  readonly #counters: CounterRow;
  readonly #frontier: ThreadFrontier;
  readonly #handOff: BufferSender;
  readonly #port: HandOffPort;
  readonly #stages: CrawlerStages;
  readonly #bell: LoopDoorbell;
  readonly #voice: CrawlerListener;
  readonly #limit: PageLimit;
  readonly #uncommitted: Uncommitted;
  #over: [Lease, VisitEnd][] = [];
  #permitsBack = 0;
  #restarted: [thread: number, epoch: number, nowMs: number][] = [];
  #givesUp = false;
  #inFlight = 0;
  /** Of these, visits to hosts that could not be reached last time: no work, only hope. */
  #hopeful = 0;
  #filled = 0;
  #pumpPlanned = false;
  readonly #timer = new WakeTimer(() => this.#pump());
  #running = false;

  constructor(rules: CrawlerRules, voice: CrawlerListener) {
    const { thread, memory, config } = rules;
    this.#rules = rules;
    this.#voice = voice;
    this.#parts = crawlerParts(rules);
    this.#control = new Control(memory);
    this.#account = new Account(memory, thread);
    this.#counters = new CounterRow(memory.counters, thread);
    const bells = bellsOf(memory);
    const builderBell = bells[memory.threads + new BufferPlan(config).builderOf(thread)]!;
    this.#handOff = openSender(memory, config, thread);
    const opened = openThreadFrontier({
      rules,
      control: this.#control,
      bells,
      counters: this.#counters,
      handOff: this.#handOff,
      lender: {
        spare: (limit, lent) => this.#spare(limit, lent),
        returned: () => this.#limit.giveBack(),
        brought: () => this.#uncommitted.guests++,
        committed: (outcome) => {
          this.#uncommitted.guests--;
          if (outcome === OUTCOME.page) this.#limit.committed();
          else this.#limit.giveBack();
        },
      },
    });
    this.#frontier = opened.frontier;
    this.#port = opened.port;
    this.#limit = new PageLimit(config.maxPages, this.#control, this.#counters, () => {
      for (const bell of bells) bell.ring();
      this.#planPump();
    });
    this.#uncommitted = new Uncommitted(config, this.#account, builderBell);
    this.#stages = new CrawlerStages({
      ...this.#parts,
      rules,
      frontier: this.#frontier,
      known: opened.known,
      handOff: this.#handOff,
      counters: this.#counters,
      debugLog: config.debug
        ? new DebugLog(debugRingOf(memory, thread + 1), bells.at(-1)!, this.#counters)
        : undefined,
      announceSeed: (url) => voice.seedFound(url),
      isAborting: () => this.#control.mode === MODES.abort,
      finished: (lease, end) => this.#over.push([lease, end]),
      returnPermit: (lease) => {
        if (this.#isOwn(lease)) this.#permitsBack++;
      },
    });
    this.#bell = new LoopDoorbell(bells[thread]!, () => this.#pump());
  }

  /** Takes in the seeds of the shards this thread owns and says what there is to do. Nothing runs before `go`. */
  start(ownSeeds: readonly CrawlUrl[]): void {
    this.#frontier.start(ownSeeds);
    this.#publish();
    this.#voice.ready(this.#frontier.share, this.#limit.pages);
  }

  /** The supervisor has counted everybody: begin. */
  go(): void {
    this.#running = true;
    this.#pump();
  }

  /** Another thread's seed redirected to this URL. */
  addSeed(url: CrawlUrl): void {
    this.#parts.scope.addSeed(url);
  }

  /** A thread was replaced: what it had not confirmed goes to it once more. */
  sendAgainTo(thread: number, epoch: number): void {
    this.#restarted.push([thread, epoch, monotonicMs()]);
    this.#planPump();
  }

  /** Where records are that another thread commits. */
  onPlaces(places: readonly PlaceOfRecord[]): void {
    this.#port.onPlaces(places);
    this.#planPump();
  }

  /** Gives up on every URL that only waits for its host. */
  giveUpWaiting(): void {
    this.#givesUp = true;
    this.#planPump();
  }

  #planPump(): void {
    if (this.#pumpPlanned || !this.#running) return;
    this.#pumpPlanned = true;
    setImmediate(() => this.#pump());
  }

  #pump(): void {
    this.#pumpPlanned = false;
    if (!this.#running) return;
    this.#bell.awake();
    const { recount, mode } = this.#control;
    if (recount > 0) {
      this.#account.publish(recount, this.#frontier.share, this.#limit.pages, this.#limit.held);
      const hasNews = () => this.#control.recount !== recount;
      if (this.#bell.fallAsleep({ hasNews })) this.#planPump();
      return;
    }
    this.#frontier.receive(monotonicMs());
    this.#handOff.settle();
    this.#finishVisits();
    for (const again of this.#restarted.splice(0)) this.#frontier.sendAgainTo(...again);
    if (this.#givesUp) this.#abandonWaiting();
    const hasRoom = mode === MODES.run && this.#takeMore();
    this.#filled = this.#inFlight;
    if (mode === MODES.abort) void this.#parts.wire.close();
    const sent = this.#frontier.flush(mode !== MODES.run);
    // Enough hosts that only wait for their time are something to do: what a commit would bring is in no hurry.
    const idle = hasRoom && this.#frontier.hostsWaiting < this.#rules.config.linksPerThread;
    this.#handOff.flush(outlookOf(this.#inFlight === 0 || mode !== MODES.run, idle));
    this.#publish();
    if (this.#mayEnd(mode)) {
      this.#end();
      return;
    }
    const stuck = this.#inFlight === 0 && (mode !== MODES.run || idle);
    const soon = idle || this.#frontier.wantsCommit();
    if (this.#handOff.outstanding > 0) this.#uncommitted.hurry(stuck, soon);
    if (this.#bell.fallAsleep({ hasNews: () => this.#hasNews(mode, sent) })) this.#planPump();
  }

  /** Everything that a ring may mean: mode, recount, mail, answers, room in an inbox or in the buffer, a page permit. */
  #hasNews(mode: number, sent: boolean): boolean {
    const control = this.#control;
    if (control.mode !== mode || control.recount > 0 || this.#handOff.hasAnswers()) return true;
    if (mode === MODES.run && this.#frontier.hasMessages()) return true;
    if (!sent && this.#frontier.flush()) return true;
    if (this.#handOff.congested && this.#handOff.retry()) return true;
    return this.#limit.hasNews;
  }

  #finishVisits(): void {
    const ended = this.#over;
    this.#over = [];
    for (; this.#permitsBack > 0; this.#permitsBack--) this.#limit.giveBack();
    for (const [lease, end] of ended) {
      const [own, page] = [this.#isOwn(lease), end.outcome === "page"];
      if (own && !page) this.#limit.giveBack();
      const counter = own && page ? this.#limit : undefined;
      this.#uncommitted.add(end.bytes);
      this.#frontier.finish(lease, end.found, {
        outcome: OUTCOME[end.outcome],
        ...{ links: end.links, known: end.known, record: end.record },
        onCommitted: this.#uncommitted.onCommitted(end.bytes, counter),
      });
    }
  }

  #abandonWaiting(): void {
    this.#givesUp = false;
    for (const lease of this.#frontier.drain()) {
      this.#stages.logUnavailable(lease);
      this.#frontier.abandon(lease);
    }
  }

  /**
   * Nothing in flight and everything stored; a crawl that is aborted leaves the rest where it is. Blocks that a thread
   * which has ended already takes no more are in the journal, and the next run sends them.
   */
  #mayEnd(mode: number): boolean {
    if (mode === MODES.run || this.#inFlight > 0) return false;
    return mode === MODES.abort || this.#handOff.outstanding + this.#frontier.away === 0;
  }

  /** Takes what can be taken; true when there was room for more. */
  #takeMore(): boolean {
    const nowMs = monotonicMs();
    this.#limit.wanted = false;
    for (;;) {
      const free = this.#rules.config.linksPerThread - this.#inFlight;
      const room = Math.min(free, this.#uncommitted.room - this.#inFlight);
      if (room <= 0 || this.#handOff.congested) return false;
      const leases = this.#frontier.takeMany(this.#limit.exists ? 1 : room, nowMs);
      if (leases.length === 0) {
        const lookMs = nowMs + this.#frontier.wantMore(room, nowMs);
        this.#timer.set(Math.min(lookMs, this.#frontier.nextReadyMs()), nowMs);
        return true;
      }
      if (this.#isOwn(leases[0]!) && !this.#limit.tryTake()) {
        for (const lease of leases) this.#frontier.giveBack(lease, nowMs);
        return true;
      }
      for (const lease of leases) this.#visit(lease);
    }
  }

  /** A borrowed lease has its owner's permit, and its owner counts the page. */
  #isOwn({ shard }: Lease): boolean {
    const { config, thread } = this.#rules;
    return config.frontier === "shared" || shard % config.threads === thread;
  }

  /** How many leases may go to another thread, each with a permit. */
  #spare(limit: number, lent: LentSoFar): number {
    const { config } = this.#rules;
    if (this.#control.mode !== MODES.run || !mayLend(config)) return 0;
    return this.#limit.takeUpTo(Math.min(limit, spareLeases(config, this.#filled, lent)));
  }

  #visit(lease: Lease): void {
    const hopeful = lease.host.reachOf(lease.url).failures > 0 ? 1 : 0;
    this.#inFlight++;
    this.#hopeful += hopeful;
    visit(lease, this.#stages).then(
      () => {
        this.#inFlight--;
        this.#hopeful -= hopeful;
        this.#planPump();
      },
      (error: unknown) => this.#voice.failed(error),
    );
  }

  #publish(): void {
    publishCounters(this.#counters, this.#frontier, this.#inFlight);
    this.#counters.set("hopeful", this.#hopeful);
    this.#counters.set("uncommitted", this.#uncommitted.visits);
    this.#counters.set("handedOver", this.#handOff.added);
    this.#counters.set("robotsFetched", this.#parts.robots?.fetched ?? 0);
  }

  #end(): void {
    this.#running = false;
    this.#timer.clear();
    this.#bell.close();
    void this.#parts.wire.close().then(() => this.#voice.finished());
  }
}
