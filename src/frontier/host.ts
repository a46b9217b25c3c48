import type { CrawlUrl } from "../url/crawl-url.ts";
import { originOf, serverOf } from "../url/url-parts.ts";
import type { Discovery } from "./discovery.ts";

/** A host has URLs at few ports; more than this share its back-off. */
const MAX_ORIGINS = 64;

/** What back-off knows of a server: how often in a row it was not there, and until when it is left alone. */
export interface Reach {
  failures: number;
  heldMs: number;
}

/** What a lease has of its site's `--max-pages-per-site`: a place, or none because all have become pages. */
export type BudgetShare = "held" | "spent";
/** A registrable domain, shared by its hosts, with what counts against its share of a thread's places. */
export class Site {
  readonly name: string;
  /** Hosts in memory. */
  hosts = 0;
  /** What waits to be fetched, in hosts or in URLs, whichever its frontier counts. */
  waiting = 0;
  /** Places of the thread that its visits hold. */
  held = 0;
  /** It has something to fetch, or holds a place. */
  isActive = false;
  /** By thread: places that leases of this site hold there, when it was lent any. */
  lent: Int32Array | undefined;

  constructor(name: string) {
    this.name = name;
  }
}

/** A URL that its holder may work on now; nobody else has it. */
export interface Lease extends Discovery {
  readonly host: Host;
  /** Shard that owns it; 0 where there are none. */
  readonly shard: number;
  /** Fingerprint. */
  readonly low: number;
  readonly high: number;
  /** Tries that failed before this one. */
  attempt: number;
  /** Lent by a thread that knows what robots.txt says, which allows it: nobody else has to ask. */
  readonly isCleared?: boolean;
  /** Its cash when it was taken, where URLs are ordered by that. */
  readonly cash?: number | undefined;
  /** Its share of its site's `--max-pages-per-site`, where there is one and it is leased. */
  budget?: BudgetShare | undefined;
}

/** A URL that was taken out of its queue; the fields one by one, because a spread costs more. */
export function leaseOf(
  found: Discovery & Pick<Lease, "low" | "high" | "cash">,
  host: Host,
  shard: number,
): Lease {
  const { url, parent, depth, via, seed, chain, low, high, cash } = found;
  // biome-ignore format: one line each would be all that this file shows.
  const lease: Lease = { url, parent, depth, via, seed, chain, low, high, host, shard, attempt: 0, cash };
  return found.note === undefined ? lease : { ...lease, note: found.note };
}

/** One host name: its waiting URLs and when it may be asked next. */
export class Host implements Reach {
  readonly name: string;
  /** Key in the gate table. */
  readonly hash: number;
  /** First and last record of its chain in the queue log; 0 when there is none. */
  first = 0;
  last = 0;
  /** URLs that wait in the queue. */
  chained = 0;
  /** Its number in a queue that orders by cash; 0 when it has none. */
  number = 0;
  /** Leases that came back; they go first, the latest before the others. */
  readonly returned: Lease[] = [];
  /** Requests running now. */
  inFlight = 0;
  /** So many may run at a time, and whether a delay was set for it, as its shard keeps them. */
  connections = 1;
  hasSetDelay = false;
  /** Own delay, or the site's Crawl-delay when that is longer. */
  delayMs: number;
  /** It asked to be left alone until this moment of the monotonic clock, or seems ill. */
  heldMs = 0;
  /** How often in a row it could not be reached by all tries of a URL: each time it is left alone for longer. */
  failures = 0;
  /** Its own delay and the moment above, as the journal knows them. */
  notedDelayMs: number;
  notedHeldMs = 0;
  /** Not asked before this moment of the monotonic clock. */
  nextMs = 0;
  /** When its last request ended; nothing that was not a request costs it a delay. */
  endedMs = Number.NEGATIVE_INFINITY;
  /** Above one connection: the lease that was taken last, and `nextMs` before it was. */
  spacedFor: Lease | undefined;
  beforeMs = 0;
  /** A start reserved at the address gate, or 0: the next request needs no second reservation. */
  reservedMs = 0;
  /** The delay that the site itself asks for, as the gates knew it last; 0 when it asks for none. */
  askedMs = 0;
  /** A request of this thread holds the host's gate. */
  holdsGate = false;
  /** No shard of this thread queues for it, so nothing but the gates keeps its requests apart. */
  isStranger = false;
  /** Until when this thread may ask it, where that is only lent; it changes as the loan is renewed. */
  term: { readonly untilMs: number } | undefined;
  /** Position in the heap, -1 when the host is not in it. */
  heapIndex = -1;
  /** Where places are counted; undefined where nobody does. */
  site: Site | undefined;
  /** It counts as waiting with its site: there is a URL that waits or a request that runs. */
  isBusy = false;
  /** Its heap is that of its site, which holds all the places it may. */
  isParked = false;
  /** Scheme, name and port of its URLs, as far as there is one of each; the slash keeps longer names apart. */
  #origin = "";
  /** Its URLs are at several ports: one that is dead must not hold up the others. */
  hasSeveralOrigins = false;
  #origins: Map<string, Reach> | undefined;

  constructor(name: string, hash: number, delayMs: number) {
    this.name = name;
    this.hash = hash;
    this.delayMs = delayMs;
    this.notedDelayMs = delayMs;
  }

  /** Notes the scheme and port of a URL of this host. */
  noteOrigin(url: CrawlUrl): void {
    if (this.hasSeveralOrigins || url.startsWith(this.#origin)) {
      if (this.#origin === "") this.#origin = `${originOf(url)}/`;
    } else this.hasSeveralOrigins = true;
  }

  /** What back-off counts for this URL: the host, or its port where there are several. */
  reachOf(url: CrawlUrl): Reach {
    if (!this.hasSeveralOrigins) return this;
    this.#origins ??= new Map();
    const origin = serverOf(url);
    let reach = this.#origins.get(origin);
    if (reach === undefined) {
      if (this.#origins.size >= MAX_ORIGINS) return this;
      reach = { failures: 0, heldMs: 0 };
      this.#origins.set(origin, reach);
    }
    return reach;
  }

  /** Scheme, name and port of its URLs, or of the first of them where there are several. */
  get origin(): string {
    return this.#origin.slice(0, -1);
  }

  /** URLs that wait. */
  get queued(): number {
    return this.chained + this.returned.length;
  }
}
