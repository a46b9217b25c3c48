import type { Pending } from "../sync/pending.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../url/site.ts";
import { hostnameOf } from "../url/url-parts.ts";
import type { Exchange } from "./exchange.ts";
import { print } from "./fingerprint.ts";
import type { Discovery, Finish, JournalPort, Lease, ThreadFrontier } from "./frontier.ts";
import { readLinkBlock } from "./link-block.ts";
import type { Shard } from "./shard.ts";
import { type Committed, ShardJournal } from "./shard-journal.ts";
import { answerMail, blockMail, type ShardMail } from "./shard-mail.ts";

const MAX_CACHED_HOSTS = 1 << 16;

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
  readonly exchange: Exchange;
  readonly port: JournalPort;
  /** Called once, by the thread that releases the last URL of the crawl. */
  readonly onLast: () => void;
}

/** A shard and what it is about to journal. */
interface Desk {
  readonly shard: Shard;
  readonly journal: ShardJournal;
  /** What is durable of the blocks received: only that is confirmed. */
  readonly durable: Map<string, number>;
  /** What is durable of the blocks sent: only that may be sent again. */
  readonly sendable: Map<string, number>;
}

/**
 * The frontier as one crawler thread sees it: the shards it owns, and the way to everybody else's. Links to another
 * shard, also to one of this thread, travel as numbered blocks that leave when the batch they belong to is durable;
 * a block is counted as one pending thing by its producer until it is confirmed, its new links by their owner.
 */
export class ShardedFrontier implements ThreadFrontier {
  readonly #parts: ShardedParts;
  readonly #desks = new Map<number, Desk>();
  readonly #all: Desk[];
  readonly #shardOfHost = new Map<string, number>();
  /** This thread's part of the pending counter. */
  #share = 0;
  #turn = 0;

  constructor(parts: ShardedParts) {
    this.#parts = parts;
    const { epoch, exchange } = parts;
    for (const shard of parts.owned) {
      const journal = new ShardJournal(shard.number, shard.state, epoch, exchange.maxBlockBytes);
      const { received, sent } = shard.state;
      const desk = { shard, journal, durable: new Map(received), sendable: new Map(sent) };
      this.#desks.set(shard.number, desk);
    }
    this.#all = [...this.#desks.values()];
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
    for (const [from, block] of unsent) this.#deliver(from, block);
    for (const url of seeds) {
      const hostname = hostnameOf(url);
      const desk = this.#desks.get(this.#shardNumber(hostname));
      if (desk === undefined) continue;
      const seed: Discovery = {
        url,
        parent: undefined,
        depth: 0,
        via: "seed",
        seed: true,
        chain: [],
      };
      if (this.#admit(desk, seed, hostname)) this.#share++;
    }
  }

  finish(lease: Lease, found: readonly Discovery[], how: Finish): void {
    const desk = this.#desks.get(lease.shard)!;
    let fresh = 0;
    for (const discovery of found) {
      const hostname = hostnameOf(discovery.url);
      const number = this.#shardNumber(hostname);
      if (number !== lease.shard) desk.journal.post(number, discovery);
      else if (this.#admit(desk, discovery, hostname)) fresh++;
    }
    // Children are counted before their parent can be released.
    this.#count(fresh);
    desk.journal.done(lease, how);
    if (desk.journal.isFull) this.#write(desk, false);
  }

  abandon(lease: Lease): void {
    this.#desks.get(lease.shard)!.shard.abandon(lease);
    this.#release(1);
  }

  receive(): void {
    this.#parts.exchange.receive((mail) => this.#handle(mail));
  }

  takeMany(limit: number, nowMs: number): Lease[] {
    const taken: Lease[] = [];
    let empty = 0;
    while (taken.length < limit && empty < this.#all.length) {
      const lease = this.#all[this.#turn]!.shard.take(nowMs);
      if (lease === undefined) {
        empty++;
      } else {
        taken.push(lease);
        empty = 0;
      }
      this.#turn = (this.#turn + 1) % this.#all.length;
    }
    return taken;
  }

  requestEnded(lease: Lease, endMs: number): void {
    this.#desks.get(lease.shard)!.shard.requestEnded(lease, endMs);
  }

  giveBack(lease: Lease, notBeforeMs: number): void {
    this.#desks.get(lease.shard)!.shard.giveBack(lease, notBeforeMs);
  }

  rest(lease: Lease, untilMs: number): void {
    this.#desks.get(lease.shard)!.shard.rest(lease, untilMs);
  }

  nextReadyMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { shard } of this.#all) next = Math.min(next, shard.nextReadyMs());
    return next;
  }

  /** Takes every waiting URL, whatever its host's time. */
  drain(): Lease[] {
    return this.#all.flatMap(({ shard }) => shard.drain());
  }

  flush(last = false): boolean {
    for (const desk of this.#all) this.#write(desk, last);
    return this.#parts.exchange.flush();
  }

  hasMail(): boolean {
    return this.#parts.exchange.hasMail();
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

  /** Hosts that have a URL to fetch and a free connection. */
  get hostsWaiting(): number {
    return this.#all.reduce((sum, { shard }) => sum + shard.hostsWaiting, 0);
  }

  #admit({ shard, journal }: Desk, found: Discovery, hostname: string): boolean {
    if (!shard.admit(found, hostname)) return false;
    journal.admit(found, print.low, print.high);
    return true;
  }

  #write(desk: Desk, last: boolean): void {
    // Their parents are not released before the batch is durable, so the blocks are counted in time.
    this.#count(desk.journal.closeBlocks());
    desk.journal.flush(this.#parts.port, last, (committed) => this.#committed(desk, committed));
  }

  #committed(desk: Desk, { blocks, finished, received }: Committed): void {
    const { shard, durable, sendable } = desk;
    for (const block of blocks) {
      sendable.set(`${block.target} ${block.epoch}`, block.number);
      this.#deliver(shard.number, block);
    }
    for (const [producer, epoch, number] of received) {
      durable.set(`${producer} ${epoch}`, number);
      this.#post(answerMail("confirm", shard.number, producer, epoch, number));
    }
    this.#release(finished);
  }

  #deliver(from: number, block: Parameters<typeof blockMail>[1]): void {
    this.#post(blockMail(from, block));
  }

