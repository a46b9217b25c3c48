import type { Pending } from "../sync/pending.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { Discovery } from "./discovery.ts";
import type { MessageRoute } from "./exchange/mailbox.ts";
import { blockMessage, isAboutLeases, type ShardMessage } from "./exchange/shard-message.ts";
import type { Finish } from "./finish.ts";
import type { ThreadFrontier } from "./frontier.ts";
import type { Lease } from "./host.ts";
import type { JournalPort } from "./journal-port.ts";
import type { Lender } from "./lending/lender.ts";
import { Lending } from "./lending/lending.ts";
import { longestQueue } from "./lending/longest-queue.ts";
import { OpicOwnedShard } from "./opic/opic-owned-shard.ts";
import type { ThreadOrder } from "./opic/thread-order.ts";
import { OwnedShard } from "./shard/owned-shard.ts";
import type { Shard } from "./shard/shard.ts";
import { ShardJournal } from "./shard/shard-journal.ts";
import { ShardNumbers } from "./shard-numbers.ts";
import { Taking } from "./taking.ts";

const SEED = { parent: undefined, depth: 0, via: "seed", seed: true, chain: [] } as const;

/** Where a thread stands among the others, and what they share. */
export interface ShardedParts {
  readonly thread: number;
  readonly threads: number;
  /** All shards of the crawl. */
  readonly shards: number;
  /** The shards of this thread, as they were on disk: shard s belongs to thread s modulo `threads`. */
  readonly owned: readonly Shard[];
  /** Number of this run. */
  readonly epoch: number;
  readonly pending: Pending;
  readonly exchange: MessageRoute;
  readonly port: JournalPort;
  /** The crawl's own delay, and the seeds of its fingerprints. */
  readonly delayMs: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly lender: Lender;
  /** Decides by cash what the hosts of all these shards have to take; undefined when each host decides for itself. */
  readonly order?: ThreadOrder | undefined;
  /** Called once, by the thread that releases the last URL of the crawl. */
  readonly onLast: () => void;
}

/**
 * The frontier as one crawler thread sees it: the shards it owns, and the way to everybody else's. Links to another
 * shard, also to one of this thread, travel as numbered blocks that leave when the batch they belong to is durable;
 * a block is counted as one pending thing by its producer until it is confirmed, its new links by their owner.
 */
export class ShardedFrontier implements ThreadFrontier {
  readonly #parts: ShardedParts;
  readonly #desks = new Map<number, OwnedShard>();
  readonly #all: OwnedShard[];
  readonly #numbers: ShardNumbers;
  /** This thread's part of the pending counter. */
  #share = 0;
  /** Until the supervisor has counted the shares, the counter is not ours to touch: what arrives at once is in the share. */
  #isCounted = false;
  #isExchangeDue = false;
  /** Payments to other shards wait for the commit that lets them go: what is owed meanwhile is added up. */
  #isPaying = false;
  #payments = 0;
  readonly #lending: Lending;
  readonly #taking: Taking;

