import { spareLeases } from "../../crawl/crawler/crawler-rules.ts";
import { PageLimit } from "../../crawl/crawler/page-limit.ts";
import { Uncommitted } from "../../crawl/crawler/uncommitted.ts";
import { BufferSender, outlookOf } from "../../crawl/hand-off/buffer-sender.ts";
import { HandOffPort, type PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import { Account, MODES } from "../../crawl/shared-memory.ts";
import { type Discovery, type Lease, OUTCOME } from "../../frontier/frontier.ts";
import { Gatekeeper } from "../../frontier/gatekeeper.ts";
import type { LentSoFar } from "../../frontier/lending/lender.ts";
import { KnownLinks } from "../../frontier/seen/known-links.ts";
import { ShardedFrontier } from "../../frontier/sharded-frontier.ts";
import { CounterRow } from "../../stats/counters.ts";
import { CommitCounts } from "../../sync/commit-counts.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { openOwned } from "./open-owned.ts";
import { SEED_HIGH, SEED_LOW } from "./oracle.ts";
import { captureOf } from "./sim-builder.ts";
import type { SimMemory } from "./sim-memory.ts";
import { type Answer, addressOf } from "./sim-web.ts";
import type { World } from "./simulated-crawl.ts";

/** Makes a queue of one URL long enough to borrow from. */
const LONG = 40;

/** A visit that is over. */
interface Over {
  readonly lease: Lease;
  readonly answer: Answer;
  readonly record: number | undefined;
}

/**
 * One crawler thread, with the shipped frontier, hand-off, gates and page limit. `pump` does what `Crawler` does, in
 * the same order; requests are answered by the world.
 */
export class SimCrawler {
  readonly thread: number;
  readonly frontier: ShardedFrontier;
  readonly inFlight = new Set<Lease>();
  readonly #world: World;
  readonly #memory: SimMemory;
  readonly #account: Account;
  readonly #handOff: BufferSender;
  readonly #port: HandOffPort;
  readonly #limit: PageLimit;
  readonly #uncommitted: Uncommitted;
  readonly #gates: Gatekeeper;
  readonly #known: KnownLinks;
  readonly restarted: [thread: number, epoch: number][] = [];
  #over: Over[] = [];
  #permitsBack = 0;
  #filled = 0;
  /** Threads that have died without this one knowing: what they lent is theirs no more. */
  readonly stale = new Set<number>();
  /** URLs of other threads that were visited here. */
  readonly borrowed = new Set<CrawlUrl>();
  isRunning = false;
  hasEnded = false;

  constructor(world: World, thread: number, epoch: number, mustWait: boolean) {
    const { memory, plan, parts } = world;
    const { threads } = memory;
    this.thread = thread;
    this.#world = world;
    this.#memory = memory;
    this.#account = new Account(memory, thread);
    const bell = memory.bells.at(-1)!;
    const { buffers, stored } = memory;
    const buffer = memory.bufferAt(buffers.bufferOf(thread));
    const lane = buffers.laneOf(thread);
    this.#handOff = new BufferSender(buffer, lane, plan.handOff, stored, thread);
    const startMs = mustWait && parts.waits ? this.#now + plan.delayMs : 0;
    const { owned, pages, order } = openOwned(world, thread, startMs);
    const counters = new CounterRow(memory.counters, thread);
    counters.set("pages", pages);
    this.#limit = new PageLimit(plan.maxPages, memory.control, counters, () => {});
    const { maxUncommitted } = plan;
    this.#uncommitted = new Uncommitted({ maxUncommitted, threads }, this.#account, bell);
    this.#gates = new Gatekeeper({
      ...memory.gatesOf(thread),
      delayMs: plan.delayMs,
      perHost: 1,
      spaceHosts: false,
    });
    const commits = new CommitCounts(memory.commitCounts, threads, thread);
    this.#port = new HandOffPort(this.#handOff, epoch, new Map());
    this.frontier = new ShardedFrontier({
      thread,
      threads,
      shards: plan.shards,
      owned,
      epoch,
      pending: memory.pending,
      exchange: world.routeOf(thread),
      port: this.#port,
      delayMs: plan.delayMs,
      seedLow: SEED_LOW,
      seedHigh: SEED_HIGH,
      lender: {
        spare: (limit, lent) => this.#spare(limit, lent),
        returned: () => this.#limit.giveBack(),
        brought: () => this.#uncommitted.guests++,
        committed: (outcome, borrower) => {
          this.#uncommitted.guests--;
          commits.add(borrower);
          if (outcome === OUTCOME.page) this.#limit.committed();
          else this.#limit.giveBack();
        },
        commitsOf: (owner) => commits.take(owner),
        // Short queues count as long: there are few pages here.
        queued: () => world.crawlers.map(({ frontier }) => LONG * frontier.queued),
      },
      onLast: () => world.lastReleased(),
      order,
    });
    const seeds = { seedLow: SEED_LOW, seedHigh: SEED_HIGH };
    this.#known = new KnownLinks(plan.shards, owned, seeds);
  }

  /** What it has to do, and the pages committed. */
  get tally(): { share: number; pages: number; heldPermits: number } {
    const { pages, held } = this.#limit;
    return { share: this.frontier.share, pages, heldPermits: held };
  }

  /** Nothing to do and nothing under way, as far as this thread can see. */
  get isIdle(): boolean {
    const { queued } = this.frontier;
    const quiet = this.inFlight.size === 0 && this.#over.length === 0 && queued === 0;
    return quiet && this.#handOff.outstanding === 0 && !this.frontier.hasMessages();
  }

  pump(): void {
    if (!this.isRunning || this.hasEnded) return;
    const { recount, mode } = this.#memory.control;
    if (recount > 0) {
      const { share, pages, heldPermits } = this.tally;
      this.#account.publish(recount, share, pages, heldPermits);
      return;
    }
    this.frontier.receive(this.#now);
    this.#handOff.settle();
    this.#finishVisits();
    for (const [thread, epoch] of this.restarted.splice(0)) {
      this.frontier.sendAgainTo(thread, epoch, this.#now);
      if (epoch > 0) this.stale.delete(thread);
    }
    if (mode === MODES.run) this.#takeMore();
    this.#filled = this.inFlight.size;
    this.frontier.flush(mode !== MODES.run);
    const isStill = this.inFlight.size === 0 || mode !== MODES.run;
    this.#handOff.flush(outlookOf(isStill && this.#world.parts.tellsStill, true));
    if (mode === MODES.run || this.inFlight.size > 0) return;
    this.hasEnded = this.#handOff.outstanding + this.frontier.away === 0;
  }

  /** Where records are that another thread commits. */
  onPlaces(places: readonly PlaceOfRecord[]): void {
    this.#port.onPlaces(places);
  }

  /** The request of this lease is over. */
  answer(lease: Lease, request: number): void {
    const world = this.#world;
    const now = this.#now;
    this.inFlight.delete(lease);
    const isWanted = world.oracle.answered(lease.url, lease.host.name, world.nowMs, request);
    const answer = world.web.ask(lease.url, lease.attempt);
    if (world.plan.demanding) this.#hear(lease, answer === undefined);
    this.#gates.leave(lease.host, now);
    if (answer === undefined) {
      lease.attempt++;
      if (this.#isOwn(lease)) this.#permitsBack++;
      if (world.random.below(2) === 0) {
        this.frontier.giveBack(lease, now + 2 * world.plan.delayMs);
      } else {
        this.frontier.requestEnded(lease, now);
        this.frontier.rest(lease, now + world.random.below(300));
      }
      return;
    }
    this.frontier.requestEnded(lease, now);
    const hasRecord = answer.outcome !== OUTCOME.failed;
    const record = hasRecord ? this.#handOff.sendRecord(captureOf(lease), () => {}) : undefined;
    this.#over.push({ lease, answer, record });
    if (!this.#isOwn(lease)) this.borrowed.add(lease.url);
    if (isWanted) world.oracle.completed(lease.url);
  }

  /** What the host asks for, as robots.txt and Retry-After do. */
  #hear({ url, host }: Lease, failed: boolean): void {
    const { web, plan, oracle, nowMs } = this.#world;
    host.delayMs = Math.max(host.delayMs, web.delayMs(url, plan.delayMs));
    const pauseMs = failed ? web.pauseMs(url, plan.delayMs) : 0;
    if (pauseMs > 0) host.heldMs = Math.max(host.heldMs, this.#now + pauseMs);
    oracle.heard(host.name, host.delayMs, pauseMs > 0 ? nowMs + pauseMs : 0);
  }

  get #now(): number {
    const { parts, nowMs, wall } = this.#world;
    return parts.clock === "wall" ? nowMs + wall.aheadMs : nowMs;
  }

  #finishVisits(): void {
    for (; this.#permitsBack > 0; this.#permitsBack--) this.#limit.giveBack();
    const ended = this.#over;
    this.#over = [];
    for (const { lease, answer, record } of ended) {
      const { outcome } = answer;
      const isOwn = this.#isOwn(lease);
      const isPage = outcome === OUTCOME.page;
      if (isOwn && !isPage) this.#limit.giveBack();
      this.#uncommitted.add(1);
      const counter = isOwn && isPage ? this.#limit : undefined;
      const onCommitted = this.#uncommitted.onCommitted(1, counter);
      const links = answer.found.length;
      // As a crawl does with the links of a page.
      const { left, known } = isPage
        ? this.#known.split(lease.shard, answer.found)
        : { left: answer.found, known: undefined };
      const found = left.map((url) => discovery(url, lease, outcome));
      this.frontier.finish(lease, found, { outcome, links, known, record, onCommitted });
    }
  }

  #takeMore(): void {
    const world = this.#world;
    for (;;) {
      const room = Math.min(world.plan.links, this.#uncommitted.room) - this.inFlight.size;
      if (room <= 0 || this.#handOff.congested) return;
      const now = this.#now;
      const [lease] = this.frontier.takeMany(1, now);
      if (lease === undefined) {
        if (world.plan.mail === "rings") this.frontier.wantMore(room, now);
        return;
      }
      const isOwn = this.#isOwn(lease);
      if (isOwn && !this.#limit.tryTake()) {
        this.frontier.giveBack(lease, now);
        return;
      }
      const untilMs = this.#gates.enter(lease.host, addressOf(lease.url), now);
      if (untilMs > 0) {
        this.frontier.giveBack(lease, untilMs);
        if (isOwn) this.#permitsBack++;
      } else this.#ask(lease);
    }
  }

  #ask(lease: Lease): void {
    this.#world.note(`thread ${this.thread} asks for ${lease.url}`);
    const { oracle, nowMs } = this.#world;
    const isOrphan = this.stale.has(lease.shard % this.#memory.threads);
    const request = oracle.asked(lease.url, hostnameOf(lease.url), nowMs, isOrphan);
    this.inFlight.add(lease);
    this.#world.ask(this, lease, request);
  }

  #isOwn({ shard }: Lease): boolean {
    return shard % this.#memory.threads === this.thread;
  }

  /** How many leases may go to another thread, each with a permit. */
  #spare(limit: number, lent: LentSoFar): number {
    if (this.#memory.control.mode !== MODES.run) return 0;
    // As where a host may have several connections: it lends whenever it can.
    const rules = {
      perHost: 2,
      linksPerThread: this.#world.plan.links,
      threads: this.#memory.threads,
    };
    return this.#limit.takeUpTo(Math.min(limit, spareLeases(rules, this.#filled, lent)));
  }
}

function discovery(url: CrawlUrl, lease: Lease, outcome: number): Discovery {
  const via = outcome === OUTCOME.redirect ? "redirect" : "link";
  const depth = via === "link" ? lease.depth + 1 : lease.depth;
  return { url, parent: lease.url, depth, via, seed: false, chain: [] };
}
