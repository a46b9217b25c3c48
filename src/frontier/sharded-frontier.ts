import type { PackedLinks } from "../page-engine/packed-links.ts";
import { Deque } from "../runtime/deque.ts";
import type { CommitCounts } from "../sync/commit-counts.ts";
import type { Doorbell } from "../sync/doorbell.ts";
import type { Pending } from "../sync/pending.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { ByteCount } from "./byte-count.ts";
import type { Discovery } from "./discovery.ts";
import type { MessageRoute } from "./exchange/mailbox.ts";
import { blockMessage, type ShardMessage } from "./exchange/shard-message.ts";
import type { Fact } from "./fact.ts";
import { type Finish, OUTCOME, OUTCOMES, type Settlement } from "./finish.ts";
import { BODY_BYTES_COUNTER, BYTES_COUNTER } from "./fold/shard-state.ts";
import type { Frontier, FrontierStats, TurnMode } from "./frontier.ts";
import type { Host, Lease, Site } from "./host.ts";
import type { HostSettings } from "./host-settings.ts";
import type { JournalPort } from "./journal-port.ts";
import type { LendingRules } from "./lending/askers.ts";
import { Lending } from "./lending/lending.ts";
import { OwnStock } from "./lending/own-stock.ts";
import type { ThreadBoard } from "./lending/thread-board.ts";
import type { WorkBoard } from "./lending/work-board.ts";
import { OpicOwnedShard } from "./opic/opic-owned-shard.ts";
import type { ThreadOrder } from "./opic/thread-order.ts";
import type { PageLimit } from "./page-limit.ts";
import type { AdmissionRules } from "./seen/admission-key.ts";
import { KnownLinks, type SplitLinks } from "./seen/known-links.ts";
import { OwnedShard } from "./shard/owned-shard.ts";
import type { Shard } from "./shard/shard.ts";
import { ShardNumbers } from "./shard-numbers.ts";
import { BUDGET_RETRY_MS, OwnedSiteBudget, type SiteBudget } from "./site-budget.ts";
import type { SiteShares } from "./site-shares.ts";

// Longer than 400 lines because it is where the parts of a sharded frontier meet: each has a file of its own.

const SEED = { parent: undefined, depth: 0, via: "seed", seed: true, chain: [] } as const;
/** Asking another thread costs the same for one lease as for these. */
const MIN_ASKED = 16;

/** Where a thread stands among the others, and what they share. */
export interface ShardedParts extends AdmissionRules {
  readonly thread: number;
  readonly threads: number;
  /** All shards of the crawl. */
  readonly shards: number;
  /** The shards of this thread, as they were on disk: shard s belongs to thread s modulo `threads`. */
  readonly owned: readonly Shard[];
  /** Number of this run. */
  readonly epoch: number;
  readonly pending: Pending;
  readonly limit: PageLimit;
  readonly bytes: ByteCount;
  /** Pages of one site; undefined: any number. */
  readonly maxPagesPerSite?: number | undefined;
  /** What was decided about single hosts while the crawl runs, and who is to know of a change; absent where nothing can be. */
  readonly settings?: HostSettings | undefined;
  readonly onHostChanged?: ((host: Host, nowMs: number) => void) | undefined;
  readonly mailbox: MessageRoute;
  readonly port: JournalPort;
  /** The crawl's own delay. */
  readonly delayMs: number;
  readonly board: ThreadBoard;
  readonly work: WorkBoard;
  readonly commits: CommitCounts;
  /** Of the crawler threads. */
  readonly bells: readonly Doorbell[];
  /** Undefined: threads lend each other nothing. */
  readonly lending: LendingRules | undefined;
  /** Which leases another thread may work on; absent: all. */
  readonly mayLend?: ((lease: Lease) => boolean) | undefined;
  /** Counts the places that each site of this thread holds; the shards have the same one. */
  readonly shares: SiteShares;
  /** Decides by cash what the hosts of all these shards have to take; undefined when each host decides for itself. */
  readonly order?: ThreadOrder | undefined;
  /** Called once, by the thread that releases the last URL of the crawl. */
  readonly onLast: () => void;
  /** What visits found out is durable: all threads are to know it. */
  readonly onFacts: (facts: readonly Fact[]) => void;
  readonly onEnded?: ((hostname: string, outcome: number) => void) | undefined;
  /** Closes what the shards have open. */
  readonly onClose?: () => void;
}