  constructor(parts: ShardedParts) {
    this.#parts = parts;
    this.#numbers = new ShardNumbers(parts.shards);
    const { epoch, exchange, order } = parts;
    const post = (mail: ShardMessage) => this.#post(mail);
    for (const [i, shard] of parts.owned.entries()) {
      const journal = new ShardJournal(shard.number, shard.state, epoch, exchange.maxBlockBytes);
      const desk = order
        ? new OpicOwnedShard(shard, journal, post, order.orderOf(i), exchange.maxBlockBytes, order)
        : new OwnedShard(shard, journal, post);
      this.#desks.set(shard.number, desk);
    }
    this.#all = [...this.#desks.values()];
    const { thread, threads, delayMs, seedLow, seedHigh, port, lender } = parts;
    this.#lending = new Lending({
      ...{ thread, threads, epoch, delayMs, seedLow, seedHigh, port },
      maxBytes: exchange.maxBlockBytes,
      post,
      shardOf: (number) => this.#desks.get(number)?.shard,
      takeSpare: (limit, lent) => this.#taking.takeSpare(limit, lent),
      finish: (lease, found, { borrower, ...end }) => {
        lender.brought();
        const onCommitted = () => lender.committed(end.outcome, borrower);
        this.finish(lease, found, { ...end, onCommitted });
      },
      returned: () => lender.returned(),
      commitsOf: (owner) => lender.commitsOf(owner),
      busiest: () => longestQueue(lender.queued(), thread),
    });
    const shards = this.#all.map(({ shard }) => shard);
    this.#taking = new Taking({ shards, order, lending: this.#lending, lender });
  }

  /** What this thread contributes to the pending counter: URLs that are not committed, blocks not confirmed. */
  get share(): number {
    return this.#share;
  }

  start(seeds: readonly CrawlUrl[]): void {
    const unsent = this.#all.flatMap(({ shard }) =>
      shard.state.unconfirmed().map((block) => [shard.number, block] as const),
    );
    // All is counted before the first block arrives: what it brings counts on its own.
    for (const { shard } of this.#all) this.#share += shard.state.waiting;
    this.#share += unsent.length;
    for (const [from, block] of unsent) this.#post(blockMessage(from, block));
    this.#admitSeeds(seeds);
    this.#isCounted = true;
  }

  #admitSeeds(seeds: readonly CrawlUrl[]): void {
    for (const url of seeds) {
      const desk = this.#desks.get(this.#numbers.of(url).shard);
      if (desk !== undefined) this.#share += desk.admitAll([{ url, ...SEED }]);
    }
  }

  finish(lease: Lease, found: readonly Discovery[], how: Finish): void {
    const desk = this.#desks.get(lease.shard);
    if (desk === undefined) {
      this.#lending.finish(lease, found, how);
      return;
    }
    // Children are counted before their parent can be released.
    this.#count(desk.finish(lease, found, how, this.#numbers));
    if (this.#parts.order?.exchange.visited(!this.#isPaying) && this.#payOut()) {
      this.#isExchangeDue = true;
      this.#isPaying = true;
      this.#payments++;
    }
    if (desk.journal.isFull) this.#write(desk, false);
  }

  /** What was held back for other shards leaves; false when nothing was for them. */
  #payOut(): boolean {
    let isOwing = false;
    for (const desk of this.#all) if (desk.payOut()) isOwing = true;
    return isOwing;
  }

  /** True once when it is time for an exchange: blocks leave when their batches are durable. */
  wantsCommit(): boolean {
    const isDue = this.#isExchangeDue;
    this.#isExchangeDue = false;
    return isDue;
  }

  abandon(lease: Lease): void {
    const desk = this.#desks.get(lease.shard);
    if (desk === undefined) {
      this.#lending.back(lease, 0, false);
    } else {
      desk.shard.abandon(lease);
      this.#release(1);
    }
  }

  wantMore(places: number, nowMs: number): number {
    return this.#lending.ask(places, nowMs);
  }

  get away(): number {
    return this.#lending.away + this.#parts.exchange.unsentAboutLeases;
  }

  receive(nowMs: number): void {
    this.#taking.nowMs = nowMs;
    this.#lending.settle();
    this.#lending.lendMore();
    this.#parts.exchange.receive((mail) => this.#handle(mail));
  }

  takeMany(limit: number, nowMs: number): Lease[] {
    return this.#taking.takeMany(limit, nowMs);
  }

  requestEnded(lease: Lease, endMs: number): void {
    const desk = this.#desks.get(lease.shard);
    if (desk === undefined) this.#lending.requestEnded(lease, endMs);
    else desk.shard.requestEnded(lease, endMs);
  }

  giveBack(lease: Lease, notBeforeMs: number): void {
    const desk = this.#desks.get(lease.shard);
    if (desk === undefined) this.#lending.back(lease, notBeforeMs, false);
    else desk.shard.giveBack(lease, notBeforeMs);
  }

  rest(lease: Lease, untilMs: number): void {
    const desk = this.#desks.get(lease.shard);
    if (desk === undefined) this.#lending.back(lease, untilMs, true);
    else desk.shard.rest(lease, untilMs);
  }

  nextReadyMs(): number {
    return this.#taking.nextReadyMs();
  }

  /** Takes every waiting URL, whatever its host's time. */
  drain(): Lease[] {
    const all: Lease[] = [];
    for (let before = -1; before < all.length; ) {
      before = all.length;
      this.#parts.order?.refill(Number.POSITIVE_INFINITY);
      for (const { shard } of this.#all) for (const lease of shard.drain()) all.push(lease);
    }
    return all;
  }

  flush(last = false): boolean {
    if (last) this.#lending.returnReady();
    for (const desk of this.#all) this.#write(desk, last);
    return this.#parts.exchange.flush();
  }

  hasMessages(): boolean {
    return this.#parts.exchange.hasMessages() || this.#lending.settle();
  }

  get blocksSent(): number {
    return this.#parts.exchange.blocksSent;
  }

  get known(): number {
    return this.#all.reduce((sum, { shard }) => sum + shard.known, 0);
  }

  get queued(): number {
    return this.#all.reduce((sum, { shard }) => sum + shard.queued, 0);
  }

  get nextUrls(): number {
    return this.#parts.order?.depth ?? this.hostsWaiting;
  }

  get exchanges(): { readonly count: number; readonly visits: number } {
    const { exchanges: count = 0, visits = 0 } = this.#parts.order?.exchange ?? {};
    return { count, visits };
  }

  /** Hosts that have a URL to fetch and a free connection. */
  get hostsWaiting(): number {
    return this.#all.reduce((sum, { shard }) => sum + shard.hostsWaiting, 0);
  }

  #write(desk: OwnedShard, last: boolean): void {
    // Their parents are not released before the batch is durable, so the blocks are counted in time.
    this.#count(desk.closeBlocks());
    const payments = this.#payments;
    desk.journal.flush(this.#parts.port, last, (committed) => {
      if (payments === this.#payments) this.#isPaying = false;
      desk.committed(committed);
      this.#release(committed.finished);
    });
  }

  #post(mail: ShardMessage): void {
    const thread = mail.to % this.#parts.threads;
    if (thread === this.#parts.thread) this.#handle(mail);
    else this.#parts.exchange.post(thread, mail);
  }

  #handle(mail: ShardMessage): void {
    if (isAboutLeases(mail)) {
      this.#lending.handle(mail);
      return;
    }
    const desk = this.#desks.get(mail.to)!;
    if (mail.kind === "links") this.#count(desk.accept(mail));
    else if (mail.kind === "gap") desk.sendAgain(mail);
    else this.#release(desk.journal.confirmed(mail.from, mail.epoch, mail.number));
  }

  /** A shard begins anew elsewhere: what it has not confirmed may have died with its thread. */
  sendAgainTo(thread: number, epoch: number, nowMs: number): void {
    this.#lending.forget(thread, epoch, nowMs);
    for (const desk of this.#all) {
      desk.sendAgainWhere((target) => target % this.#parts.threads === thread);
    }
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
