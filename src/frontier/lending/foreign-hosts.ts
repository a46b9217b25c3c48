import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { Host } from "../host.ts";

/** What the hosts of a crawl begin with. */
export interface ForeignHostRules {
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly delayMs: number;
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
      if (this.#hosts.size >= this.#maxHosts) this.#hosts.clear();
      this.#hosts.set(name, host);
    }
    host.noteOrigin(url);
    return host;
  }
}
