import type { CrawlUrl } from "../url/crawl-url.ts";
import type { Discovery } from "./discovery.ts";
import type { Finish } from "./finish.ts";
import type { Lease } from "./host.ts";

// For importers outside this folder; inside it everything comes from the files themselves.
export type { Discovery } from "./discovery.ts";
export { type Finish, OUTCOME } from "./finish.ts";
export type { Lease } from "./host.ts";
export type { JournalPort } from "./journal-port.ts";
export type { Via } from "./via.ts";

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