/**
 * The frontier as one crawler thread sees it: the shards it owns, and messages to everybody else's. Links to another
 * shard, also to one of this thread, travel as numbered blocks that leave when the batch they belong to is durable;
 * a block is counted as one pending thing by its producer until it is confirmed, its new links by their owner.
 */
export class ShardedFrontier implements Frontier {
  readonly #parts: ShardedParts;
  readonly #owned = new Map<number, OwnedShard>();
  readonly #all: OwnedShard[];
  readonly #numbers: ShardNumbers;
  readonly #known: KnownLinks;
  readonly #lending: Lending;
  readonly #stock: OwnStock;
  /** Undefined as long as no site has one. */
  #budget: SiteBudget | undefined;
  /** This thread's part of the pending counter: URLs that are not committed, blocks not confirmed. */
  #share = 0;
  /** Until the supervisor has counted the shares, the counter is not ours to touch: what arrives at once is in the share. */
  #isCounted = false;
  /** Payments to other shards wait for the commit that lets them go: what is owed meanwhile is added up. */
  #isPaying = false;
  #payments = 0;
  /** Leases that this thread has taken and not settled. */
  #inFlight = 0;
  /** Leases that hold no permit. */
  readonly #drained = new WeakSet<Lease>();
  #mode: TurnMode = "run";
  #nowMs = 0;
  /** The shard that is asked first. */
  #next = 0;
  /** Places for which the last `take` found nothing. */
  #idlePlaces = 0;
  /** Own URLs wait until then for better ones of another thread; 0 when they do not. */
  #heldUntilMs = 0;
  #hasMessages = false;
  /** Something arrived when there was no place for a URL. */
  #hasUnseen = false;
  readonly #onMessage = (message: ShardMessage): void => {
    this.#hasMessages = true;
    this.#handle(message);
  };
  readonly #post = (message: ShardMessage): void => {
    const thread = message.to % this.#parts.threads;
    if (thread !== this.#parts.thread) this.#parts.mailbox.post(thread, message);
    else {
      this.#local.pushBack(message);
      if (!this.#isHandling) this.#handleLocal();
    }
  };
  /** Messages from shards of this thread to others of it, in their order. */
  readonly #local = new Deque<ShardMessage>();
  /** One of them is being handled, or the run has not begun: what is posted now comes after it. */
  #isHandling = true;
  #changesSeen = 0;
  /** For `stats`. */
  readonly #outcomes = new Float64Array(OUTCOMES);
  /** The run of each thread, as far as one was replaced. */
  #runs: Int32Array;

  constructor(parts: ShardedParts) {
    this.#parts = parts;
    this.#numbers = new ShardNumbers(parts.shards);
    this.#known = new KnownLinks(parts.shards, parts.owned, parts);
    const { epoch, mailbox, order, limit, maxPagesPerSite } = parts;
    const post = this.#post;
    for (const [i, shard] of parts.owned.entries()) {
      const own = { shard, epoch, maxBlockBytes: mailbox.maxBlockBytes, post };
      const owned = order ? new OpicOwnedShard(own, order.orderOf(i), order) : new OwnedShard(own);
      this.#owned.set(shard.number, owned);
    }
    this.#all = [...this.#owned.values()];
    // A single thread can look up every link. Links to others cannot be: that they have left is all that is known of them.
    if (parts.threads > 1) for (const owned of this.#all) owned.outbox.keepFingerprints();
    if (maxPagesPerSite !== undefined) this.#budget = this.#newBudget();
    this.#changesSeen = parts.board.changes;
    this.#runs = parts.board.runs();
    this.#stock = new OwnStock(parts.owned, limit, parts.lending?.perHost === 1);
    this.#lending = new Lending({
      ...parts,
      rules: parts.lending,
      stock: this.#stock,
      maxBytes: mailbox.maxBlockBytes,
      post,
      shardOf: (number) => this.#owned.get(number)?.shard,
      takeFor: (count, borrower) =>
        this.#mode === "run" ? this.#takeOwn(count, this.#nowMs, borrower) : [],
      finish: (lease, end) => this.#finish(this.#owned.get(lease.shard)!, lease, end),
      returned: (lease) => {
        limit.giveBack();
        this.#budget?.giveBack(lease);
      },
    });
  }

  #newBudget(): SiteBudget {
    const { settings, maxPagesPerSite = Number.POSITIVE_INFINITY } = this.#parts;
    return new OwnedSiteBudget({
      ...this.#parts,
      limitOf: (site) => settings?.budgetOf(site) ?? maxPagesPerSite,
      pagesOf: (shard) => this.#owned.get(shard)!.shard.state.sites,
      count: (shard, low, high) => this.#owned.get(shard)!.journal.site(low, high),
    });
  }

  hostChanged(hostname: string, nowMs: number): void {
    const { settings, onHostChanged } = this.#parts;
    if (settings?.hasBudgets) this.#budget ??= this.#newBudget();
    for (const { shard } of this.#all) {
      const host = shard.hostChanged(hostname);
      if (host !== undefined && !settings?.isBlocked(hostname)) onHostChanged?.(host, nowMs);
    }
  }

  setPlaces(places: number): void {
    this.#parts.shares.setPlaces(places);
  }

  open(seeds: readonly CrawlUrl[]): void {
    const unsent = this.#all.flatMap(({ shard }) =>
      shard.state.unconfirmed().map((block) => [shard.number, block] as const),
    );
    // All is counted before the first block arrives: what it brings counts on its own.
    for (const { shard } of this.#all) this.#share += shard.state.waiting;
    this.#share += unsent.length;
    for (const [from, block] of unsent) this.#post(blockMessage(from, block));
    for (const url of seeds) {
      const owned = this.#owned.get(this.#numbers.of(url).shard);
      if (owned !== undefined) this.#share += owned.admitAll([{ url, ...SEED }]);
    }
    this.#isCounted = true;
  }

  facts(): readonly Fact[] {
    return this.#all.flatMap(({ shard }) => shard.state.facts);
  }

  admit(found: readonly Discovery[], onDurable: (fresh: number) => void): void {
    const { port } = this.#parts;
    let fresh = 0;
    for (const one of found) {
      const owned = this.#owned.get(this.#numbers.of(one.url).shard);
      const added = owned?.admitAll([one]) ?? 0;
      this.#count(added);
      fresh += added;
    }
    for (const owned of this.#all) this.#write(owned, false);
    // Behind all these batches.
    port.mark(() => onDurable(fresh));
    port.hurry();
  }

  /**
   * What was borrowed first, then URLs of the own shards in turn. When another thread has plenty of pages that are worth
   * more than all of its own, this one asks for those first, as far as that thread lends any.
   */
  take(limit: number, nowMs: number): Lease[] {
    const { order, mailbox } = this.#parts;
    const hasArrived = this.#receive(nowMs);
    this.#lending.lendFirst();
    this.#parts.limit.isWanted = false;
    this.#heldUntilMs = 0;
    this.#idlePlaces = 0;
    // A commit that has arrived may make room, which nobody has looked for.
    this.#hasUnseen = hasArrived && limit <= 0;
    if (limit <= 0) return [];
    const better = order?.compare() ?? -1;
    // Borrowed ones first: they hold page permits that own ones may be waiting for.
    let taken = this.#lending.takeBorrowed(limit);
    if (taken.length === 0 && better >= 0) {
      this.#heldUntilMs = this.#lending.askFirst(better, Math.max(limit, MIN_ASKED), nowMs);
      mailbox.flush();
    }
    if (taken.length === 0 && this.#heldUntilMs === 0) taken = this.#takeOwn(limit, nowMs);
    this.#inFlight += taken.length;
    if (taken.length === 0) this.#idlePlaces = limit;
    return taken;
  }

  requestEnded(lease: Lease, endMs: number): void {
    const owned = this.#owned.get(lease.shard);
    if (owned === undefined) this.#lending.requestEnded(lease, endMs);
    else {
      this.#stock.requestEnded(lease);
      owned.shard.requestEnded(lease, endMs);
    }
  }

  settle(lease: Lease, end: Settlement): void {
    const owned = this.#owned.get(lease.shard);
    const isDrained = this.#drained.delete(lease);
    if (!isDrained) {
      this.#inFlight--;
      owned?.shard.leave(lease);
    }
    this.#stock.settled(lease);
    if (owned === undefined) {
      this.#lending.settle(lease, end);
    } else if (end.kind === "finish") {
      this.#finish(owned, lease, end);
    } else {
      this.#budget?.giveBack(lease);
      if (end.kind === "abandon") {
        owned.shard.abandon(lease);
        this.#release(1);
      } else if (end.rests) owned.shard.rest(lease, end.untilMs);
      else owned.shard.giveBack(lease, end.untilMs);
      if (!isDrained) this.#parts.limit.giveBack();
    }
  }

  turn(nowMs: number, mode: TurnMode): number {
    this.#mode = mode;
    const hasArrived = this.#receive(nowMs) || this.#hasUnseen;
    this.#hasUnseen = false;
    if (mode === "end") this.#lending.returnReady();
    else if (this.#heldUntilMs === 0) this.#lending.share(this.#inFlight, this.#idlePlaces);
    const isLast = mode === "end";
    for (const owned of this.#all) if (isLast || !owned.isIdle) this.#write(owned, isLast);
    this.#parts.mailbox.flush();
    const { board, thread, shares } = this.#parts;
    board.setSites(thread, shares.active);
    if (hasArrived) return nowMs;
    // Without a free place there is nothing to look for.
    if (this.#idlePlaces === 0 || isLast) return Number.POSITIVE_INFINITY;
    const { limit } = this.#parts;
    if (limit.isWanted) return limit.isBack ? nowMs : Number.POSITIVE_INFINITY;
    return this.#heldUntilMs > 0 ? this.#heldUntilMs : this.#stock.nextReadyMs();
  }

  unknown(shard: number, links: readonly CrawlUrl[] | PackedLinks): SplitLinks {
    return this.#known.split(shard, links);
  }

  drain(): Lease[] {
    const all: Lease[] = [];
    for (let before = -1; before < all.length; ) {
      before = all.length;
      this.#parts.order?.refill(Number.POSITIVE_INFINITY);
      for (const { shard } of this.#all) for (const lease of shard.drain()) all.push(lease);
    }
    for (const lease of all) this.#drained.add(lease);
    return all;
  }

  eachHost(use: (host: Host) => void): void {
    for (const { shard } of this.#all) shard.eachHost(use);
  }

  stats(): FrontierStats {
    const { order, mailbox, limit } = this.#parts;
    let known = 0;
    let hostsWaiting = 0;
    let bytes = 0;
    const outcomes = this.#outcomes.fill(0);
    for (const { shard } of this.#all) {
      for (let i = 0; i < outcomes.length; i++) outcomes[i]! += shard.state.outcomes[i]!;
      bytes += shard.state.counters[BYTES_COUNTER]!;
      known += shard.state.known;
      hostsWaiting += shard.hostsWaiting;
    }
    return {
      known,
      queued: this.#stock.queued,
      hostsWaiting,
      nextUrls: order?.depth ?? hostsWaiting,
      share: this.#share,
      away: this.#lending.away + mailbox.unsentAboutLeases,
      guests: this.#lending.guests,
      pages: limit.pages,
      outcomes,
      bytes,
      heldPermits: limit.held,
      lacksPermits: limit.isExhausted,
      blocksSent: mailbox.blocksSent,
      exchanges: order?.exchange.exchanges ?? 0,
      exchangeVisits: order?.exchange.visits ?? 0,
      pivot: order?.exchange.pivot ?? 0,
    };
  }

  close(): void {
    this.#parts.onClose?.();
  }

  /** A thread is replaced by its run `epoch`: what it has not confirmed may have died with it and goes once more. */
  sendAgainTo(thread: number, epoch: number, nowMs: number): void {
    this.#lending.forget(thread, epoch, nowMs);
    for (const owned of this.#all) {
      owned.sendAgainWhere((target) => target % this.#parts.threads === thread);
    }
  }

  /** Takes in what others left for this thread; true when there was anything. */
  #receive(nowMs: number): boolean {
    this.#nowMs = nowMs;
    this.#stock.nowMs = nowMs;
    const { board, mailbox, shares } = this.#parts;
    shares.nowMs = nowMs;
    const { changes } = board;
    // Read before the messages and obeyed after them: what a thread sent before it ended has arrived by then.
    const runs = changes === this.#changesSeen ? undefined : board.runs();
    this.#changesSeen = changes;
    const hasCommits = this.#lending.takeCommits();
    this.#hasMessages = this.#local.size > 0;
    this.#handleLocal();
    mailbox.receive(this.#onMessage);
    if (runs !== undefined) this.#noticeRuns(runs, nowMs);
    return hasCommits || this.#hasMessages || runs !== undefined;
  }

  #noticeRuns(runs: Int32Array, nowMs: number): void {
    for (const [thread, run] of runs.entries()) {
      if (run === this.#runs[thread] || thread === this.#parts.thread) continue;
      this.sendAgainTo(thread, run, nowMs);
    }
    this.#runs = runs;
  }

  /** URLs of the own shards, for this thread or for the one that borrows them. */
  #takeOwn(limit: number, nowMs: number, borrower = -1): Lease[] {
    const { order } = this.#parts;
    order?.refill(limit);
    const taken = this.#takeReady(limit, nowMs, borrower);
    if (order === undefined || taken.length > 0 || !order.rouse(nowMs)) return taken;
    order.refill(limit);
    return this.#takeReady(limit, nowMs, borrower);
  }

  #takeReady(limit: number, nowMs: number, borrower: number): Lease[] {
    const taken: Lease[] = [];
    const refused: Lease[] = [];
    const all = this.#all;
    let empty = 0;
    while (taken.length + refused.length < limit && empty < all.length) {
      const { shard } = all[this.#next]!;
      let lease: Lease | undefined;
      // Of many shards few have anything.
      if (shard.queued > 0)
        lease =
          borrower < 0
            ? shard.take(nowMs)
            : shard.takeToLend(nowMs, (site) => this.#mayLend(site, borrower));
      if (lease === undefined) empty++;
      else if (borrower >= 0 && this.#parts.mayLend?.(lease) === false) {
        refused.push(lease);
        empty = 0;
      } else if (this.#budget?.tryReserve(lease) === false) {
        if (borrower < 0) shard.leave(lease);
        shard.giveBack(lease, nowMs + BUDGET_RETRY_MS);
      } else if (this.#parts.limit.tryTake()) {
        taken.push(lease);
        if (borrower >= 0) this.#lentTo(lease.host.site!)[borrower]!++;
        empty = 0;
      } else {
        this.#budget?.giveBack(lease);
        if (borrower < 0) shard.leave(lease);
        shard.giveBack(lease, nowMs);
        break;
      }
      this.#next = (this.#next + 1) % all.length;
    }
    if (refused.length > 0) this.#keep(refused, taken.length === 0);
    return taken;
  }

  /**
   * A host whose robots.txt is not known is asked for it by its owner alone, so its leases go back to the front; they
   * have taken neither a permit, which others may be waiting for, nor a place in a budget.
   */
  #keep(refused: readonly Lease[], isAll: boolean): void {
    for (const lease of refused.toReversed())
      this.#owned.get(lease.shard)!.shard.giveBack(lease, 0);
    this.#stock.awaitsRobots = isAll;
  }

  /** A thread that has sites of its own keeps places for them. */
  #mayLend(site: Site, borrower: number): boolean {
    const { board, shares } = this.#parts;
    return (site.lent?.[borrower] ?? 0) < shares.share || !board.hasSites(borrower);
  }

  #lentTo(site: Site): Int32Array {
    site.lent ??= new Int32Array(this.#parts.threads);
    return site.lent;
  }

  #finish(owned: OwnedShard, lease: Lease, end: Finish): void {
    this.#parts.onEnded?.(lease.host.name, end.outcome);
    if (end.outcome !== OUTCOME.page) {
      this.#parts.limit.giveBack();
      this.#budget?.giveBack(lease);
    } else this.#budget?.page(lease);
    // Children are counted before their parent can be released.
    const fresh = owned.finish(lease, end.found, end, this.#numbers);
    if (fresh > 0) this.#count(fresh);
    if (this.#parts.order?.exchange.visited(!this.#isPaying) && this.#payOut()) {
      this.#isPaying = true;
      this.#payments++;
      // Blocks leave when their batches are durable, and others wait for them.
      this.#parts.port.hurry();
    }
    if (owned.journal.isFull) this.#write(owned, false);
  }

  /** What was held back for other shards leaves; false when nothing was for them. */
  #payOut(): boolean {
    let isOwing = false;
    for (const owned of this.#all) if (owned.outbox.payOut()) isOwing = true;
    return isOwing;
  }

  #write(owned: OwnedShard, last: boolean): void {
    // Their parents are not released before the batch is durable, so the blocks are counted in time.
    this.#count(owned.closeBlocks());
    const sent = owned.outbox.takeFingerprints();
    const payments = this.#payments;
    if (last || !owned.journal.isEmpty) {
      owned.journal.count(BYTES_COUNTER, this.#parts.bytes.takeUncounted());
      owned.journal.count(BODY_BYTES_COUNTER, this.#parts.bytes.takeUncountedBodies());
    }
    owned.journal.flush(this.#parts.port, last, (committed) => {
      if (payments === this.#payments) this.#isPaying = false;
      this.#parts.limit.committed(committed.pages);
      // Before the release: when nothing is left, everything that was found out is known to have been announced.
      if (committed.facts.length > 0) this.#parts.onFacts(committed.facts);
      owned.committed(committed);
      // Their owners know them, now or when they get the blocks again.
      for (let i = 0; i < sent.length; i += 2) this.#known.sent(sent[i]!, sent[i + 1]!);
      this.#release(committed.finished);
    });
  }

  /** A loop: an answer may ask for an answer. */
  #handleLocal(): void {
    this.#isHandling = true;
    for (let next = this.#local.shift(); next !== undefined; next = this.#local.shift())
      this.#handle(next);
    this.#isHandling = false;
  }

  #handle(message: ShardMessage): void {
    const { kind, to, from, epoch, number } = message;
    if (kind === "links") this.#count(this.#owned.get(to)!.accept(message));
    else if (kind === "confirm")
      this.#release(this.#owned.get(to)!.journal.confirmed(from, epoch, number));
    else if (kind === "gap") this.#owned.get(to)!.sendAgain(message);
    else this.#lending.handle(message);
  }

  #count(things: number): void {
    if (things === 0) return;
    this.#share += things;
    if (this.#isCounted) this.#parts.pending.add(things);
  }

  #release(things: number): void {
    if (things === 0) return;
    this.#share -= things;
    if (this.#isCounted && this.#parts.pending.release(things)) this.#parts.onLast();
  }
}
