import type { PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import { MODES } from "../../crawl/shared-memory.ts";
import { setCounters } from "../../crawl/workers/replace-crawlers.ts";
import { Mailbox, type MessageRoute } from "../../frontier/exchange/mailbox.ts";
import { contradictionsIn } from "../../frontier/fold/exchange-check.ts";
import type { Lease } from "../../frontier/frontier.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Random } from "../../web/seeded-random.ts";
import { type Oracle, Violation } from "./oracle.ts";
import type { ControlKind, Fault, FaultKind, Plan } from "./plan.ts";
import { SimBuilders } from "./sim-builders.ts";
import { SimCrawler } from "./sim-crawler.ts";
import type { Cut, SimDisk } from "./sim-disk.ts";
import { SimMemory } from "./sim-memory.ts";
import { SimNetwork, SimRoute } from "./sim-network.ts";
import type { SimParts } from "./sim-parts.ts";
import type { SimWeb } from "./sim-web.ts";
import { Supervisor } from "./supervisor.ts";

const MAX_STEPS = 60_000;
const HOUR_MS = 3_600_000;
/** After so many looks without a request time passes faster, by this much more each time. */
const MANY_LOOKS = 1000;
const SLOWNESS_MS = 100;

/** A pause takes so many steps. */
const MAX_PAUSED_STEPS = 150;

function isControl(kind: FaultKind): kind is ControlKind {
  return kind === "pause" || kind === "block" || kind === "seed";
}

/** What all runs of one crawl share. */
export interface Surroundings {
  readonly plan: Plan;
  readonly parts: SimParts;
  readonly web: SimWeb;
  readonly oracle: Oracle;
  readonly random: Random;
  /** The wall clock, which may jump while the monotonic one goes on. */
  readonly wall: { aheadMs: number };
  readonly log: ((line: string) => void) | undefined;
}

/** How a run ended. */
export type RunEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "stopped" }
  | { readonly kind: "crashed"; readonly cut: Cut };

/** One run of a crawl: T crawlers, their builders and a supervisor in one thread; chance decides who does the next step. */
export class World implements Surroundings {
  readonly plan: Plan;
  readonly parts: SimParts;
  readonly web: SimWeb;
  readonly oracle: Oracle;
  readonly random: Random;
  readonly wall: { aheadMs: number };
  readonly log: Surroundings["log"];
  readonly disk: SimDisk;
  readonly memory: SimMemory;
  readonly crawlers: SimCrawler[] = [];
  readonly builder: SimBuilders;
  readonly network: SimNetwork | undefined;
  readonly supervisor: Supervisor;
  readonly #faults: readonly Fault[];
  #requests: { crawler: SimCrawler; lease: Lease; endMs: number; request: number }[] = [];
  /** Messages from and to crawlers, in order; what a thread has not received or sent when it dies is gone. */
  #messages: { thread: number; deliver: () => void }[] = [];
  nowMs: number;
  #steps = 0;
  #looksInVain = 0;
  #pausedSteps = 0;

  constructor(
    around: Surroundings,
    disk: SimDisk,
    run: { threads: number; faults: readonly Fault[] },
    nowMs: number,
  ) {
    const { plan, parts, web, oracle, random, wall, log } = around;
    this.plan = plan;
    this.parts = parts;
    this.web = web;
    this.oracle = oracle;
    this.random = random;
    this.wall = wall;
    this.log = log;
    this.disk = disk;
    this.nowMs = nowMs;
    this.#faults = run.faults;
    this.memory = new SimMemory(run.threads, plan.bufferSize, parts, plan.isJoined);
    const { threads } = this.memory;
    this.network =
      plan.network === "rings" ? undefined : new SimNetwork(threads, random, plan.network);
    const together = plan.handOff === "full";
    this.builder = new SimBuilders(disk, parts, this.memory, together, (thread, places) =>
      this.tell(thread, places),
    );
    this.supervisor = new Supervisor(this);
    const epoch = this.nextEpoch();
    const isLater = epoch > 1 || nowMs > 0;
    this.oracle.begun(disk);
    for (let thread = 0; thread < threads; thread++) {
      this.crawlers.push(this.open(thread, epoch, isLater));
    }
    this.supervisor.begin();
    const exchanges = this.crawlers.flatMap((crawler) => crawler.exchanges);
    for (const { what } of contradictionsIn(exchanges))
      throw new Violation(`what a crash left contradicts itself: ${what}`);
    const tallies = this.crawlers.map(({ tally }) => tally);
    setCounters(this.memory.control, threads, tallies, 1, plan.maxPages);
    this.supervisor.keepAbsent(epoch, isLater);
    for (const crawler of this.crawlers)
      crawler.isRunning = !this.supervisor.isAbsent(crawler.thread);
    this.note(`run ${epoch} begins with ${threads} threads`);
    if (this.memory.pending.release(1)) this.lastReleased();
  }

