import type { CrawlUrl } from "../url/crawl-url.ts";
import type { Via } from "./via.ts";

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
  /** What a handler gave it (`link/link-note.ts`); absent for nearly all. */
  readonly note?: string | undefined;
}

/**
 * Links of a page that are known already, for an order in which every link gets its share. Numbers only (the halves of
 * fingerprints are signed here, so that they stay small integers): nothing is allocated for a link.
 */
export class KnownFingerprints {
  /** Links to pages of the page's own shard, by their numbers there. */
  readonly own: number[] = [];
  /** Links to other shards, three numbers each: the shard and both halves of the fingerprint. */
  readonly others: number[] = [];

  get length(): number {
    return this.own.length + this.others.length / 3;
  }
}
