import type { DedupPolicy } from "../url/dedup-key.ts";
import { admissionKey } from "./admission-key.ts";
import { fingerprint, print } from "./fingerprint.ts";
import type { Discovery, Lease } from "./frontier.ts";
import { Host } from "./host.ts";
import { HostHeap } from "./host-heap.ts";
import { RestingLeases } from "./resting.ts";
import { SeenSet } from "./seen.ts";

/** What a shard needs to know of the crawl's settings. */
export interface ShardRules extends Partial<DedupPolicy> {
  readonly delayMs: number;
  readonly perHost: number;
  readonly order: "bfs" | "dfs";
  /** Random per crawl, the same in every thread. */
  readonly seedLow: number;
  readonly seedHigh: number;
}

/** The sites of one shard: seen-set, hosts and their queues. One thread owns it, so there is no lock. */
export class Shard {
  readonly #rules: ShardRules;
  readonly #seen: SeenSet;
  readonly #hosts = new Map<string, Host>();
  readonly #ready = new HostHeap();
  readonly #resting = new RestingLeases();
  #queued = 0;

  constructor(rules: ShardRules) {
    this.#rules = rules;
    this.#seen = new SeenSet(rules.seedLow, rules.seedHigh);
  }

  get known(): number {
    return this.#seen.size;
  }

  get queued(): number {
    return this.#queued;
  }

  /** Hosts that have a URL to fetch and a free connection. */
  get hostsWaiting(): number {
    return this.#ready.size;
  }

  /** Admits a URL of this shard; false when it was met before. */
  admit(found: Discovery, hostname: string): boolean {
    if (!this.#seen.add(admissionKey(found, this.#rules))) return false;
    const host = this.#host(hostname);
    const { url, parent, depth, via, seed, chain } = found;
    const lease: Lease = { url, parent, depth, via, seed, chain, host, attempt: 0 };
    if (this.#rules.order === "bfs") host.queue.pushBack(lease);
    else host.queue.pushFront(lease);
    this.#queued++;
    this.#settle(host);
    return true;
  }

  /** The next URL whose host may be asked at `nowMs`. */
  take(nowMs: number): Lease | undefined {
    for (let lease = this.#resting.takeDue(nowMs); lease; lease = this.#resting.takeDue(nowMs)) {
      lease.host.queue.pushFront(lease);
      this.#settle(lease.host);
    }
    const host = this.#ready.peek();
    if (host === undefined || host.nextMs > nowMs) return undefined;
    const lease = host.queue.shift()!;
    this.#queued--;
    host.inFlight++;
    // Above one connection the delay spaces the starts.
    if (this.#rules.perHost > 1) host.nextMs = nowMs + host.delayMs;
    this.#settle(host);
    return lease;
  }

  /** The lease's request is over; with one connection the delay runs from here. */
  requestEnded(lease: Lease, endMs: number): void {
    const host = lease.host;
    host.inFlight--;
    if (this.#rules.perHost === 1) host.nextMs = Math.max(host.nextMs, endMs + host.delayMs);
    this.#settle(host);
  }

  /** Puts a lease back to the front. */
  giveBack(lease: Lease, notBeforeMs: number): void {
    const host = lease.host;
    host.inFlight--;
    host.nextMs = Math.max(host.nextMs, notBeforeMs);
    host.queue.pushFront(lease);
    this.#queued++;
    this.#settle(host);
  }

  /** Puts a lease aside until a moment of its own, while its host goes on. */
  rest(lease: Lease, untilMs: number): void {
    this.#resting.add(lease, untilMs);
    this.#queued++;
  }

  /** When something of this shard may be taken. */
  nextReadyMs(): number {
    const hostMs = this.#ready.peek()?.nextMs ?? Number.POSITIVE_INFINITY;
    return Math.min(hostMs, this.#resting.nextMs());
  }

  /** Takes everything that waits, whatever its time: for a crawl that gives up waiting. */
  drain(): Lease[] {
    const all: Lease[] = this.#resting.takeAll();
    for (const lease of all) lease.host.inFlight++;
    for (let host = this.#ready.peek(); host !== undefined; host = this.#ready.peek()) {
      for (let lease = host.queue.shift(); lease; lease = host.queue.shift()) {
        host.inFlight++;
        all.push(lease);
      }
      this.#settle(host);
    }
    this.#queued -= all.length;
    return all;
  }

  #host(name: string): Host {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      fingerprint(name, this.#rules.seedLow, this.#rules.seedHigh);
      host = new Host(name, print.low, this.#rules.delayMs);
      this.#hosts.set(name, host);
    }
    return host;
  }

  /** Restores: in the heap if and only if there is a queued URL and a free connection. */
  #settle(host: Host): void {
    if (host.queue.size > 0 && host.inFlight < this.#rules.perHost) this.#ready.place(host);
    else this.#ready.remove(host);
  }
}