  /** Runs until the crawl ends or a fault ends the run. */
  run(): RunEnd {
    while (!this.isOver) {
      if (++this.#steps > MAX_STEPS) throw new Violation("it does not end");
      for (const { kind, step } of this.#faults) {
        if (step !== this.#steps) continue;
        this.note(kind);
        if (kind === "kill") return { kind: "crashed", cut: this.disk.all };
        if (kind === "power loss") return { kind: "crashed", cut: this.#powerLoss() };
        if (isControl(kind)) this.#control(kind);
        else if (kind === "jump") this.#jump();
        else if (kind === "stop") this.#stop();
        else this.supervisor.kill(this.random.below(this.memory.threads));
      }
      if (this.memory.control.isPaused && ++this.#pausedSteps % MAX_PAUSED_STEPS === 0)
        this.supervisor.change({ event: "goOn" });
      this.step();
    }
    return this.end();
  }

  /** Somebody changes the course. Not by `random`: the rest of the life stays the same. */
  #control(kind: ControlKind): void {
    const { lateSeeds, hosts } = this.web;
    const number = this.#steps + this.disk.epoch;
    if (kind === "pause") this.supervisor.change({ event: "pause" });
    else if (kind === "seed") {
      const urls = [lateSeeds[number % lateSeeds.length]!];
      this.supervisor.change({ event: "addSeeds", urls });
    } else this.supervisor.change({ event: "blockHost", host: hosts[number % hosts.length]! });
  }

  #stop(): void {
    this.memory.control.end("interrupted", MODES.drain);
    this.memory.ringAll();
  }

  /** Somebody sets the wall clock, an hour forward or back. Not by `random`: the rest of the life stays the same. */
  #jump(): void {
    this.wall.aheadMs += this.#steps % 2 === 0 ? HOUR_MS : -HOUR_MS;
  }

  /** Ends a run in which everybody has gone home. */
  end(): RunEnd {
    this.builder.commit();
    const { control } = this.memory;
    const reason = control.endedBy;
    this.note(`the run ended: ${reason}`);
    if (reason === "interrupted") return { kind: "stopped" };
    this.oracle.ended(this.disk, reason);
    return { kind: "ended" };
  }

  /** Everybody has gone home. */
  get isOver(): boolean {
    if (this.memory.control.mode === MODES.run || this.supervisor.isBusy) return false;
    return this.crawlers.every(
      ({ thread, hasEnded }) => hasEnded || this.supervisor.isAbsent(thread),
    );
  }

  /** Somebody does something: chance decides who. */
  step(): void {
    const roll = this.random.below(16);
    if (roll < 7) this.crawlers[this.random.below(this.crawlers.length)]!.pump();
    else if (roll < 10) this.builder.step(this.random);
    else if (roll < 12) this.#deliver();
    else if (roll < 15) this.#advance();
    else this.supervisor.step();
    this.supervisor.check();
  }

  /** How many there are that take turns. */
  get actors(): number {
    return this.crawlers.length + 4;
  }

  /** Whose turn it is after so many: one after the other, but a commit that has begun goes on. */
  actorAt(turn: number): number {
    const builder = this.crawlers.length;
    return this.builder.isCommitting ? builder : turn % this.actors;
  }

  /** That one takes its turn: a crawler, or somebody behind them. False when it surely changed nothing. */
  turn(actor: number): boolean {
    const others = [
      () => this.builder.goOn(),
      () => this.builder.read(),
      () => {
        this.#advance();
        return true;
      },
      () => {
        const isIdle = this.#messages.length === 0 && this.network === undefined;
        this.#deliver();
        const { isBusy } = this.supervisor;
        const hasStarted = this.supervisor.step();
        return !isIdle || isBusy || hasStarted;
      },
    ];
    const crawler = this.crawlers[actor];
    crawler?.pump();
    const didSomething = crawler !== undefined || others[actor - this.crawlers.length]!();
    this.supervisor.check();
    return didSomething;
  }

  #deliver(): void {
    const message = this.#messages.shift();
    if (message === undefined) this.network?.deliver();
    else message.deliver();
  }

