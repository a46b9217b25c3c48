import type { ThreadChange } from "../../crawl/control/control-change.ts";
import { CrawlerLoop } from "../../crawl/crawler/crawler-loop.ts";
import { Uncommitted } from "../../crawl/crawler/uncommitted.ts";
import { BufferSender, type Outlook } from "../../crawl/hand-off/buffer-sender.ts";
import { FRAMES } from "../../crawl/hand-off/frames.ts";
import { HandOffPort, type PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import { Account, MODES } from "../../crawl/shared-memory.ts";
import { Follower, type Skipped } from "../../crawl/visit/follower.ts";
import { learnFact, widenedFact } from "../../crawl/visit/learn-fact.ts";
import { ByteCount } from "../../frontier/byte-count.ts";
import type { ShardExchange } from "../../frontier/fold/exchange-check.ts";
import { type Discovery, type Fact, type Lease, OUTCOME } from "../../frontier/frontier.ts";
import { Gatekeeper } from "../../frontier/gatekeeper.ts";
import { HostSettings } from "../../frontier/host-settings.ts";
import { PageLimit } from "../../frontier/page-limit.ts";
import { ShardedFrontier } from "../../frontier/sharded-frontier.ts";
import { CommitCounts } from "../../sync/commit-counts.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Scope } from "../../url/scope.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { openOwned } from "./open-owned.ts";
import { SEED_HIGH, SEED_LOW, Violation } from "./oracle.ts";
import { frameOf, nearCaptureOf, RESPONSE } from "./sim-builder.ts";
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
  readonly #scope: Scope;
  readonly #follower: Follower;
  readonly #bytes: ByteCount;
  readonly #settings = new HostSettings();
  /** Hosts that were blocked before this thread began. */
  readonly #blockedBefore: ReadonlySet<string>;
  /** Threads that have died without this one knowing, and their runs at that time: what they lent is theirs no more. */
  readonly #orphaned = new Map<number, number>();
  /** URLs of other threads that were visited here. */
  readonly borrowed = new Set<CrawlUrl>();
  /** What its shards had exchanged when they were read. */
  readonly exchanges: readonly ShardExchange[];
  /** When the last round wanted to look again. */
  lookMs = 0;
  /** How often its bell had rung when it fell asleep; undefined while it is awake. */
  #asleepSince: number | undefined;
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
    this.#handOff.goPast(world.builder.nearOf(thread));
    const startMs = mustWait && parts.waits ? this.#now + plan.delayMs : 0;
    this.#blockedBefore = new Set(world.oracle.blocked);
    const { owned, pages, order, shares, exchanges } = openOwned(
      world,
      thread,
      startMs,
      this.#settings,
    );
    this.exchanges = exchanges;
    const onLimit = () => {
      control.end("limit", MODES.drain);
      memory.ringAll();
    };
    const limit = new PageLimit({
      maxPages: plan.maxPages,
      permits: control.permits,
      countPages: (pages) => control.countPages(pages),
      onReached: onLimit,
      onReturned: () => memory.ringAll(),
    });
    limit.pages = pages;
    this.#bytes = new ByteCount({
      maxBytes: plan.maxBytes,
      total: control.bytes,
      onReached: onLimit,
    });
    this.#scope = world.web.openScope();
    this.#follower = new Follower({
      scope: this.#scope,
      maxDepth: Number.POSITIVE_INFINITY,
      maxDepthDynamic: Number.POSITIVE_INFINITY,
      maxRedirects: Number.POSITIVE_INFINITY,
      seedLow: SEED_LOW,
      seedHigh: SEED_HIGH,
    });
    const { maxUncommitted, delayMs } = plan;
    const config = { maxUncommitted, threads, frontier: "sharded" } as const;
    const uncommitted = new Uncommitted(config, account, memory.bells.at(-1)!);
    this.#gates = new Gatekeeper({
      ...memory.gatesOf(thread),
      delayMs,
      perHost: 1,
      spaceHosts: false,
      settings: this.#settings,
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
      work: memory.work,
      commits: new CommitCounts(memory.commitCounts, threads, thread),
      bells: memory.bells,
      // As where a host may have several connections, and short queues count: it lends whenever it can.
      lending:
        plan.network === "rings"
          ? { perHost: 2, linksPerThread: plan.links, minQueued: 1 }
          : undefined,
      onLast: () => world.lastReleased(),
      bytes: this.#bytes,
      maxPagesPerSite: plan.maxPagesPerSite,
      settings: this.#settings,
      onHostChanged: (host, nowMs) => this.#gates.changed(host, nowMs),
      onFacts: (facts) => {
        account.announced(facts.length);
        world.post(thread, () => world.supervisor.onFacts(thread, facts));
      },
      order,
      shares,
    });
    this.#loop = new CrawlerLoop({
      frontier: this.frontier,
      handOff: this.#handOff,
      port: this.#port,
      control,
      account,
      uncommitted,
      bytes: this.#bytes,
      linksPerThread: plan.links,
      clock: () => this.#now,
      visit: (lease) => this.#visit(lease),
      onOver: () => {},
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
    if (!this.isRunning || this.hasEnded || this.#isAsleep) return;
    const bell = this.#memory.bells[this.thread]!;
    bell.disarm();
    if (this.#memory.control.recount === 0) {
      for (const [thread, run] of this.#orphaned)
        if (this.#memory.board.runOf(thread) !== run) this.#orphaned.delete(thread);
    }
    this.lookMs = this.#loop.round();
    this.#asleepSince = undefined;
    // A visit that ended within the round is an event after it.
    const isAwake = this.lookMs <= this.#now || this.#loop.settling > 0 || this.hasEnded;
    if (!this.#world.plan.sleeping || isAwake) return;
    const armed = bell.arm();
    if (!this.#world.parts.looksTwice || !this.#loop.hasWork()) this.#asleepSince = armed;
  }

  /** It sleeps until its bell rings, its time has come, or something happens to it. */
  get #isAsleep(): boolean {
    const bell = this.#memory.bells[this.thread]!;
    return this.#asleepSince === bell.rung && this.lookMs > this.#now;
  }

  /** What other threads and earlier runs found out. */
  learn(facts: readonly Fact[]): void {
    for (const fact of facts) learnFact({ scope: this.#scope }, fact);
  }

  /** URLs that the supervisor sends: links that were refused and are in scope now, or new seeds. */
  admit(found: readonly Discovery[], onDurable: () => void): void {
    this.#asleepSince = undefined;
    this.#loop.admit(found, () => this.#world.post(this.thread, onDurable));
  }

  /** Somebody has changed this while the crawl runs. */
  obey(change: ThreadChange): void {
    this.#asleepSince = undefined;
    if (change.event !== "blockHost") return;
    this.#settings.block(change.host);
    this.#scope.block(change.host);
    this.frontier.hostChanged(change.host, this.#now);
  }

  /** Where records are that another thread commits. */
  onPlaces(places: readonly PlaceOfRecord[]): void {
    this.#asleepSince = undefined;
    this.#port.onPlaces(places);
  }

  /** The request of this lease is over. */
  answer(lease: Lease, request: number): void {
    const { oracle, nowMs, web, plan, random } = this.#world;
    const now = this.#now;
    this.#asleepSince = undefined;
    const isWanted = oracle.answered(lease.url, lease.host.name, nowMs, request);
    const answer = web.ask(lease.url, lease.attempt);
    this.#bytes.received(1);
    oracle.received(1);
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
  }

  #finish(lease: Lease, outcome: number, links: readonly CrawlUrl[]): void {
    const hasRecord = outcome !== OUTCOME.failed;
    // As a crawl does with the links of a page.
    const { left, known } =
      outcome === OUTCOME.page
        ? this.frontier.unknown(lease.shard, links)
        : { left: links, known: undefined };
    const skipped: Skipped[] = [];
    // As a visit does with a target of a seed that nobody told it of.
    const own = lease.seed && this.#scope.refusal(lease.url) !== undefined;
    const ownFacts = own ? this.#widen(lease.url) : [];
    const { found, facts } =
      outcome === OUTCOME.redirect
        ? this.#redirect(lease, left[0]!, skipped)
        : { found: this.#follower.links(lease, left, skipped), facts: [] };
    if (skipped.length > 0) {
      const lines = skipped.map((link) => JSON.stringify(link)).join("\n");
      this.#handOff.send(FRAMES.skipped, [Buffer.from(lines)]);
    }
    const record = hasRecord ? this.#send(lease) : undefined;
    this.#loop.finish(lease, {
      outcome: OUTCOME_NAMES[outcome]!,
      found,
      facts: [...ownFacts, ...facts],
      known,
      links: links.length,
      record,
      bytes: 1,
    });
  }

  /** As `SendRecords` does. */
  #send(lease: Lease): number {
    if (this.#handOff.isNear) return this.#handOff.storeNow(nearCaptureOf(lease), false);
    return this.#handOff.sendRecord(frameOf(lease), RESPONSE);
  }

  #redirect(
    lease: Lease,
    target: CrawlUrl,
    skipped: Skipped[],
  ): { found: Discovery[]; facts: Fact[] } {
    const redirect = this.#follower.redirect(lease, 302, target);
    if (redirect.kind === "skipped") this.#follower.report(redirect.skipped, skipped);
    if (redirect.kind !== "to") return { found: [], facts: [] };
    // Without the chain, which would not fit into the small slots here.
    const found = [{ ...redirect.found, chain: [] }];
    if (!lease.seed) return { found, facts: [] };
    return { found, facts: this.#widen(target) };
  }

  #widen(url: CrawlUrl): Fact[] {
    const fact = widenedFact(url);
    this.learn([fact]);
    if (this.#world.parts.facts === "with the page") return [fact];
    this.#world.supervisor.onFacts(this.thread, [fact]);
    return [];
  }

  /** What the host asks for, as robots.txt and Retry-After do. */
  #obey({ url, host }: Lease, hasFailed: boolean): void {
    const { web, plan, oracle, nowMs } = this.#world;
    this.#gates.slow(host, web.delayMs(url, plan.delayMs), this.#now);
    const pauseMs = hasFailed ? web.pauseMs(url, plan.delayMs) : 0;
    if (pauseMs > 0) this.#gates.hold(host, this.#now + pauseMs, this.#now);
    oracle.heard(host.name, host.delayMs, pauseMs > 0 ? nowMs + pauseMs : 0);
  }

  get #now(): number {
    const { parts, nowMs, wall } = this.#world;
    return parts.clock === "wall" ? nowMs + wall.aheadMs : nowMs;
  }

  #visit(lease: Lease): void {
    const { oracle, nowMs } = this.#world;
    if (lease.budget === "spent" || this.#settings.isBlocked(lease.host.name)) {
      // As a visit does that is refused without a request.
      this.frontier.requestEnded(lease, Number.NEGATIVE_INFINITY);
      const nothing = { found: [], links: 0, record: undefined, bytes: 0 };
      this.#loop.finish(lease, { outcome: "refused", ...nothing });
      return;
    }
    if (this.#blockedBefore.has(lease.host.name))
      throw new Violation(`${lease.host.name} is asked although it was blocked`);
    const address = addressOf(lease.url);
    const untilMs = this.#gates.enter(lease.host, address, this.#now);
    if (untilMs > 0) {
      this.#loop.retry(lease, untilMs, false);
      return;
    }
    this.#gates.sent(lease.host, address, this.#gates.claimedMs, this.#now);
    this.#world.note(`thread ${this.thread} asks for ${lease.url}`);
    const isOrphan = this.#orphaned.has(lease.shard % this.#memory.threads);
    const request = oracle.asked(lease.url, hostnameOf(lease.url), nowMs, isOrphan);
    this.#world.ask(this, lease, request);
  }
}
