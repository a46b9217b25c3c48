import type { Discovery } from "../discovery.ts";
import type { Host } from "../host.ts";
import type { FoundLink } from "../link/link-codec.ts";
import type { WaitingRun } from "../link/waiting-run.ts";

/** A URL that leaves its queue, with its cash where the order has some. */
export interface TakenUrl extends FoundLink {
  cash?: number;
}

/** The URLs of a shard that wait, host by host; it alone decides which comes next, and keeps `host.chained`. */
export interface ShardQueue {
  /** A URL that was just admitted. */
  add(host: Host, found: Discovery, low: number, high: number): void;
  /** A few URLs of this host that recovery found waiting, at least one. */
  restore(host: Host, run: WaitingRun): void;
  /** True while the host has a URL to take. */
  has(host: Host): boolean;
  /** Takes the host's next URL; there must be one. */
  next(host: Host): TakenUrl;
  /** The host has nothing to fetch and leaves memory. */
  forget(host: Host): void;
  /** Called when a host has a URL to take that had none. */
  onReady: (host: Host) => void;
}
