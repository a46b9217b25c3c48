import { type ControlChange, isForThreads } from "../../crawl/control/control-change.ts";
import { ControlState } from "../../crawl/control/control-state.ts";
import { SecondLook } from "../../crawl/ending/second-look.ts";
import { Account, MODES } from "../../crawl/shared-memory.ts";
import { widenedBy, widenedFact } from "../../crawl/visit/learn-fact.ts";
import { admitSeeds } from "../../crawl/workers/admit-seeds.ts";
import { KnownFacts } from "../../crawl/workers/known-facts.ts";
import {
  type Replacing,
  replaceCrawlers,
  type Steps,
} from "../../crawl/workers/replace-crawlers.ts";
import type { Discovery, Fact } from "../../frontier/frontier.ts";
import { LEFT_FOR_GOOD } from "../../frontier/lending/thread-board.ts";
import { IDLENESS } from "../../frontier/lending/work-board.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { Violation } from "./oracle.ts";
import type { SimCrawler } from "./sim-crawler.ts";
import type { World } from "./simulated-crawl.ts";

const NO_DEPTHS = {
  maxDepth: Number.POSITIVE_INFINITY,
  maxDepthDynamic: Number.POSITIVE_INFINITY,
};

/** What a thread that has not been started adds to the counters. */
const NOTHING = { share: 0, pages: 0, heldPermits: 0 };

/** An answer that is on its way. */
interface Answer {
  result?: boolean;
}

/**
 * The supervisor: replaces crawlers that die, and looks at refused links again when the scope has grown, by the shipped
 * steps, between which everybody else goes on.
 */
export class Supervisor {
  readonly #world: World;
  readonly #dead = new Set<number>();
  readonly #waiting: number[] = [];
  /** Threads that have ended by themselves. */
  readonly #ended = new Set<number>();
  #replacing: { readonly thread: number; readonly steps: Steps<boolean> } | undefined;
  /** What the last step of a replacement waits for: its value, or a function that makes it. */
  #awaited: unknown;
  #guards = 0;
  #recounts = 0;
  #scanned = 0;
  readonly #facts: KnownFacts;
  readonly #look: SecondLook;
  #looking: { readonly steps: Steps<boolean>; awaited: Answer } | undefined;
  /** By thread, of the URLs that it was sent and has not made durable. */
  readonly #admitting = new Map<Answer, number>();
  /** Seeds that are being added. */
  readonly #adding: { readonly steps: Steps<unknown>; awaited: Answer }[] = [];
  /** What was changed by hand, as the log says and as this run knows. */
  readonly #changed = new ControlState();
  #waitsForFacts = false;
  /** Threads that are started when there is something for them, and the run that they belong to. */
  readonly #absent = new Set<number>();
  #epoch = 0;

