import type { Pending } from "../../sync/pending.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../url/site.ts";
import type { Discovery } from "../discovery.ts";
import type { Fact } from "../fact.ts";
import { OUTCOME, OUTCOMES, type Settlement } from "../finish.ts";
import { ShardState } from "../fold/shard-state.ts";
import type { Frontier, FrontierStats, TurnMode } from "../frontier.ts";
import type { Host, Lease } from "../host.ts";
import type { HostMemory } from "../host-memory.ts";
import type { PageLimit } from "../page-limit.ts";
import type { ShardQueue } from "../queue/shard-queue.ts";
import { Shard, type ShardRules } from "../shard/shard.ts";
import { BUDGET_RETRY_MS, OwnedSiteBudget, type SiteBudget } from "../site-budget.ts";
import type { SiteShares } from "../site-shares.ts";
import { AddressLeases } from "./address-leases.ts";
import { BlockLog } from "./block-log.ts";
import { BlockLogs } from "./block-logs.ts";
import { ColdQueues } from "./cold-queues.ts";
import { EndPasses } from "./end-passes.ts";
import type { WorkerEnds } from "./ends/end-journal.ts";
import type { Engine, EngineOrder } from "./engine.ts";
import { decodeFact, type EndedVisit, EngineCommits, seedsOf } from "./engine-commits.ts";
import { EnginePermits } from "./engine-permits.ts";
import { HeldPartitions } from "./held-partitions.ts";
import { decimalOf, idOf } from "./link-record.ts";
import { Ownership } from "./ownership.ts";
import { type MachineParts, SuperstepMachine } from "./steps/superstep-machine.ts";

// Longer than 400 lines because it is the whole interface of a frontier, method by method, over parts that do the work.

/** Between two looks at everything that only time changes. */
const TICK_MS = 100;
/** A URL whose lease may have run out is looked at again after this long. */
const DOUBT_MS = 200;
/** An engine that answers and does not say whether its file is synced is not asked for longer than this. */
const MAX_FLUSH_MS = 5000;
/** By cash the next URL of a host is chosen when its delay is half over, and at most so long before its time. */
const MAX_LEAD_MS = 500;
/** With a shorter delay it is chosen when the one before is taken: the engine takes some time to answer. */
const MIN_LATE_DELAY_MS = 200;
/** Hosts of a partition whose URLs are fetched at once to be given up. */
const MAX_DRAINED = 64;

/** What one thread's frontier on the engine is made of. */
export interface EngineFrontierParts
  extends Omit<ShardRules, "order" | "shares" | "partOf" | "wallAheadMs"> {
  /** Opens the engine as the thread's n-th holder; `onStep` is called with what happens at barriers. */
  readonly openEngine: (
    life: number,
    onWake: (partition: number) => void,
    onStep: (step: number) => void,
  ) => Engine;
  readonly worker: string;
  /** The name under which this thread holds addresses; absent where nobody else asks them. */
  readonly addresses?: { readonly holder: string; readonly clock: () => number };
  /** One thread of each worker tells it what other workers found out. */
  readonly learnsFacts: boolean;
  readonly order: EngineOrder;
  readonly leaseMs: number;
  /** URLs of a host that are fetched ahead. */
  readonly aheadPerHost: number;
  readonly maxPagesPerSite: number | undefined;
  readonly shares: SiteShares;
  readonly queue: ShardQueue;
  readonly pending: Pending;
  readonly limit: PageLimit;
  readonly ends: WorkerEnds;
  /** How many visits of earlier runs in this folder ended with each outcome. */
  readonly outcomesBefore?: Float64Array;
  readonly onLast: () => void;
  readonly onFacts: (facts: readonly Fact[]) => void;
  /** Calls this thread's next round: an answer has arrived. */
  readonly ring: () => void;
  /** Above so many bytes of the engine long queues are packed. */
  readonly maxEngineBytes?: number | undefined;
  /** Links and URLs move in supersteps; absent: whenever there are some. */
  readonly supersteps?: Pick<MachineParts, "size" | "places" | "onReport"> | undefined;
  /** The engine did not accept the ends of so many visits. */
  readonly onLate?: (visits: number) => void;
  readonly onEnded?: ((hostname: string, outcome: number) => void) | undefined;
  readonly onClose?: () => void;
}

