import type { CrawlUrl } from "../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../url/site.ts";
import { hostnameOf } from "../url/url-parts.ts";

const MAX_ORIGINS = 1 << 16;
/** No host is shorter than a character, so the slash behind it is not before this place. */
const FIRST_SLASH = "http://h".length;

/** The host of a URL and the shard it belongs to. */
export interface UrlHome {
  readonly hostname: string;
  readonly shard: number;
}

/**
 * Which shard a URL belongs to, with a cache of origins. Links of a page mostly stay on one host, so the last answer is tried
 * first: comparing the beginning of a URL is cheaper than cutting out its host.
 */
export class ShardNumbers {
  readonly #shards: number;
  readonly #known = new Map<string, UrlHome>();
  /** Scheme, host, port and the slash behind them, so that a longer name does not pass for this one. */
  #lastOrigin = "";
  #last: UrlHome | undefined;

  constructor(shards: number) {
    this.#shards = shards;
  }

  of(url: CrawlUrl): UrlHome {
    if (this.#last !== undefined && url.startsWith(this.#lastOrigin)) return this.#last;
    const origin = url.slice(0, url.indexOf("/", FIRST_SLASH) + 1);
    let home = this.#known.get(origin);
    if (home === undefined) {
      const hostname = hostnameOf(url);
      home = { hostname, shard: shardOf(siteHash(siteOf(hostname)), this.#shards) };
      if (this.#known.size >= MAX_ORIGINS) this.#known.clear();
      this.#known.set(origin, home);
    }
    this.#last = home;
    this.#lastOrigin = origin;
    return home;
  }
}
