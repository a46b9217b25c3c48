import { CrawlerLoop } from "../../crawl/crawler/crawler-loop.ts";
import { Uncommitted } from "../../crawl/crawler/uncommitted.ts";
import { BufferSender, type Outlook } from "../../crawl/hand-off/buffer-sender.ts";
import { HandOffPort, type PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import { Account, MODES } from "../../crawl/shared-memory.ts";
import { type Discovery, type Lease, OUTCOME } from "../../frontier/frontier.ts";
import { Gatekeeper } from "../../frontier/gatekeeper.ts";
import { PageLimit } from "../../frontier/page-limit.ts";
import { ShardedFrontier } from "../../frontier/sharded-frontier.ts";
import { CommitCounts } from "../../sync/commit-counts.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { openOwned } from "./open-owned.ts";
import { SEED_HIGH, SEED_LOW } from "./oracle.ts";
import { captureOf } from "./sim-builder.ts";
import type { SimMemory } from "./sim-memory.ts";
import { addressOf } from "./sim-web.ts";
import type { World } from "./simulated-crawl.ts";

const OUTCOME_NAMES = Object.fromEntries(
  Object.entries(OUTCOME).map(([name, number]) => [number, name]),
) as Record<number, keyof typeof OUTCOME>;

/** Never says that its crawler has nothing in flight. */
class NeverStillSender extends BufferSender {
  override flush(outlook: Outlook): void {
    super.flush(outlook === "still" ? "waiting" : outlook);
  }
}

/** One crawler thread: the shipped loop over the shipped frontier, hand-off and gates; requests are answered by the world. */
export class SimCrawler {
  readonly thread: number;
  readonly frontier: ShardedFrontier;
  readonly #loop: CrawlerLoop;
  readonly #world: World;
  readonly #memory: SimMemory;
  readonly #handOff: BufferSender;
  readonly #port: HandOffPort;
  readonly #gates: Gatekeeper;
  /** Threads that have died without this one knowing, and their runs at that time: what they lent is theirs no more. */
  readonly #orphaned = new Map<number, number>();
  /** URLs of other threads that were visited here. */
  readonly borrowed = new Set<CrawlUrl>();
  /** When the last round wanted to look again. */
  lookMs = 0;
  isRunning = false;

  constructor(world: World, thread: number, epoch: number, mustWait: boolean) {
    const { memory, plan, parts } = world;
    const { threads, control } = memory;
    this.thread = thread;
    this.#world = world;
    this.#memory = memory;
    const account = new Account(memory, thread);
    const { buffers, stored } = memory;
    const Sender = parts.tellsStill ? BufferSender : NeverStillSender;
    const buffer = memory.bufferAt(buffers.bufferOf(thread));
    this.#handOff = new Sender(buffer, buffers.laneOf(thread), plan.handOff, stored, thread);
    const startMs = mustWait && parts.waits ? this.#now + plan.delayMs : 0;
    const { owned, pages, order } = openOwned(world, thread, startMs);
    const limit = new PageLimit({
      maxPages: plan.maxPages,
      permits: control.permits,
      countPage: () => control.pageCommitted(),
      onReached: () => control.end("limit", MODES.drain),
      onReturned: () => {},
    });
    limit.pages = pages;
    const { maxUncommitted, delayMs } = plan;
    const uncommitted = new Uncommitted({ maxUncommitted, threads }, account, memory.bells.at(-1)!);
    this.#gates = new Gatekeeper({
      ...memory.gatesOf(thread),
      delayMs,
      perHost: 1,
      spaceHosts: false,
    });
    this.#port = new HandOffPort(this.#handOff, epoch);
    this.frontier = new ShardedFrontier({
      thread,
      threads,
      shards: plan.shards,
      owned,
      epoch,
      pending: memory.pending,
      limit,
      mailbox: world.routeOf(thread),
      port: this.#port,
      delayMs,
      seedLow: SEED_LOW,
      seedHigh: SEED_HIGH,
      board: memory.board,
      commits: new CommitCounts(memory.commitCounts, threads, thread),
      bells: memory.bells,
      // As where a host may have several connections, and short queues count: it lends whenever it can.
      lending:
        plan.network === "rings"
          ? { perHost: 2, linksPerThread: plan.links, minQueued: 1 }
          : undefined,
      onLast: () => world.lastReleased(),
      order,
    });
    this.#loop = new CrawlerLoop({
      frontier: this.frontier,
      handOff: this.#handOff,
      port: this.#port,
      control,
      account,
      uncommitted,
      linksPerThread: plan.links,
      clock: () => this.#now,
      visit: (lease) => this.#visit(lease),
      onUnavailable: () => {},
    });
  }

  get hasEnded(): boolean {
    return this.#loop.hasEnded;
  }

  /** What it has to do, and the pages committed. */
  get tally(): { share: number; pages: number; heldPermits: number } {
    const { share, pages, heldPermits } = this.frontier.stats();
    return { share, pages, heldPermits };
  }

  /** Nothing to do and nothing under way, as far as this thread can see. */
  get isIdle(): boolean {
    const { inFlight, settling } = this.#loop;
    const isQuiet = inFlight + settling + this.frontier.stats().queued === 0;
    return isQuiet && this.#handOff.outstanding === 0;
  }

  /** A thread has died; this one does not know yet. */
  orphan(thread: number): void {
    this.#orphaned.set(thread, this.#memory.board.runOf(thread));
  }

  pump(): void {
    if (!this.isRunning || this.hasEnded) return;
    if (this.#memory.control.recount === 0) {
      for (const [thread, run] of this.#orphaned)
        if (this.#memory.board.runOf(thread) !== run) this.#orphaned.delete(thread);
    }
    this.lookMs = this.#loop.round();
  }

  /** Where records are that another thread commits. */
  onPlaces(places: readonly PlaceOfRecord[]): void {
    this.#port.onPlaces(places);
  }

  /** The request of this lease is over. */
  answer(lease: Lease, request: number): void {
    const { oracle, nowMs, web, plan, random } = this.#world;
    const now = this.#now;
    const isWanted = oracle.answered(lease.url, lease.host.name, nowMs, request);
    const answer = web.ask(lease.url, lease.attempt);
    if (plan.demanding) this.#obey(lease, answer === undefined);
    this.#gates.leave(lease.host, now);
    if (answer === undefined) {
      lease.attempt++;
      if (random.below(2) === 0) this.#loop.retry(lease, now + 2 * plan.delayMs, false);
      else {
        this.frontier.requestEnded(lease, now);
        this.#loop.retry(lease, now + random.below(300), true);
      }
    } else {
      this.frontier.requestEnded(lease, now);
      this.#finish(lease, answer.outcome, answer.found);
      if (this.#world.ownerOf(lease.url) !== this.thread) this.borrowed.add(lease.url);
      if (isWanted) oracle.completed(lease.url);
    }
    this.#loop.leave();
  }

  #finish(lease: Lease, outcome: number, links: readonly CrawlUrl[]): void {
    const hasRecord = outcome !== OUTCOME.failed;
    const record = hasRecord ? this.#handOff.sendRecord(captureOf(lease), () => {}) : undefined;
    // As a crawl does with the links of a page.
    const { left, known } =
      outcome === OUTCOME.page
        ? this.frontier.unknown(lease.shard, links)
        : { left: links, known: undefined };
    this.#loop.finish(lease, {
      outcome: OUTCOME_NAMES[outcome]!,
      found: left.map((url) => discovery(url, lease, outcome)),
      known,
      links: links.length,
      record,
      bytes: 1,
    });
  }

  /** What the host asks for, as robots.txt and Retry-After do. */
  #obey({ url, host }: Lease, hasFailed: boolean): void {
    const { web, plan, oracle, nowMs } = this.#world;
    host.delayMs = Math.max(host.delayMs, web.delayMs(url, plan.delayMs));
    const pauseMs = hasFailed ? web.pauseMs(url, plan.delayMs) : 0;
    if (pauseMs > 0) host.heldMs = Math.max(host.heldMs, this.#now + pauseMs);
    oracle.heard(host.name, host.delayMs, pauseMs > 0 ? nowMs + pauseMs : 0);
  }

  get #now(): number {
    const { parts, nowMs, wall } = this.#world;
    return parts.clock === "wall" ? nowMs + wall.aheadMs : nowMs;
  }

  #visit(lease: Lease): void {
    const { oracle, nowMs } = this.#world;
    const untilMs = this.#gates.enter(lease.host, addressOf(lease.url), this.#now);
    if (untilMs > 0) {
      this.#loop.retry(lease, untilMs, false);
      this.#loop.leave();
      return;
    }
    this.#world.note(`thread ${this.thread} asks for ${lease.url}`);
    const isOrphan = this.#orphaned.has(lease.shard % this.#memory.threads);
    const request = oracle.asked(lease.url, hostnameOf(lease.url), nowMs, isOrphan);
    this.#world.ask(this, lease, request);
  }
}

function discovery(url: CrawlUrl, lease: Lease, outcome: number): Discovery {
  const via = outcome === OUTCOME.redirect ? "redirect" : "link";
  const depth = via === "link" ? lease.depth + 1 : lease.depth;
  return { url, parent: lease.url, depth, via, seed: false, chain: [] };
}
