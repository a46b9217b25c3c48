import type { CrawlUrl } from "../url/crawl-url.ts";
import type { Host } from "./host.ts";
import type { PageLocation } from "./journal/event-batch.ts";
import type { KnownFingerprints } from "./seen/known-links.ts";
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
  /** Shard that owns it; 0 where there are none. */
  readonly shard: number;
  /** Fingerprint. */
  readonly low: number;
  readonly high: number;
  /** Tries that failed before this one. */
  attempt: number;
  /** Its cash when it was taken, where URLs are ordered by that. */
  readonly cash?: number | undefined;
}

/** How visits end, as journals keep it: these numbers never change. */
export const OUTCOME = {
  page: 1,
  redirect: 2,
  failed: 3,
  refused: 4,
  sitemap: 5,
  unchanged: 6,
} as const;

/** How one visit ended. */
export interface Finish {
  readonly outcome: number;
  /** Distinct links of the page, also those that are not followed; a redirect is one link. */
  readonly links: number;
  /** Those of them that this thread knows, if they get a share: they are not among the links found. */
  readonly known?: KnownFingerprints | undefined;
  /** Number of the archive record among those this thread handed over, or where it is; undefined when there is none. */
  readonly record: number | PageLocation | undefined;
  /** Called when the end of the visit is durable, together with the links found. */
  readonly onCommitted: () => void;
}

/** How a frontier makes things durable; the other side is a builder thread. */
export interface JournalPort {
  /** Appends events to a shard's journal behind every record handed over so far, and calls back when both are synced. */
  write(shard: number, events: Uint8Array, onDurable: () => void): void;
  /** Calls back with the place of a record once it is durable, for a visit that another thread commits. */
  place(record: number, onDurable: (place: PageLocation) => void): void;
  /** Calls back when everything handed over so far is stored; for frontiers without a journal. */
  mark(onStored: () => void): void;
}

/** Holds the URLs that are known but not yet fetched. Implementations differ in durability and locking only. */
export interface Frontier {
  /** Up to `limit` URLs whose hosts may be asked at `nowMs`. */
  takeMany(limit: number, nowMs: number): Lease[];
  /** The last request of this lease's host ended at `endMs`: it may be asked again after its delay. */
  requestEnded(lease: Lease, endMs: number): void;
  /** Puts an unfinished lease back to the front of its host, which is not asked before `notBeforeMs`. */
  giveBack(lease: Lease, notBeforeMs: number): void;
  /** Puts a lease whose request ended aside until `untilMs`; its host goes on meanwhile. */
  rest(lease: Lease, untilMs: number): void;
  /** The visit is over: its end and what it found are committed together, by the next `flush`. */
  finish(lease: Lease, found: readonly Discovery[], how: Finish): void;
  /** This run waits no longer for the URL, but it is not done: a later run may fetch it. */
  abandon(lease: Lease): void;
  /** When a host becomes free for the next request, if nothing else happens; Infinity when none waits. */
  nextReadyMs(): number;
  /** URLs admitted so far. */
  readonly known: number;
  /** URLs waiting to be taken. */
  readonly queued: number;
}

/** What one crawler thread needs of its frontier beside the trade itself. */
export interface ThreadFrontier extends Frontier {
  /** Takes in the thread's seeds, as far as they are new. What they add to the pending counter the supervisor counts. */
  start(seeds: readonly CrawlUrl[]): void;
  /** What this thread contributes to the pending counter. */
  readonly share: number;
  /** Another thread begins its run `epoch`: what was sent to it and not confirmed goes once more. */
  sendAgainTo(thread: number, epoch: number, nowMs: number): void;
  /** Takes in what other threads left for this one. */
  receive(nowMs: number): void;
  /** Commits what was finished and sends what is ready; false when something had to stay here. `last` leaves nothing for later. */
  flush(last?: boolean): boolean;
  /** True when another thread seems to have left something. */
  hasMessages(): boolean;
  /** Takes every waiting URL, whatever its host's time. */
  drain(): Lease[];
  /** The thread has idle places and may take over work from another one. Answers when to look again, in milliseconds. */
  wantMore(places: number, nowMs: number): number;
  /** Leases that are with another thread, or another thread's that are here. */
  readonly away: number;
  /** Hosts, or URLs, that only wait for their time. */
  readonly hostsWaiting: number;
  /** Blocks handed to other threads. */
  readonly blocksSent: number;
  /** Q: URLs that are next as soon as there is a place and their host's time has come. */
  readonly nextUrls: number;
  /** Exchanges of credits with other shards so far, and the visits between them. */
  readonly exchanges: { readonly count: number; readonly visits: number };
  /** True once when what is to be committed should leave soon, because others wait for it. */
  wantsCommit(): boolean;
}
