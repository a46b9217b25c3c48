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

/** Hosts that a thread works for without owning them: enough for the gates, which know what must not be forgotten. */
export class ForeignHosts {
  readonly #rules: ForeignHostRules;
  readonly #most: number;
  readonly #hosts = new Map<string, Host>();

  /** When there are `most`, all are forgotten. */
  constructor(rules: ForeignHostRules, most: number) {
    this.#rules = rules;
    this.#most = most;
  }

  /** The host of a URL. */
  of(url: CrawlUrl): Host {
    const name = hostnameOf(url);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      const { seedLow, seedHigh, delayMs } = this.#rules;
      fingerprint(name, seedLow, seedHigh);
      host = new Host(name, lastFingerprint.low, delayMs);
      if (this.#hosts.size >= this.#most) this.#hosts.clear();
      this.#hosts.set(name, host);
    }
    host.meet(url);
    return host;
  }
}
