import { Exchange } from "../frontier/exchange.ts";
import type { Lease } from "../frontier/frontier.ts";
import { ShardedFrontier } from "../frontier/sharded.ts";
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
import { bellsOf, Control, debugRingOf, inboxesOf, MODES } from "./shared-memory.ts";
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
  readonly #exchange: Exchange;
  readonly #frontier: ShardedFrontier;
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

  constructor(rules: CrawlerRules, voice: CrawlerVoice) {
    const { thread, memory, config } = rules;
    this.#rules = rules;
    this.#voice = voice;
    this.#parts = crawlerParts(rules);
    this.#control = new Control(memory);
    this.#counters = new CounterRow(memory.counters, thread);
    this.#bells = bellsOf(memory);
    const supervisor = this.#bells.at(-2)!;
    this.#exchange = new Exchange(thread, {
      inboxes: inboxesOf(memory, thread),
      bells: this.#bells.slice(0, memory.threads),
      wantsSpace: new Int32Array(memory.wantsSpace),
    });
    this.#frontier = new ShardedFrontier({
      thread,
      threads: memory.threads,
      shards: config.shards,
      rules: { ...config, seedLow: rules.seedLow, seedHigh: rules.seedHigh },
      pending: this.#control.pending,
      exchange: this.#exchange,
      onLast: () => {
        this.#control.end("finished", MODES.drain);
        supervisor.ring();
      },
    });
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
    if (this.#control.mode === MODES.run) this.#takeMore();
    else if (this.#control.mode === MODES.abort) void this.#parts.wire.close();
    this.#handOff.flush();
    const sent = this.#exchange.flush();
    this.#publish();
    if (this.#mayEnd(sent)) {
      this.#end();
      return;
    }
    this.#bell.asleep();
    // Whoever published before the bell was armed did not ring: look once more.
    if (this.#exchange.hasMail() || this.#handOff.hasAnswers()) this.#planPump();
  }

  /** Nothing in flight, everything stored and sent; a crawl that is aborted leaves the rest where it is. */
  #mayEnd(sent: boolean): boolean {
    const { mode } = this.#control;
    if (mode === MODES.run || this.#inFlight > 0) return false;
    return mode === MODES.abort || (sent && this.#handOff.outstanding === 0);
  }

  #takeMore(): void {
    const { linksPerThread, maxUncommitted, maxPages } = this.#rules.config;
    const nowMs = monotonicMs();
    for (;;) {
      const uncommitted = this.#handOff.outstanding + this.#inFlight;
      const room = Math.min(linksPerThread - this.#inFlight, maxUncommitted - uncommitted);
      if (room <= 0 || this.#handOff.congested) return;
      // With a page limit a permit comes first, so that the crawl ends at exactly N.
      if (maxPages !== undefined && !this.#control.permits.tryTake()) return;
      const leases = this.#frontier.takeMany(maxPages === undefined ? room : 1, nowMs);
      if (leases.length === 0) {
        if (maxPages !== undefined) this.#control.permits.giveBack();
        this.#sleepUntil(this.#frontier.nextReadyMs(), nowMs);
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
    counters.set("foreignBlocks", this.#exchange.blocksSent);
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
