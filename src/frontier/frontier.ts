import type { CrawlUrl } from "../url/crawl-url.ts";
import type { Host } from "./host.ts";
import type { Via } from "./via.ts";

export type { Via } from "./via.ts";

/** A URL somebody found, before anyone knows whether it is new. */
export interface Discovery {
  readonly url: CrawlUrl;
  /** The page it was found on first; undefined for seeds. */
  readonly parent: CrawlUrl | undefined;
  readonly depth: number;
  readonly via: Via;
  /** A seed, or what a seed redirects to: exempt from the scope, and part of what defines it. */
  readonly seed: boolean;
  /** Fingerprints of the URLs that redirected here, so that a loop is told from a duplicate. */
  readonly chain: readonly string[];
}

/** A URL that its holder may work on now; nobody else has it. */
export interface Lease extends Discovery {
  readonly host: Host;
  /** Tries that failed before this one. */
  attempt: number;
}

/** Holds the URLs that are known but not yet fetched. Implementations differ in durability and locking only. */
export interface Frontier {
  /** Takes in what was found; returns how many of the URLs it now owns were new. */
  offerMany(found: readonly Discovery[]): number;
  /** Up to `limit` URLs whose hosts may be asked at `nowMs`. */
  takeMany(limit: number, nowMs: number): Lease[];
  /** The request of this lease ended at `endMs`: its host may be asked again after its delay. */
  requestEnded(lease: Lease, endMs: number): void;
  /** Puts an unfinished lease back to the front of its host, which is not asked before `notBeforeMs`. */
  giveBack(lease: Lease, notBeforeMs: number): void;
  /** Puts a lease whose request ended aside until `untilMs`; its host goes on meanwhile. */
  rest(lease: Lease, untilMs: number): void;
  /** Ends leases whose outcome is stored; their children must have been offered before. */
  commitMany(count: number): void;
  /** When a host becomes free for the next request, if nothing else happens; Infinity when none waits. */
  nextReadyMs(): number;
  /** URLs admitted so far. */
  readonly known: number;
  /** URLs waiting to be taken. */
  readonly queued: number;
}

/** What one crawler thread needs of its frontier beside the trade itself. */
export interface ThreadFrontier extends Frontier {
  /** Begins with the thread's seeds; the supervisor has counted them. */
  admitSeeds(seeds: readonly CrawlUrl[]): void;
  /** Takes in what other threads left for this one. */
  receive(): void;
  /** Sends what is ready for others; false when something had to stay here. */
  flush(): boolean;
  /** True when another thread seems to have left something. */
  hasMail(): boolean;
  /** Takes every waiting URL, whatever its host's time. */
  drain(): Lease[];
  /** Hosts, or URLs, that only wait for their time. */
  readonly hostsWaiting: number;
  /** Blocks handed to other threads. */
  readonly blocksSent: number;
}
