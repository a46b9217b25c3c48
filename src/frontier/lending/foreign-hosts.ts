import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { Host } from "../host.ts";
import type { SiteShares } from "../site-shares.ts";

/** What the hosts of a crawl begin with. */
export interface ForeignHostRules {
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly delayMs: number;
  /** Counts the places of their sites; absent where their owner does. */
  readonly shares?: SiteShares;
}

/** Hosts that a thread makes requests to without owning them. The gates remember what must not be forgotten. */
export class ForeignHosts {
  readonly #rules: ForeignHostRules;
  readonly #maxHosts: number;
  readonly #hosts = new Map<string, Host>();

  /** When there are `maxHosts`, all are forgotten. */
  constructor(rules: ForeignHostRules, maxHosts: number) {
    this.#rules = rules;
    this.#maxHosts = maxHosts;
  }

  /** The host of a URL. */
  of(url: CrawlUrl): Host {
    const name = hostnameOf(url);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      fingerprint(name, this.#rules.seedLow, this.#rules.seedHigh);
      host = new Host(name, lastFingerprint.low, this.#rules.delayMs);
      if (this.#hosts.size >= this.#maxHosts) this.#forgetAll();
      host.site = this.#rules.shares?.of(name);
      this.#hosts.set(name, host);
    }
    host.noteOrigin(url);
    return host;
  }

  #forgetAll(): void {
    for (const { site } of this.#hosts.values())
      if (site !== undefined) this.#rules.shares!.release(site);
    this.#hosts.clear();
  }
}