  /** The builder tells a crawler where its records are. */
  tell(thread: number, places: readonly PlaceOfRecord[]): void {
    this.post(thread, () => this.crawlers[thread]!.onPlaces(places));
  }

  /** Sends a message from or to a thread. */
  post(thread: number, deliver: () => void): void {
    this.#messages.push({ thread, deliver });
  }

  /** Answers a request whose time has come, or lets time pass until something is due. */
  #advance(): void {
    const due = this.#requests.filter(({ endMs }) => endMs <= this.nowMs);
    if (due.length > 0) {
      const chosen = due[this.random.below(due.length)]!;
      this.#requests.splice(this.#requests.indexOf(chosen), 1);
      chosen.crawler.answer(chosen.lease, chosen.request);
      return;
    }
    const times = this.#requests.map(({ endMs }) => endMs);
    for (const crawler of this.crawlers) {
      if (crawler.lookMs > this.nowMs && crawler.isRunning) times.push(crawler.lookMs);
    }
    const nextMs = Math.min(...times);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    // Threads look every few milliseconds, but a pause may last an hour after the wall clock jumped: everybody is slow then.
    const lateMs = SLOWNESS_MS * Math.max(0, ++this.#looksInVain - MANY_LOOKS);
    this.nowMs = nextMs + lateMs;
  }

  /** Opens the shards of a thread as they are on disk. One that is started late had no seeds: those added since are sent to it. */
  open(thread: number, epoch: number, mustWait: boolean, isLate = false): SimCrawler {
    const crawler = new SimCrawler(this, thread, epoch, mustWait);
    this.oracle.recalled(this.disk, this.wall.aheadMs, (url) => this.ownerOf(url) === thread);
    const seeds = [...this.web.seeds, ...this.supervisor.seeds];
    crawler.frontier.open(isLate ? [] : seeds.filter((seed) => this.ownerOf(seed) === thread));
    return crawler;
  }

  nextEpoch(): number {
    this.disk.epoch++;
    return this.parts.epochs ? this.disk.epoch : 1;
  }

  ownerOf(url: CrawlUrl): number {
    return shardOf(siteHash(siteOf(hostnameOf(url))), this.plan.shards) % this.memory.threads;
  }

  routeOf(thread: number): MessageRoute {
    if (this.network !== undefined) return new SimRoute(thread, this.network);
    const { bells, wantsSpace } = this.memory;
    return new Mailbox(thread, { inboxes: this.memory.inboxesOf(thread), bells, wantsSpace });
  }

  /** A request leaves; it is answered when its time has come. */
  ask(crawler: SimCrawler, lease: Lease, request: number): void {
    this.#looksInVain = 0;
    const endMs = this.nowMs + this.random.below(this.plan.latencyMs);
    this.#requests.push({ crawler, lease, endMs, request });
  }

  /** The sockets of a dead crawler, or of all of them, are closed by the system. */
  drop(dead?: SimCrawler): void {
    for (const { crawler, lease, request } of this.#requests) {
      if (dead !== undefined && crawler !== dead) continue;
      this.oracle.answered(lease.url, lease.host.name, this.nowMs, request);
    }
    this.#messages = this.#messages.filter(({ thread }) => thread !== dead?.thread);
    this.#requests = this.#requests.filter(({ crawler }) => dead !== undefined && crawler !== dead);
  }

  /** Somebody has released the last thing that was pending. */
  lastReleased(): void {
    const { control } = this.memory;
    if (control.mode === MODES.run && this.parts.ends === "by the counter") control.noteLast();
  }

  endFound(): void {
    this.oracle.ended(this.disk, "finished");
    this.memory.control.end("finished", MODES.drain);
    this.memory.ringAll();
  }

  note(line: string): void {
    this.log?.(
      `${String(this.#steps).padStart(6)}  ${this.nowMs.toFixed(0).padStart(8)} ms  ${line}`,
    );
  }

  #powerLoss(): Cut {
    const between = (least: number, most: number) => least + this.random.below(most - least + 1);
    const { all, safe } = this.disk;
    return {
      batches: safe.batches.map((least, shard) => between(least, all.batches[shard]!)),
      records: between(safe.records, all.records),
    };
  }
}
