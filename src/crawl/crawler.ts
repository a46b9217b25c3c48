import type { Lease, ThreadFrontier } from "../frontier/frontier.ts";
import { CounterRow } from "../stats/counters.ts";
import { jsonLine } from "../store/jsonl.ts";
import { BytePipe } from "../sync/byte-pipe.ts";
import { monotonicMs } from "../sync/clock.ts";
import type { Doorbell } from "../sync/doorbell.ts";
import { LoopDoorbell } from "../sync/loop-doorbell.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { type CrawlerParts, crawlerParts } from "./crawler-parts.ts";
import type { CrawlerRules } from "./crawler-rules.ts";
import { CrawlerStages } from "./crawler-stages.ts";
import { DebugLog } from "./debug-log.ts";
import { FRAMES } from "./frames.ts";
import { HandOff } from "./hand-off.ts";
import { unavailableLine } from "./outcome-line.ts";
import { bellsOf, Control, debugRingOf, MODES } from "./shared-memory.ts";
import { openThreadFrontier } from "./thread-frontier.ts";
import { visit } from "./visit.ts";

/** Timers fire a little early or late; anything below this is "now". */
const MIN_TIMER_MS = 1;
const MAX_TIMER_MS = 60_000;

/** What a crawler says to its supervisor. */
export interface CrawlerVoice {
  seedFound(url: CrawlUrl): void;
  finished(): void;
  failed(error: unknown): void;
}

/**
 * One crawler thread: takes URLs from its shards, keeps L of them in flight, exchanges links, and never blocks.
 * Everything happens in `#pump`, which runs after anything that may have changed what can be done.
 */
export class Crawler {
  readonly #rules: CrawlerRules;
  readonly #parts: CrawlerParts;
  readonly #control: Control;
  readonly #counters: CounterRow;
  readonly #frontier: ThreadFrontier;
  readonly #handOff: HandOff;
  readonly #stages: CrawlerStages;
  readonly #bells: readonly Doorbell[];
  readonly #bell: LoopDoorbell;
  readonly #voice: CrawlerVoice;
  #inFlight = 0;
  #pumpPlanned = false;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #ended = false;
  /** The last look found a URL to fetch and no page permit. */
  #wantsPermit = false;

