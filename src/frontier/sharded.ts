import type { Pending } from "../sync/pending.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../url/site.ts";
import { hostnameOf } from "../url/url-parts.ts";
import type { Exchange } from "./exchange.ts";
import { fingerprint, print } from "./fingerprint.ts";
import type { Discovery, Lease, ThreadFrontier } from "./frontier.ts";
import { Shard, type ShardRules } from "./shard.ts";

/** Foreign links sent lately, so that a menu repeated on every page is not sent with every page. */
const SENT_SLOTS = 1 << 14;
const MAX_CACHED_HOSTS = 1 << 16;

/** Where a thread stands among the others, and what they share. */
export interface ShardedParts {
  readonly thread: number;
  readonly threads: number;
  readonly shards: number;
  readonly rules: ShardRules;
  readonly pending: Pending;
  readonly exchange: Exchange;
  /** Called once, by the thread that releases the last URL of the crawl. */
  readonly onLast: () => void;
}

/** The frontier as one crawler thread sees it: the shards it owns, and the way to everybody else's. */
export class ShardedFrontier implements ThreadFrontier {
  readonly #parts: ShardedParts;
  readonly #shards = new Map<number, Shard>();
  readonly #owned: Shard[];
  readonly #shardOfHost = new Map<string, number>();
  readonly #sent = new Uint32Array(2 * SENT_SLOTS);
  #turn = 0;

  constructor(parts: ShardedParts) {
    this.#parts = parts;
    for (let shard = parts.thread; shard < parts.shards; shard += parts.threads) {
      this.#shards.set(shard, new Shard(parts.rules));
    }
    this.#owned = [...this.#shards.values()];
  }

  offerMany(found: readonly Discovery[]): number {
    let fresh = 0;
    let foreign = 0;
    for (const discovery of found) {
      const hostname = hostnameOf(discovery.url);
      const number = this.#shardNumber(hostname);
      const shard = this.#shards.get(number);
      if (shard !== undefined) {
        if (shard.admit(discovery, hostname)) fresh++;
      } else if (this.#isNews(discovery)) {
        this.#parts.exchange.add(number % this.#parts.threads, discovery);
        foreign++;
      }
    }
    // Blocks leave only in flush(), so foreign links are still invisible here.
    if (fresh + foreign > 0) this.#parts.pending.add(fresh + foreign);
    return fresh;
  }

  /** Admits seeds of the thread's own shards; they are counted before any thread starts. */
  admitSeeds(seeds: readonly CrawlUrl[]): void {
    for (const url of seeds) {
      const hostname = hostnameOf(url);
      const seed: Discovery = {
        url,
        parent: undefined,
        depth: 0,
        via: "seed",
        seed: true,
        chain: [],
      };
      this.#shards.get(this.#shardNumber(hostname))!.admit(seed, hostname);
    }
  }

  /** Takes in the links other threads sent; returns how many were new. They were counted by their senders. */
  receive(): number {
    const found = this.#parts.exchange.receive();
    let fresh = 0;
    for (const discovery of found) {
      const hostname = hostnameOf(discovery.url);
      if (this.#shards.get(this.#shardNumber(hostname))!.admit(discovery, hostname)) fresh++;
    }
    this.#release(found.length - fresh);
    return fresh;
  }

  takeMany(limit: number, nowMs: number): Lease[] {
    const taken: Lease[] = [];
    let empty = 0;
    while (taken.length < limit && empty < this.#owned.length) {
      const lease = this.#owned[this.#turn]!.take(nowMs);
      if (lease === undefined) {
        empty++;
      } else {
        taken.push(lease);
        empty = 0;
      }
      this.#turn = (this.#turn + 1) % this.#owned.length;
    }
    return taken;
  }

  requestEnded(lease: Lease, endMs: number): void {
    this.#shardOf(lease).requestEnded(lease, endMs);
  }

  giveBack(lease: Lease, notBeforeMs: number): void {
    this.#shardOf(lease).giveBack(lease, notBeforeMs);
  }

  rest(lease: Lease, untilMs: number): void {
    this.#shardOf(lease).rest(lease, untilMs);
  }

  commitMany(count: number): void {
    this.#release(count);
  }

  nextReadyMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const shard of this.#owned) next = Math.min(next, shard.nextReadyMs());
    return next;
  }

  /** Takes every waiting URL, whatever its host's time. */
  drain(): Lease[] {
    return this.#owned.flatMap((shard) => shard.drain());
  }

  flush(): boolean {
    return this.#parts.exchange.flush();
  }

  hasMail(): boolean {
    return this.#parts.exchange.hasMail();
  }

  get blocksSent(): number {
    return this.#parts.exchange.blocksSent;
  }

  get known(): number {
    return this.#owned.reduce((sum, shard) => sum + shard.known, 0);
  }

  get queued(): number {
    return this.#owned.reduce((sum, shard) => sum + shard.queued, 0);
  }

  /** Hosts that have a URL to fetch and a free connection. */
  get hostsWaiting(): number {
    return this.#owned.reduce((sum, shard) => sum + shard.hostsWaiting, 0);
  }

  #shardOf(lease: Lease): Shard {
    return this.#shards.get(this.#shardNumber(lease.host.name))!;
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

  /** Redirects always travel, because their owner must learn of the chain; links only if not sent lately. */
  #isNews(found: Discovery): boolean {
    if (found.via !== "link") return true;
    fingerprint(found.url, this.#parts.rules.seedLow, this.#parts.rules.seedHigh);
    const slot = 2 * (print.high & (SENT_SLOTS - 1));
    if (this.#sent[slot] === print.low && this.#sent[slot + 1] === print.high) return false;
    this.#sent[slot] = print.low;
    this.#sent[slot + 1] = print.high;
    return true;
  }

  #release(count: number): void {
    if (count > 0 && this.#parts.pending.release(count)) this.#parts.onLast();
  }
}
