import type { PackedLinks } from "../page-engine/packed-links.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { AddressFloors } from "./address-floors.ts";
import type { Discovery } from "./discovery.ts";
import type { Fact } from "./fact.ts";
import type { Settlement } from "./finish.ts";
import type { Host, Lease } from "./host.ts";
import type { HostMemory } from "./host-memory.ts";
import type { SplitLinks } from "./seen/known-links.ts";

// For importers outside this folder; inside it everything comes from the files themselves.
export type { Discovery } from "./discovery.ts";
export { FACT, type Fact } from "./fact.ts";
export { type Finish, OUTCOME, type Retry, type Settlement } from "./finish.ts";
export type { Lease } from "./host.ts";
export type { JournalPort } from "./journal-port.ts";
export type { Via } from "./via.ts";

/** Whether the crawl goes on, or this thread hands over everything it has before it ends. */
export type TurnMode = "run" | "end";

/** What one thread's frontier holds at this moment. */
export interface FrontierStats {
  /** URLs admitted so far. */
  readonly known: number;
  /** URLs waiting to be taken. */
  readonly queued: number;
  /** Hosts, or URLs, that only wait for their time. */
  readonly hostsWaiting: number;
  /** URLs that are next as soon as there is a place and their host's time has come. */
  readonly nextUrls: number;
  /** What this thread contributes to the counter of pending URLs. */
  readonly share: number;
  /** Leases that are with another thread, or another thread's that are here: a thread with any must not end. */
  readonly away: number;
  /** Visits made by other threads that wait for a commit of this one. */
  readonly guests: number;
  /** Pages committed, in this run and before. */
  readonly pages: number;
  /** How many URLs ended with each `OUTCOME`, in this run and before; valid until the next call. */
  readonly outcomes: ArrayLike<number>;
  /** Bytes received, in this run and before, as far as the journals of this thread count them. */
  readonly bytes: number;
  /** Page permits of leases that are neither settled nor committed. */
  readonly heldPermits: number;
  /** No permit is left: what ends the crawl, or lets it go on, are commits. */
  readonly lacksPermits: boolean;
  /** Blocks of links handed to other threads. */
  readonly blocksSent: number;
  /** Exchanges of credits with other shards so far, and the visits between them. */
  readonly exchanges: number;
  readonly exchangeVisits: number;
  /** The cash that pages are taken with, on average of the last ones; 0 where pages have none. */
  readonly pivot: number;
}

/**
 * The URLs that are known and not yet visited, as one crawler thread sees them. Implementations differ in who owns a
 * URL and in what survives a crash; a crawler cannot tell them apart. Everything but `requestEnded` and `unknown`
 * happens in the thread's round, so that the supervisor finds every thread between two rounds.
 */
export interface Frontier {
  /** Admits this thread's seeds, beside what earlier runs left; afterwards `stats().share` says what there is to do. */
  open(seeds: readonly CrawlUrl[]): void;
  /** Facts that earlier runs committed to what this thread owns; to be asked before anything runs. */
  facts(): readonly Fact[];
  /** Admits URLs of this thread that come from the supervisor, and calls back when they are durable with how many are new. */
  admit(found: readonly Discovery[], onDurable: (fresh: number) => void): void;
  /** At most `limit` URLs whose hosts may be asked now, each with its `--max-pages` permit. Never waits: an answer that takes long must have been fetched ahead. */
  take(limit: number, nowMs: number): Lease[];
  /** The host's delay runs from the end of its request, which is long before the visit is settled. */
  requestEnded(lease: Lease, endMs: number): void;
  /** Ends a lease, and spends or returns its permit: a visit that is over, one to be tried again, or one given up for this run. */
  settle(lease: Lease, end: Settlement): void;
  /** Receives, commits and sends. Answers when it is worth looking again: now if something arrived, Infinity if only a ring can tell. */
  turn(nowMs: number, mode: TurnMode): number;
  /** The links of a page of `shard` that may be new, so that nothing is done for the others; absent where nobody can say cheaply. */
  unknown?(shard: number, links: readonly CrawlUrl[] | PackedLinks): SplitLinks;
  /** Every waiting URL, whatever its host's time, without permits: for a crawl that waits no longer and abandons them. */
  drain(): Lease[];
  /**
   * Calls back for every URL that this thread still holds, and for those that nobody holds, when it has ended: only where
   * no journal knows them.
   */
  left?(use: (found: Discovery) => void): void;
  /** True while what was drained is not all: the rest comes from elsewhere, and `drain` has to be called again. */
  drains?(): boolean;
  /** The settings of a host were changed while the crawl runs; absent where hosts have none. */
  hostChanged?(hostname: string, nowMs: number): void;
  /** The thread may have so many visits in flight from now on; absent where that needs no preparation. */
  setPlaces?(places: number): void;
  /** Where crawlers elsewhere ask the same addresses: asked before every request. */
  readonly floors?: AddressFloors | undefined;
  /** What is kept with hosts that may become another machine's. */
  readonly hostMemory?: HostMemory | undefined;
  /** Calls back for every host of this thread that is in memory; absent where nobody knows them. */
  eachHost?(use: (host: Host) => void): void;
  /** Figures for counters, progress and the recount after a death. */
  stats(): FrontierStats;
  /** Gives back files and memory; what is not settled waits for the next run. */
  close(): void;
}