  constructor(rules: CrawlerRules, voice: CrawlerVoice) {
    const { thread, memory, config } = rules;
    this.#rules = rules;
    this.#voice = voice;
    this.#parts = crawlerParts(rules);
    this.#control = new Control(memory);
    this.#counters = new CounterRow(memory.counters, thread);
    this.#bells = bellsOf(memory);
    this.#frontier = openThreadFrontier(rules, this.#control, this.#bells, this.#counters);
    this.#handOff = new HandOff(
      new BytePipe(memory.pipes[thread]!),
      this.#bells[memory.threads + (thread % config.builders)]!,
      new Int32Array(memory.stored),
      thread,
    );
    this.#stages = new CrawlerStages({
      ...this.#parts,
      rules,
      frontier: this.#frontier,
      handOff: this.#handOff,
      control: this.#control,
      counters: this.#counters,
      debugLog: config.debug
        ? new DebugLog(debugRingOf(memory, thread + 1), this.#bells.at(-1)!, this.#counters)
        : undefined,
      announceSeed: (url) => voice.seedFound(url),
      wakeAll: () => {
        for (const bell of this.#bells) bell.ring();
        this.#planPump();
      },
    });
    this.#bell = new LoopDoorbell(this.#bells[thread]!, () => this.#pump());
  }

  /** Begins with the seeds of the shards this thread owns; the supervisor has counted all seeds already. */
  start(ownSeeds: readonly CrawlUrl[]): void {
    this.#frontier.admitSeeds(ownSeeds);
    this.#pump();
  }

  /** Another thread's seed redirected to this URL. */
  addSeed(url: CrawlUrl): void {
    this.#parts.scope.addSeed(url);
  }

  /** Gives up on every URL that only waits for its host. */
  giveUpWaiting(): void {
    for (const lease of this.#frontier.drain()) {
      const line = Buffer.from(jsonLine(unavailableLine(lease, Date.now())));
      this.#counters.add("unavailable");
      this.#handOff.send(FRAMES.outcome, [line], () => this.#frontier.commitMany(1));
    }
    this.#pump();
  }

  readonly #landed = (): void => {
    this.#inFlight--;
    this.#planPump();
  };

  #planPump(): void {
    if (this.#pumpPlanned || this.#ended) return;
    this.#pumpPlanned = true;
    setImmediate(() => this.#pump());
  }

  #pump(): void {
    this.#pumpPlanned = false;
    if (this.#ended) return;
    this.#bell.awake();
    this.#frontier.receive();
    // Commits run as soon as this function returns; what they bring is taken up by the next pump.
    if (this.#handOff.settle() > 0) this.#planPump();
    const { mode } = this.#control;
    if (mode === MODES.run) this.#takeMore();
    else if (mode === MODES.abort) void this.#parts.wire.close();
    this.#handOff.flush();
    const sent = this.#frontier.flush();
    this.#publish();
    if (this.#mayEnd(mode, sent)) {
      this.#end();
      return;
    }
    if (this.#bell.fallAsleep({ hasNews: () => this.#hasNews(mode, sent) })) this.#planPump();
  }

  /**
   * Whoever changed something before the bell was armed did not ring, so everything that a ring may mean is looked
   * at once more: the crawl's mode, mail, answers, room in an inbox or in the pipe, a page permit.
   */
  #hasNews(mode: number, sent: boolean): boolean {
    const control = this.#control;
    if (control.mode !== mode || this.#handOff.hasAnswers()) return true;
    if (mode === MODES.run && this.#frontier.hasMail()) return true;
    if (!sent && this.#frontier.flush()) return true;
    if (this.#handOff.congested) {
      this.#handOff.flush();
      if (!this.#handOff.congested) return true;
    }
    return this.#wantsPermit && control.permits.left > 0;
  }

  /** Nothing in flight, everything stored and sent; a crawl that is aborted leaves the rest where it is. */
  #mayEnd(mode: number, sent: boolean): boolean {
    if (mode === MODES.run || this.#inFlight > 0) return false;
    return mode === MODES.abort || (sent && this.#handOff.outstanding === 0);
  }

  #takeMore(): void {
    const { linksPerThread, maxUncommitted, maxPages } = this.#rules.config;
    const nowMs = monotonicMs();
    this.#wantsPermit = false;
    for (;;) {
      const uncommitted = this.#handOff.outstanding + this.#inFlight;
      const room = Math.min(linksPerThread - this.#inFlight, maxUncommitted - uncommitted);
      if (room <= 0 || this.#handOff.congested) return;
      const leases = this.#frontier.takeMany(maxPages === undefined ? room : 1, nowMs);
      if (leases.length === 0) {
        this.#sleepUntil(this.#frontier.nextReadyMs(), nowMs);
        return;
      }
      // With a page limit every visit holds a permit, so that the crawl ends at exactly N. It is taken last: a
      // permit held by a thread that has nothing to fetch would be missing elsewhere.
      if (maxPages !== undefined && !this.#control.permits.tryTake()) {
        this.#wantsPermit = true;
        for (const lease of leases) this.#frontier.giveBack(lease, nowMs);
        return;
      }
      for (const lease of leases) this.#visit(lease);
    }
  }

  #visit(lease: Lease): void {
    this.#inFlight++;
    visit(lease, this.#stages, this.#landed).catch((error: unknown) => this.#voice.failed(error));
  }

  /** One timer at a time, for the host that is ready first. */
  #sleepUntil(readyMs: number, nowMs: number): void {
    if (readyMs >= this.#timerMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = readyMs;
    const waitMs = Math.min(MAX_TIMER_MS, Math.max(MIN_TIMER_MS, Math.ceil(readyMs - nowMs)));
    this.#timer = setTimeout(() => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.#pump();
    }, waitMs);
  }

  #publish(): void {
    const counters = this.#counters;
    counters.set("known", this.#frontier.known);
    counters.set("queued", this.#frontier.queued);
    counters.set("hostsWaiting", this.#frontier.hostsWaiting);
    counters.set("inFlight", this.#inFlight);
    counters.set("uncommitted", this.#handOff.outstanding);
    counters.set("foreignBlocks", this.#frontier.blocksSent);
    counters.set("robotsFetched", this.#parts.robots?.fetched ?? 0);
    if (this.#inFlight > counters.get("maxInFlight")) counters.set("maxInFlight", this.#inFlight);
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#bell.close();
    void this.#parts.wire.close().then(() => this.#voice.finished());
  }
}
