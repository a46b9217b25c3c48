import type { Lease } from "./frontier.ts";

/** One host name: its waiting URLs and when it may be asked next. */
export class Host {
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
  /** Position in the heap, -1 when the host is not in it. */
  heapIndex = -1;

  constructor(name: string, hash: number, delayMs: number) {
    this.name = name;
    this.hash = hash;
    this.delayMs = delayMs;
    this.notedDelayMs = delayMs;
  }

  /** URLs that wait. */
  get queued(): number {
    return this.chained + this.returned.length;
  }
}