  constructor(world: World) {
    this.#world = world;
    this.#facts = new KnownFacts(world.memory);
    this.#look = new SecondLook(world.web.openScope(), NO_DEPTHS);
    for (const change of world.disk.controls) this.#changed.apply(change);
    world.memory.control.setPaused(this.#changed.isPaused);
  }

  /** Seeds that were added, in this run or before. */
  get seeds(): readonly CrawlUrl[] {
    return this.#changed.seeds;
  }

  /** Somebody changes the course of the crawl; nothing happens in one that ends. */
  change(change: ControlChange): void {
    const { memory, disk, parts, oracle, web, crawlers } = this.#world;
    if (memory.control.mode !== MODES.run) return;
    this.#world.note(`change: ${JSON.stringify(change)}`);
    if (parts.logsControl) disk.controls.push(change);
    this.#changed.apply(change);
    if (change.event === "pause" || change.event === "goOn") {
      oracle.isPaused = change.event === "pause";
      memory.control.setPaused(oracle.isPaused);
      memory.ringAll();
    } else if (change.event === "addSeeds") {
      oracle.learn(web.truth(this.seeds));
      this.#guards++;
      memory.pending.add(1);
      this.#spread(this.#facts.learn(change.urls.map(widenedFact)));
      const steps = admitSeeds(change.urls, {
        threadOf: (url) => this.#world.ownerOf(url),
        admit: (thread, found) => this.#admit(thread, found),
        rest: (): Answer => ({ result: true }),
        isRunning: () => memory.control.mode === MODES.run,
      });
      this.#adding.push({ steps, awaited: { result: true } });
    } else if (isForThreads(change)) {
      if (change.event === "blockHost") oracle.blocked.add(change.host);
      for (const { thread } of crawlers)
        this.#world.post(thread, () => this.#world.crawlers[thread]!.obey(change));
    }
  }

  /** The next steps of seeds that are being added. */
  #addOn(): void {
    for (const adding of [...this.#adding]) {
      if (adding.awaited.result === undefined) continue;
      const { done, value } = adding.steps.next(adding.awaited.result);
      if (!done) {
        adding.awaited = value as Answer;
        continue;
      }
      this.#adding.splice(this.#adding.indexOf(adding), 1);
      this.#guards--;
      if (this.#world.memory.pending.release(1)) this.#world.lastReleased();
    }
  }

  /** All crawlers have read their shards: each learns what all of them found there. */
  begin(): void {
    const { crawlers, memory } = this.#world;
    this.#learn(this.#facts.learn(this.seeds.map(widenedFact)));
    for (const { frontier } of crawlers) this.#learn(this.#facts.learn(frontier.facts()));
    for (const crawler of crawlers) this.#brief(crawler);
    memory.control.bytes.set(
      crawlers.reduce((sum, { frontier }) => sum + frontier.stats().bytes, 0),
    );
  }

  /** As shipped: of a new crawl only threads with a seed are started. What is there of the others is thrown away then. */
  keepAbsent(epoch: number, isLater: boolean): void {
    const { crawlers, memory, network, web } = this.#world;
    this.#epoch = epoch;
    if (isLater || network !== undefined) return;
    const busy = new Set(web.seeds.map((url) => this.#world.ownerOf(url)));
    for (const { thread } of crawlers) {
      if (busy.has(thread)) continue;
      this.#absent.add(thread);
      memory.work.setIdle(thread, IDLENESS.absent);
      const { buffers } = memory;
      memory.bufferAt(buffers.bufferOf(thread)).idle(buffers.laneOf(thread));
    }
  }

  isAbsent(thread: number): boolean {
    return this.#absent.has(thread);
  }

  /** Starts threads that were sent something, or called. */
  #startWanted(): boolean {
    if (this.isBusy || this.#absent.size === 0) return false;
    const { memory } = this.#world;
    const inboxes = memory.inboxesOf(0);
    const before = this.#absent.size;
    for (const thread of this.#absent)
      if (memory.work.idleness(thread) !== IDLENESS.absent || inboxes[thread]!.size() > 0)
        this.#start(thread);
    return this.#absent.size < before;
  }

  #start(thread: number): void {
    const { crawlers, memory } = this.#world;
    if (memory.control.mode !== MODES.run || !this.#absent.delete(thread)) return;
    this.#world.note(`thread ${thread} is started`);
    const crawler = this.#world.open(thread, this.#epoch, false, true);
    crawlers[thread] = crawler;
    this.#brief(crawler);
    crawler.isRunning = true;
  }

  /** A crawler has committed facts. */
  onFacts(thread: number, facts: readonly Fact[]): void {
    this.#spread(this.#facts.announced(thread, facts));
    if (this.#waitsForFacts) this.#world.memory.control.noteLast();
  }

  /** Tells a crawler that begins what was found out and changed. */
  #brief(crawler: SimCrawler): void {
    crawler.learn(this.#facts.all);
    for (const change of this.#changed.forThreads) crawler.obey(change);
  }

  #learn(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const url = widenedBy(fact);
      if (url !== undefined) this.#look.widen(url);
    }
  }

  #spread(facts: readonly Fact[]): void {
    this.#learn(facts);
    for (const { thread } of this.#world.crawlers)
      this.#world.post(thread, () => this.#world.crawlers[thread]!.learn(facts));
  }

  /** Somebody is being replaced. */
  get isBusy(): boolean {
    return this.#replacing !== undefined || this.#waiting.length > 0;
  }

  /** A crawler dies: its memory and its sockets are gone. */
  kill(thread: number): void {
    const { crawlers, memory, parts } = this.#world;
    // In a crawl that ends anyway nobody is replaced, and nothing is learnt from it here.
    if (memory.control.mode !== MODES.run || this.#dead.has(thread)) return;
    if (this.#absent.has(thread)) return;
    this.#world.note(`thread ${thread} dies`);
    const crawler = crawlers[thread]!;
    crawler.isRunning = false;
    this.#world.builder.threadDied(thread);
    this.#world.drop(crawler);
    for (const each of crawlers) if (each !== crawler) each.orphan(thread);
    this.#dead.add(thread);
    this.#waiting.push(thread);
    this.#world.oracle.died();
    for (const [answer, to] of this.#admitting) if (to === thread) answer.result ??= false;
    if (!parts.guards) return;
    this.#guards++;
    memory.pending.add(1);
  }

  /** True when a thread was started. */
  step(): boolean {
    const { network, crawlers, random, parts, memory, nowMs } = this.#world;
    if (network !== undefined && network.lostTo.size > 0 && random.below(4) === 0) {
      for (const thread of network.lostTo) {
        // No run has number 0: nothing that was lent is forgotten.
        for (const crawler of crawlers) crawler.frontier.sendAgainTo(thread, 0, nowMs);
      }
      network.lostTo.clear();
    }
    for (const { thread, hasEnded } of crawlers) {
      if (!hasEnded || this.#ended.has(thread)) continue;
      this.#ended.add(thread);
      memory.board.announce(thread, LEFT_FOR_GOOD);
      memory.ringAll();
    }
    this.#replace();
    if (memory.control.mode === MODES.run && memory.control.takeLast()) this.#onAllReleased();
    this.#lookOn();
    this.#addOn();
    if (parts.ends === "by idle flags") this.#scan();
    return this.#startWanted();
  }

  #onAllReleased(): void {
    const { parts, memory } = this.#world;
    if (memory.pending.value > 0) return;
    const next = this.#look.next(this.#facts.areAllHere);
    this.#waitsForFacts = next === "wait";
    if (next === "end" || !parts.looksAgain) this.#world.endFound();
    else if (next === "look") {
      this.#guards++;
      memory.pending.add(1);
      this.#beginLook();
    }
  }

  #beginLook(): void {
    const { disk, memory } = this.#world;
    const steps = this.#look.run({
      lines: () => disk.records.filter((record) => record.startsWith("{")),
      threads: memory.threads,
      threadOf: (url) => this.#world.ownerOf(url),
      admit: (thread, found) => this.#admit(thread, found),
      rest: (): Answer => ({ result: true }),
    });
    this.#looking = { steps, awaited: { result: true } };
  }

  #admit(thread: number, found: readonly Discovery[]): Answer {
    this.#start(thread);
    const answer: Answer = this.#dead.has(thread) ? { result: false } : {};
    this.#admitting.set(answer, thread);
    this.#world.post(thread, () => {
      this.#world.crawlers[thread]!.admit(found, () => {
        answer.result ??= true;
        this.#admitting.delete(answer);
      });
    });
    return answer;
  }