  #post(mail: ShardMail): void {
    const thread = mail.to % this.#parts.threads;
    if (thread === this.#parts.thread) this.#handle(mail);
    else this.#parts.exchange.post(thread, mail);
  }

  #handle(mail: ShardMail): void {
    const desk = this.#desks.get(mail.to)!;
    if (mail.kind === "links") this.#accept(desk, mail);
    else if (mail.kind === "gap") this.#sendAgain(desk, mail);
    else this.#release(desk.journal.confirmed(mail.from, mail.epoch, mail.number));
  }

  /** Only the next block is journalled. A duplicate is confirmed if it is durable, a gap is answered. */
  #accept(desk: Desk, { from, epoch, number, bytes }: ShardMail): void {
    const { shard, journal, durable } = desk;
    const arrival = shard.state.arrival(from, epoch, number);
    if (arrival.kind === "gap") {
      this.#post(answerMail("gap", shard.number, from, epoch, arrival.reached));
    } else if (arrival.kind === "duplicate") {
      const reached = durable.get(`${from} ${epoch}`) ?? 0;
      if (reached > 0) this.#post(answerMail("confirm", shard.number, from, epoch, reached));
    } else {
      const links = readLinkBlock(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        bytes.length,
      );
      let fresh = 0;
      for (const found of links) if (this.#admit(desk, found, hostnameOf(found.url))) fresh++;
      this.#count(fresh);
      journal.received(from, epoch, number);
    }
  }

  /** The receiver is at `number`: every durable block behind it goes once more. */
  #sendAgain({ shard, sendable }: Desk, { from: target, epoch, number }: ShardMail): void {
    const last = sendable.get(`${target} ${epoch}`) ?? 0;
    for (const block of shard.state.unconfirmed()) {
      const isTarget = block.target === target && block.epoch === epoch;
      if (isTarget && block.number > number && block.number <= last) {
        this.#deliver(shard.number, block);
      }
    }
  }

  /** A shard begins anew elsewhere: what it has not confirmed may have died with its thread. */
  sendAgainTo(thread: number): void {
    for (const { shard, sendable } of this.#all) {
      for (const block of shard.state.unconfirmed()) {
        const { target, epoch, number } = block;
        const isSent = number <= (sendable.get(`${target} ${epoch}`) ?? 0);
        if (isSent && target % this.#parts.threads === thread) this.#deliver(shard.number, block);
      }
    }
  }

  #shardNumber(hostname: string): number {
    let number = this.#shardOfHost.get(hostname);
    if (number === undefined) {
      number = shardOf(siteHash(siteOf(hostname)), this.#parts.shards);
      if (this.#shardOfHost.size >= MAX_CACHED_HOSTS) this.#shardOfHost.clear();
      this.#shardOfHost.set(hostname, number);
    }
    return number;
  }

  #count(things: number): void {
    if (things === 0) return;
    this.#share += things;
    this.#parts.pending.add(things);
  }

  #release(things: number): void {
    if (things === 0) return;
    this.#share -= things;
    if (this.#parts.pending.release(things)) this.#parts.onLast();
  }
}
