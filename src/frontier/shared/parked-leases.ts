import { Deque } from "../../runtime/deque.ts";
import type { Lease, Site } from "../host.ts";
import type { SiteShares } from "../site-shares.ts";

/** Leases of sites that hold all the places they may, in the order in which they came, site by site. */
export class ParkedLeases {
  readonly #shares: SiteShares;
  readonly #sites = new Map<Site, Deque<Lease>>();
  /** Their site may hold another place. */
  readonly #free = new Deque<Lease>();
  #size = 0;

  constructor(shares: SiteShares) {
    this.#shares = shares;
  }

  get size(): number {
    return this.#size;
  }

  /** Parks a lease of a site that is full. */
  add(lease: Lease): void {
    const site = lease.host.site!;
    let leases = this.#sites.get(site);
    if (leases === undefined) {
      leases = new Deque();
      this.#sites.set(site, leases);
    }
    leases.pushBack(lease);
    this.#size++;
    this.#shares.waits(site);
  }

  /** A place of the site is free, so one of its leases may be taken. */
  comeBack(site: Site): void {
    if (this.#sites.has(site)) this.#free.pushBack(this.#shift(site));
  }

  /** A lease whose site may hold a place now. */
  take(): Lease | undefined {
    for (let lease = this.#free.shift(); lease !== undefined; lease = this.#free.shift()) {
      this.#forget(lease);
      if (!this.#shares.isFull(lease.host.site!)) return lease;
      this.add(lease);
    }
    for (const site of this.#sites.keys()) {
      // One site is alone and may use all places, or no place of the first one is free.
      if (this.#shares.isFull(site)) return undefined;
      const lease = this.#shift(site);
      this.#forget(lease);
      return lease;
    }
  }

  /** From when on `take` has something, if no place gets free before. */
  nextMs(): number {
    if (this.#free.size > 0) return Number.NEGATIVE_INFINITY;
    return this.#sites.size > 0 ? this.#shares.aloneFromMs : Number.POSITIVE_INFINITY;
  }

  /** Takes all of them, full or not. */
  takeAll(): Lease[] {
    const all: Lease[] = [];
    for (let lease = this.#free.shift(); lease !== undefined; lease = this.#free.shift())
      all.push(lease);
    for (const site of [...this.#sites.keys()])
      while (this.#sites.has(site)) all.push(this.#shift(site));
    for (const lease of all) this.#forget(lease);
    return all;
  }

  #shift(site: Site): Lease {
    const leases = this.#sites.get(site)!;
    const lease = leases.shift()!;
    if (leases.size === 0) this.#sites.delete(site);
    return lease;
  }

  #forget(lease: Lease): void {
    this.#size--;
    this.#shares.waitsNoMore(lease.host.site!);
  }
}