/**
 * The frontier of one thread of one worker of a crawl on an engine. Partitions are leased from it, their URLs fetched
 * ahead in blocks and spaced here by the same shard that spaces an embedded crawl's; what visits found goes back in
 * numbered blocks. Calls never wait: answers are handled in the thread's rounds.
 *
 * Longer than 400 lines because it is where the parts of this frontier meet: each has a file of its own.
 */
export class EngineFrontier implements Frontier {
  readonly #parts: EngineFrontierParts;
  readonly #shard: Shard;
  readonly #budget: SiteBudget | undefined;
  readonly #permits: EnginePermits;
  readonly #commits: EngineCommits;
  readonly #owned: Ownership;
  readonly #held: HeldPartitions;
  readonly floors: AddressLeases | undefined;
  readonly hostMemory: HostMemory;
  readonly #machine: SuperstepMachine | undefined;
  readonly #cold: ColdQueues | undefined;
  readonly #passes = new EndPasses();
  /** The next URL of a host is chosen when it is nearly time to ask for it: links may raise others until then. */
  readonly #choosesLate: boolean;
  readonly #drained = new WeakSet<Lease>();
  readonly #partitionOfHost = new Map<string, number>();
  readonly #answers: (() => void)[] = [];
  #engine: Engine;
  readonly #logs: BlockLogs;
  #life = 1;
  #ended: EndedVisit[] = [];
  /** Ended and durable. */
  #stored: EndedVisit[][] = [];
  #mode: TurnMode = "run";
  #nowMs = 0;
  #tickMs = Number.NEGATIVE_INFINITY;
  /** Places for which the last `take` found nothing. */
  #lack = 0;
  #inFlight = 0;
  /** `take` has looked, so permits that are free are not needed. */
  #hasTaken = true;
  /** Something was answered that may let more be taken. */
  #hasNews = false;
  /** 1 until this thread knows that the crawl has ended. */
  #share = 1;
  #known = 0;
  /** Of ends that the engine has accepted. */
  readonly #outcomes = new Float64Array(OUTCOMES);
  #factsRead = 0;
  #isReadingFacts = false;
  #hasLeft = false;
  /** Asks whether the engine would still know after a power loss what this holder told it last. */
  #isMakingSure = false;
  #isSure = false;
  #sureSinceMs: number | undefined;
  #givesUp = false;
  /** Late results so far. */
  late = 0;

