import type { Host, Site } from "../host.ts";
import type { SiteShares } from "../site-shares.ts";
import { HostHeap } from "./host-heap.ts";

/**
 * The hosts of a shard with a URL to take and a free connection, by the time at which they may be asked. Those whose
 * time comes while their site holds all the places it may are parked, in a heap of their site: so nobody looks at
 * them again and again, and with each place that gets free one of them comes back.
 */
export class ReadyHosts {
  readonly #shares: SiteShares;
  readonly #heap = new HostHeap();
  /** Only sites that have parked hosts; they are few, because each had filled its share of the places. */
  readonly #parked = new Map<Site, HostHeap>();
  /** Hosts whose site holds all the places of this thread that it may. */
  parked = 0;

  constructor(shares: SiteShares) {
    this.#shares = shares;
  }

  /** Hosts that wait for nothing but their time. */
  get size(): number {
    return this.#heap.size;
  }

  /** Adds the host, or moves it to where its time now belongs. */
  place(host: Host): void {
    (host.isParked ? this.#parked.get(host.site!)! : this.#heap).place(host);
  }

  /** Takes the host out, if it is in. */
  remove(host: Host): void {
    if (host.isParked) this.#unpark(host);
    else this.#heap.remove(host);
  }

  /** The host that may be asked first, if that is now and its site may hold another place. */
  first(nowMs: number): Host | undefined {
    let host = this.#heap.peek();
    while (host !== undefined && host.nextMs <= nowMs) {
      if (!this.#shares.isFull(host.site!)) return host;
      this.#park(host);
      host = this.#heap.peek();
    }
    const parked = this.#firstParked();
    return isDue(parked, nowMs) && !this.#shares.isFull(parked.site!) ? parked : undefined;
  }

  /** A host that another thread may ask now: places of this one do not matter to it, so parked hosts are just right. */
  firstToLend(nowMs: number, mayLend: (site: Site) => boolean): Host | undefined {
    const parked = this.#firstParked();
    if (isDue(parked, nowMs) && mayLend(parked.site!)) return parked;
    const host = this.#heap.peek();
    return isDue(host, nowMs) && mayLend(host.site!) ? host : undefined;
  }

  /** Any host, whatever its time. */
  any(): Host | undefined {
    return this.#heap.peek() ?? this.#firstParked();
  }

  /** The site may hold another place: the parked host whose time comes first is back, so the others miss nothing. */
  comeBack(site: Site): void {
    const host = this.#parked.size === 0 ? undefined : this.#parked.get(site)?.peek();
    if (host === undefined) return;
    this.#unpark(host);
    this.#heap.place(host);
  }

  /** When `first` may have a host, if no place gets free before. */
  nextMs(): number {
    const hostMs = this.#heap.peek()?.nextMs ?? Number.POSITIVE_INFINITY;
    const parked = this.#firstParked();
    if (parked === undefined) return hostMs;
    return Math.min(hostMs, Math.max(parked.nextMs, this.#shares.aloneFromMs));
  }

  /** When `firstToLend` may have a host. */
  nextToLendMs(): number {
    const hostMs = this.#heap.peek()?.nextMs ?? Number.POSITIVE_INFINITY;
    return Math.min(hostMs, this.#firstParked()?.nextMs ?? Number.POSITIVE_INFINITY);
  }

  #park(host: Host): void {
    let heap = this.#parked.get(host.site!);
    if (heap === undefined) {
      heap = new HostHeap();
      this.#parked.set(host.site!, heap);
    }
    this.#heap.remove(host);
    heap.place(host);
    host.isParked = true;
    this.parked++;
  }

  #unpark(host: Host): void {
    const heap = this.#parked.get(host.site!)!;
    heap.remove(host);
    if (heap.size === 0) this.#parked.delete(host.site!);
    host.isParked = false;
    this.parked--;
  }

  #firstParked(): Host | undefined {
    if (this.#parked.size === 0) return undefined;
    for (const heap of this.#parked.values()) return heap.peek();
  }
}

function isDue(host: Host | undefined, nowMs: number): host is Host {
  return host !== undefined && host.nextMs <= nowMs;
}