  /** The next step of a second look, if there is one and it has its answer. */
  #lookOn(): void {
    if (this.#looking === undefined || this.#looking.awaited.result === undefined) return;
    const { done, value } = this.#looking.steps.next(this.#looking.awaited.result);
    if (!done) {
      this.#looking.awaited = value as Answer;
      return;
    }
    if (value === false) {
      this.#beginLook();
      return;
    }
    this.#looking = undefined;
    this.#guards--;
    if (this.#world.memory.pending.release(1)) this.#world.lastReleased();
  }

  #replace(): void {
    if (this.#replacing === undefined && this.#waiting.length > 0) {
      const thread = this.#waiting.shift()!;
      this.#replacing = { thread, steps: replaceCrawlers([thread], this.#replacement()) };
      this.#awaited = undefined;
    }
    if (this.#replacing === undefined) return;
    const { thread, steps } = this.#replacing;
    const result = typeof this.#awaited === "function" ? this.#awaited() : this.#awaited;
    const { done, value } = steps.next(result);
    this.#awaited = value;
    if (!done) return;
    this.#replacing = undefined;
    this.#world.note(`thread ${thread} is replaced`);
    if (!this.#world.parts.guards) return;
    this.#guards--;
    if (this.#world.memory.pending.release(1)) this.#world.lastReleased();
  }

  /** What a replacement does here, as far as a mutant does not leave it out. */
  #replacement(): Replacing {
    const { memory, builder, disk, oracle, crawlers, plan, parts } = this.#world;
    return {
      control: memory.control,
      threads: memory.threads,
      maxPages: plan.maxPages,
      storeLeft: (dead) => () => {
        for (const thread of dead) {
          builder.crawlerDied(thread);
          const { borrowed } = crawlers[thread]!;
          const isLost = (url: CrawlUrl) =>
            this.#world.ownerOf(url) === thread || borrowed.has(url);
          oracle.lost(disk, isLost, Number.POSITIVE_INFINITY);
        }
      },
      reclaim: (thread) => {
        for (const inbox of memory.inboxesOf(thread)) inbox.reclaim(thread + 1);
        memory.gatesOf(thread).hosts.reclaim(thread + 1, this.#world.nowMs + plan.delayMs);
      },
      nextEpoch: () => this.#world.nextEpoch(),
      begin: (dead, epoch) => () =>
        dead.map((thread) => {
          const fresh = this.#world.open(thread, epoch, true);
          crawlers[thread] = fresh;
          this.#dead.delete(thread);
          this.#facts.forget(thread);
          this.#spread(this.#facts.learn(fresh.frontier.facts()));
          return fresh.tally;
        }),
      nextRecount: () => ++this.#recounts,
      published: (dead, recount) =>
        crawlers
          .filter(({ thread }) => !dead.includes(thread) && !this.#dead.has(thread))
          .map(({ thread }) =>
            this.#absent.has(thread) ? NOTHING : new Account(memory, thread).read(recount),
          )
          .map(
            (tally) => tally && { ...tally, ...(parts.countsPermits ? {} : { heldPermits: 0 }) },
          ),
      pause: () => undefined,
      ringAll: () => memory.ringAll(),
      guards: () => this.#guards,
      go: (thread, epoch) => {
        if (parts.sendsAgain) memory.board.announce(thread, epoch);
        memory.ringAll();
        if (parts.tellsSuccessors) this.#brief(crawlers[thread]!);
        if (!this.#dead.has(thread)) crawlers[thread]!.isRunning = true;
      },
    };
  }

  /** The classic mistake: one thread after the other says that it has nothing to do. */
  #scan(): void {
    const { crawlers, memory } = this.#world;
    if (memory.control.mode !== MODES.run || this.isBusy) return;
    this.#scanned = crawlers[this.#scanned]!.isIdle ? this.#scanned + 1 : 0;
    if (this.#scanned < crawlers.length) return;
    this.#scanned = 0;
    this.#world.endFound();
  }

  /** The shares of all threads are what is pending. A crawl that is being stopped does not end by the counter. */
  check(): void {
    const { crawlers, memory } = this.#world;
    if (this.isBusy || memory.control.mode !== MODES.run) return;
    const shares = crawlers.reduce((sum, { tally }) => sum + tally.share, this.#guards);
    if (shares !== memory.pending.value) {
      throw new Violation(`${memory.pending.value} pending, but the shares are ${shares}`);
    }
  }
}
