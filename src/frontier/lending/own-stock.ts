import type { Lease } from "../host.ts";
import type { PageLimit } from "../page-limit.ts";
import type { Shard } from "../shard/shard.ts";
import type { Stock } from "./askers.ts";

/** What the shards of a thread have to fetch, added up when somebody asks. */
export class OwnStock implements Stock {
  readonly #shards: readonly Shard[];
  readonly #limit: PageLimit;
  readonly #oneEach: boolean;
  /** Own visits whose requests have ended: their places are free in a moment, and their hosts are not for others. */
  readonly #ending = new Set<Lease>();
  nowMs = 0;
  awaitsRobots = false;

  /** `oneEach`: a host has one connection. */
  constructor(shards: readonly Shard[], limit: PageLimit, oneEach: boolean) {
    this.#shards = shards;
    this.#limit = limit;
    this.#oneEach = oneEach;
  }

  get queued(): number {
    let queued = 0;
    for (const shard of this.#shards) queued += shard.queued;
    return queued;
  }

  get hostsWaiting(): number {
    let hosts = 0;
    for (const shard of this.#shards) hosts += shard.hostsWaiting + shard.hostsParked;
    return Math.max(0, hosts - this.#ending.size);
  }

  get hostsParked(): number {
    let hosts = 0;
    for (const shard of this.#shards) hosts += shard.hostsParked;
    return hosts;
  }

  get isReady(): boolean {
    if (this.awaitsRobots || this.#limit.isWanted) return false;
    return this.#shards.some((shard) => shard.nextToLendMs() <= this.nowMs);
  }

  /** When this thread may take something: not what waits for a place of its site. */
  nextReadyMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const shard of this.#shards) next = Math.min(next, shard.nextReadyMs());
    return next;
  }

  /** The request of an own lease is over. */
  requestEnded(lease: Lease): void {
    if (this.#oneEach) this.#ending.add(lease);
  }

  /** A lease is settled: its visit may have brought rules of robots.txt. */
  settled(lease: Lease): void {
    this.awaitsRobots = false;
    if (this.#oneEach) this.#ending.delete(lease);
  }
}