  constructor(parts: EngineFrontierParts) {
    this.#parts = parts;
    const { order, leaseMs, worker, maxPagesPerSite } = parts;
    this.#choosesLate =
      order === "opic" && parts.aheadPerHost === 1 && parts.delayMs >= MIN_LATE_DELAY_MS;
    const post = (answer: () => void) => this.#post(answer);
    this.#outcomes.set(parts.outcomesBefore ?? []);
    parts.limit.pages = this.#outcomes[OUTCOME.page]!;
    this.#engine = this.#open();
    this.#logs = new BlockLogs(this.#newLog());
    this.#permits = new EnginePermits(parts.limit, this.#engine, post);
    this.#owned = new Ownership(this.#engine, { leaseMs, about: worker }, post, {
      onAssigned: () => this.#held.reassign(),
      onDead: () => this.#beginAnew(),
      onFacts: (count) => this.#readFacts(count),
    });
    const rules: ShardRules = {
      ...parts,
      order,
      wallAheadMs: () => this.#owned.aheadMs,
      partOf: (name) => this.#partOf(name),
    };
    this.#shard = new Shard(0, rules, new ShardState(parts.seedLow, parts.seedHigh), parts.queue);
    this.#shard.onNote = ({ delayMs, untilWallMs }, { name }) => {
      const held = this.#held.of(this.#partOf(name));
      held?.notes.set(name, `${delayMs} ${Math.round(untilWallMs)}`);
      if (held !== undefined) this.#commits.noted(held);
    };
    this.#held = new HeldPartitions({
      ahead: { leaseMs, perHost: parts.aheadPerHost, inSteps: parts.supersteps !== undefined },
      ...parts,
      hasBudgets: maxPagesPerSite !== undefined,
      shard: this.#shard,
      owned: this.#owned,
      engine: () => this.#engine,
      post,
      hasSettled: (low, high) => this.#logs.current.hasSettled(decimalOf(idOf(low, high))),
      onUrls: () => this.#found(),
    });
    this.#commits = new EngineCommits(
      {
        rules: parts,
        order,
        worker,
        post,
        hasBudgets: maxPagesPerSite !== undefined,
        partOf: (name) => this.#partOf(name),
        onFacts: parts.onFacts,
        onFresh: (count) => {
          this.#known += count;
        },
        onSending: (block, visits) => parts.ends.sending(block, visits),
        onSettled: (visits, isAccepted) => this.#settled(visits, isAccepted),
        onRevoked: (visits) => this.#revoked(visits),
        onLost: (partition) => this.#held.lose(partition),
        isMine: (partition) => this.#owned.isMine(partition),
      },
      this.#engine,
      this.#logs.current,
    );
    const owned = this.#owned;
    this.hostMemory = {
      get aheadMs() {
        return owned.aheadMs;
      },
      recall: (host, name, onAnswer) => this.#engine.recall(this.#partOf(host), name, onAnswer),
      keep: (host, name, bytes) => this.#engine.keep(this.#partOf(host), name, bytes),
    };
    const floorMs = parts.delayMs / 10;
    if (parts.addresses !== undefined && floorMs > 0)
      this.floors = new AddressLeases({
        ...parts.addresses,
        ...{ leaseMs, floorMs, post },
        engine: () => this.#engine,
        isGone: (thread, thenMs) => this.#owned.isGone(thread, thenMs),
      });
    const { maxEngineBytes: maxBytes } = parts;
    if (maxBytes !== undefined)
      this.#cold = new ColdQueues({ maxBytes, engine: () => this.#engine, post });
    if (parts.supersteps !== undefined)
      this.#machine = new SuperstepMachine({
        ...parts.supersteps,
        engine: () => this.#engine,
        post,
        held: this.#held,
        commit: (visits, sending) => this.#commits.commit(visits, sending),
        nowMs: () => this.#nowMs,
        onFresh: (count) => {
          this.#known += count;
        },
      });
    if (maxPagesPerSite !== undefined) {
      this.#budget = new OwnedSiteBudget({
        ...parts,
        limitOf: () => maxPagesPerSite,
        pagesOf: (partition) => this.#held.sitesOf(partition),
        count: (partition, low, high) => this.#held.countPage(partition, low, high),
      });
    }
  }

  open(seeds: readonly CrawlUrl[]): void {
    this.#commits.insert(seedsOf(seeds), () => {});
  }

  /** They come with the first signs of life. */
  facts(): readonly Fact[] {
    return [];
  }

  admit(found: readonly Discovery[], onDurable: (fresh: number) => void): void {
    this.#goOn();
    // The engine decides what is new, and tells nobody how many.
    this.#commits.insert(found, () => onDurable(found.length));
    this.#work();
  }

  take(limit: number, nowMs: number): Lease[] {
    this.#nowMs = nowMs;
    this.#parts.shares.nowMs = nowMs;
    this.#lack = limit;
    this.#permits.isWanted = false;
    this.#hasTaken = false;
    const taken: Lease[] = [];
    // A second look when answers came at once.
    for (let isFirst = true; taken.length < limit; isFirst = false) {
      this.#work();
      const before = taken.length;
      this.#takeReady(limit, taken);
      this.#lack = limit - taken.length;
      if (!isFirst && taken.length === before) break;
      if (isFirst && this.#lack > 0) this.#ask();
    }
    this.#inFlight += taken.length;
    this.#hasTaken = true;
    this.#hasNews = false;
    return taken;
  }

  #takeReady(limit: number, taken: Lease[]): void {
    const refused: [Lease, number][] = [];
    while (taken.length < limit) {
      const lease = this.#shard.take(this.#nowMs);
      if (lease === undefined) break;
      const partition = this.#held.begin(lease);
      if (partition === undefined) {
        // Its partition is another's by now, or it is here twice.
        this.#shard.leave(lease);
        this.#shard.abandon(lease);
        continue;
      }
      lease.host.term = partition;
      const hasPlace = this.#budget?.tryReserve(lease) ?? true;
      if (this.#nowMs >= partition.untilMs) refused.push([lease, this.#nowMs + DOUBT_MS]);
      else if (!hasPlace) refused.push([lease, this.#nowMs + BUDGET_RETRY_MS]);
      else if (this.#permits.tryTake()) {
        taken.push(lease);
        if (this.#choosesLate) this.#held.rest(lease, Number.POSITIVE_INFINITY);
      } else {
        refused.push([lease, 0]);
        break;
      }
    }
    for (const [lease, untilMs] of refused.reverse()) {
      this.#budget?.giveBack(lease);
      this.#held.giveBack(lease);
      this.#shard.leave(lease);
      this.#shard.giveBack(lease, untilMs);
    }
  }

  requestEnded(lease: Lease, endMs: number): void {
    this.#shard.requestEnded(lease, endMs);
    if (!this.#choosesLate) return;
    const { delayMs, nextMs } = lease.host;
    this.#held.rest(lease, nextMs - Math.min(delayMs / 2, MAX_LEAD_MS));
  }

  settle(lease: Lease, end: Settlement): void {
    const isDrained = this.#drained.delete(lease);
    if (!isDrained) {
      this.#inFlight--;
      this.#shard.leave(lease);
    }
    const isPage = end.kind === "finish" && end.outcome === OUTCOME.page;
    if (isPage) this.#budget?.page(lease);
    else {
      this.#budget?.giveBack(lease);
      if (!isDrained) this.#permits.giveBack();
    }
    const url = this.#held.urlOf(lease);
    if (end.kind === "retry") {
      // Somebody else has its partition now, or soon.
      if (!this.#held.giveBack(lease, end.rests)) {
        if (!end.rests) this.#shard.abandon(lease);
      } else if (end.rests) this.#shard.rest(lease, end.untilMs);
      else this.#shard.giveBack(lease, end.untilMs);
      return;
    }
    if (end.kind === "abandon") this.#shard.abandon(lease);
    else this.#givesUp = false;
    const finish = end.kind === "finish" ? end : undefined;
    if (url === undefined) {
      this.#countLate(isPage, finish?.onCommitted);
      return;
    }
    const visit = { lease, end: finish, partition: url.partition, cash: url.cash };
    if (finish === undefined) this.#stored.push([visit]);
    else this.#ended.push(visit);
  }

  turn(nowMs: number, mode: TurnMode): number {
    this.#nowMs = nowMs;
    this.#mode = mode;
    if (this.#ended.length > 0) {
      const ended = this.#ended;
      this.#ended = [];
      this.#parts.ends.stored(ended, () => {
        this.#stored.push(ended);
        this.#machine?.ended(ended.length);
        this.#hasNews = true;
      });
    }
    this.#work();
    if (mode === "end") {
      this.#handOver();
      return Number.POSITIVE_INFINITY;
    }
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    const stepMs = this.#machine?.nextMs ?? Number.POSITIVE_INFINITY;
    if (this.#share > 0 && this.#isIdle) {
      this.#look();
      return Math.min(stepMs, this.#passes.nextMs);
    }
    if (hasNews && this.#lack > 0) return nowMs;
    if (this.#lack === 0) return stepMs;
    // Steps go on with the ticks, and with the calls of others.
    if (this.#permits.isWanted) return this.#permits.isBack ? nowMs : Number.POSITIVE_INFINITY;
    return Math.min(stepMs, this.#shard.nextReadyMs());
  }

  drain(): Lease[] {
    // An engine that does not answer is no reason to give anything up.
    if (!this.#owned.isHeard(this.#nowMs)) return [];
    this.#givesUp = true;
    this.#held.wake();
    const all: Lease[] = [];
    for (const lease of this.#shard.drain()) {
      if (this.#held.begin(lease) === undefined) this.#shard.abandon(lease);
      else {
        this.#drained.add(lease);
        all.push(lease);
      }
    }
    return all;
  }

  drains(): boolean {
    this.#givesUp &&= !(this.#isIdle && (this.#machine?.foundNothing ?? true));
    return this.#givesUp;
  }

  eachHost(use: (host: Host) => void): void {
    this.#shard.eachHost(use);
  }

  stats(): FrontierStats {
    const hostsWaiting = this.#shard.hostsWaiting;
    return {
      known: this.#known,
      queued: this.#shard.queued,
      hostsWaiting,
      nextUrls: hostsWaiting,
      share: this.#share,
      away:
        this.#mode === "end"
          ? this.#unsent + this.#held.size + (this.#isSure && this.#hasLeft ? 0 : 1)
          : 0,
      guests: 0,
      pages: this.#parts.limit.pages,
      outcomes: this.#outcomes,
      bytes: 0,
      heldPermits: this.#permits.held,
      lacksPermits: this.#permits.isExhausted,
      blocksSent: this.#commits.blocks,
      exchanges: this.#parts.supersteps?.size.exchanges ?? 0,
      exchangeVisits: this.#parts.supersteps?.size.visits ?? 0,
      pivot: this.#parts.supersteps?.size.pivot ?? 0,
    };
  }

  close(): void {
    this.#parts.onClose?.();
  }

  /** The connection was lost and is back: what was answered meanwhile may be missing. */
  onReconnected(): void {
    this.#held.doubt();
    this.#parts.ring();
  }

  /** Visits and blocks that the engine has not confirmed. */
  get #unsent(): number {
    return this.#ended.length + this.#stored.length + this.#commits.active;
  }

  /** Nothing is here, and nothing is on its way. */
  get #isIdle(): boolean {
    return (
      this.#unsent + this.#inFlight + this.#held.urls + this.#logs.unconfirmed === 0 &&
      this.#held.isQuiet &&
      (this.#machine?.isResting ?? true) &&
      this.#permits.isSettled
    );
  }

  #open(): Engine {
    const life = this.#life;
    const onWake = (partition: number) => {
      if (life !== this.#life) return;
      this.#held.woke(partition);
      this.#parts.ring();
    };
    return this.#parts.openEngine(life, onWake, (step) => {
      this.#machine?.called(step);
      this.#parts.ring();
    });
  }

  #newLog(): BlockLog {
    return new BlockLog(this.#engine, (partition) => this.#held.doubt(partition));
  }

  #post(answer: () => void): void {
    this.#answers.push(answer);
    this.#parts.ring();
  }

  #partOf(hostname: string): number {
    let partition = this.#partitionOfHost.get(hostname);
    if (partition === undefined) {
      if (this.#partitionOfHost.size > 65_536) this.#partitionOfHost.clear();
      partition = shardOf(siteHash(siteOf(hostname)), this.#engine.partitions);
      this.#partitionOfHost.set(hostname, partition);
    }
    return partition;
  }

  /** Handles what was answered and asks for what is missing, until nothing more comes at once. */
  #work(): void {
    do {
      for (const answer of this.#answers.splice(0)) answer();
      if (this.#machine === undefined) {
        if (this.#stored.length > 0) this.#commits.commit(this.#stored.splice(0).flat());
      } else this.#workInSteps(this.#machine);
      this.#commits.flush();
      this.#ask();
    } while (this.#answers.length > 0);
  }

  #ask(): void {
    const nowMs = this.#nowMs;
    if (this.#hasLeft) return;
    this.#owned.beat(nowMs);
    const isTick = nowMs - this.#tickMs >= TICK_MS;
    if (isTick) {
      this.#tickMs = nowMs;
      this.#logs.tidy(nowMs);
      this.#logs.check(nowMs);
      this.floors?.tidy(nowMs);
      if (this.#mode === "run") this.#cold?.work(this.#held.working, nowMs);
    }
    const isRunning = this.#mode === "run";
    const wanted = this.#machine === undefined ? this.#wantedHosts : 0;
    this.#held.ask(nowMs, wanted, isRunning, isTick);
    this.#permits.talk(isRunning ? Math.max(1, this.#lack) : 0, nowMs, this.#hasTaken);
  }

  /** Robots without a URL, unless permits are what is missing. */
  get #wantedHosts(): number {
    if (this.#givesUp) return MAX_DRAINED;
    return this.#mode === "run" && !this.#permits.isWanted ? this.#lack : 0;
  }

  #workInSteps(machine: SuperstepMachine): void {
    if (this.#owned.members === 0 || this.#hasLeft) return;
    if (this.#mode === "end") {
      if (this.#stored.length > 0) machine.flush(this.#stored.splice(0).flat());
      return;
    }
    const robots = {
      q: this.#shard.queued,
      lack: this.#wantedHosts,
      isRunning: !this.#permits.isWanted,
    };
    machine.work(robots, () => this.#stored.splice(0).flat());
  }

  #found(): void {
    this.#hasNews = true;
    this.#goOn();
  }

  /** There is something to do after all. */
  #goOn(): void {
    this.#passes.reset();
    if (this.#share > 0) return;
    this.#share = 1;
    this.#parts.pending.add(1);
  }

  #look(): void {
    for (;;) {
      this.#passes.look(
        this.#engine,
        this.#nowMs,
        (answer) => this.#post(answer),
        () => {
          if (!this.#isIdle || this.#share === 0) return;
          this.#share = 0;
          if (this.#parts.pending.release(1)) this.#parts.onLast();
        },
      );
      if (this.#answers.length === 0) return;
      this.#work();
      if (this.#share === 0 || !this.#isIdle) return;
    }
  }

  #settled(visits: readonly EndedVisit[], isAccepted: boolean): void {
    this.#parts.ends.decided(visits, isAccepted);
    for (const { lease, end } of visits) {
      const isPage = end?.outcome === OUTCOME.page;
      if (!isAccepted) {
        this.#countLate(isPage, end?.onCommitted);
        continue;
      }
      this.#held.end(lease);
      if (isPage) this.#permits.page();
      if (end !== undefined) {
        this.#outcomes[end.outcome]!++;
        this.#parts.onEnded?.(lease.host.name, end.outcome);
      }
      end?.onCommitted();
    }
    this.#hasNews = true;
  }

  /** They counted, and are another's now. */
  #revoked(visits: readonly EndedVisit[]): void {
    this.#parts.ends.decided(visits, false);
    for (const { end } of visits) {
      this.late++;
      this.#parts.onLate?.(1);
      if (end !== undefined) this.#outcomes[end.outcome]!--;
      if (end?.outcome === OUTCOME.page) this.#parts.limit.pages--;
    }
  }

  #countLate(isPage: boolean, onCommitted: (() => void) | undefined): void {
    this.late++;
    this.#parts.onLate?.(1);
    if (isPage) this.#permits.late();
    onCommitted?.();
  }

  /** Everything that ended here is settled; then the partitions go back. */
  #handOver(): void {
    if (this.#hasLeft) {
      this.#makeSure();
      return;
    }
    if (this.#inFlight + this.#unsent > 0) return;
    // Ends that the engine loses now can be said again under their lease alone, and nobody is left to visit those pages anew.
    const isOver = this.#share === 0 || this.#permits.isExhausted;
    if (isOver) this.#makeSure();
    if (isOver && !this.#isSure) return;
    this.#permits.isWanted = false;
    this.#permits.talk(0, this.#nowMs, true);
    this.#held.releaseAll();
    this.#work();
    if (this.#held.size > 0 || this.#held.isClaiming || !this.#permits.isSettled) return;
    this.#owned.leave();
    this.#hasLeft = true;
    this.#makeSure();
  }

  /**
   * The last second of what an engine has confirmed may not be on its disk, and when this worker is gone nobody can send it
   * again: so it stays until it is. Resending works as ever meanwhile.
   */
  #makeSure(): void {
    const logs = this.#logs;
    logs.tidy(this.#nowMs);
    if (this.#isSure || this.#isMakingSure || logs.unconfirmed > 0) return;
    if (logs.isEmpty) {
      this.#isSure = true;
      return;
    }
    this.#isMakingSure = true;
    this.#sureSinceMs ??= this.#nowMs;
    const sinceMs = this.#sureSinceMs;
    this.#engine.flushed((life) =>
      this.#post(() =>
        // What was confirmed in an earlier life of the engine may be gone by now.
        logs.compare((isWhole) =>
          this.#post(() => {
            this.#isMakingSure = false;
            const isTold = life !== undefined || this.#nowMs - sinceMs > MAX_FLUSH_MS;
            this.#isSure = isWhole && isTold;
          }),
        ),
      ),
    );
  }

  #readFacts(count: number): void {
    if (!this.#parts.learnsFacts || this.#isReadingFacts || count <= this.#factsRead) return;
    this.#isReadingFacts = true;
    this.#engine.factsFrom(this.#factsRead, (texts) =>
      this.#post(() => {
        this.#isReadingFacts = false;
        this.#factsRead += texts.length;
        const foreign = texts.map(decodeFact).filter(({ worker }) => worker !== this.#parts.worker);
        if (foreign.length > 0) this.#parts.onFacts(foreign.map(({ fact }) => fact));
      }),
    );
  }

  /** The others have taken everything away: goes on under another name, and what is in flight will be late. */
  #beginAnew(): void {
    this.#life++;
    this.#held.loseAll();
    const late = this.#stored.splice(0).flat();
    this.#engine = this.#open();
    this.#logs.begin(this.#newLog());
    this.#permits.restart(this.#engine);
    this.#commits.restart(this.#engine, this.#logs.current);
    this.#owned.restart(this.#engine);
    this.#machine?.restart();
    this.#settled(late, false);
    this.#passes.reset();
  }
}
