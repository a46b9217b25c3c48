import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../../frontier/host.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { hostnameOf, originOf } from "../../url/url-parts.ts";
import { decodeBody } from "../coding/decode.ts";
import type { FetchOutcome, Postponed } from "../outcome.ts";
import type { PoliteClient } from "../polite-client.ts";
import { retryAfterMs } from "../retry-after.ts";
import type { Response } from "../transport.ts";
import { type ReadRobots, RobotsCache, type RobotsFile, robotsFromStatus } from "./robots-cache.ts";
import { ROBOTS_MAX_BYTES } from "./robots-lines.ts";
import { RobotsRules } from "./robots-rules.ts";

const CACHE_MS = 24 * 3600_000;
const MAX_UNREACHABLE = 10_000;

/** Errors that another try will not change: certificates and names. */
const NEVER_BETTER = /^(tls_|dns_not_found)/;

/** What is known of an origin's robots.txt after asking. */
export type RobotsAnswer =
  | ReadRobots
  /** The host must be left alone; asked again at `retryAtMs` unless `final`. */
  | {
      readonly kind: "unreachable";
      readonly error: string;
      readonly refused: boolean;
      readonly retryAtMs: number;
      readonly final: boolean;
    }
  | Postponed;

/** Settings of the fetcher. */
export interface RobotsFetcherRules {
  /** Product token that robots.txt groups are matched with. */
  readonly agent: string;
  readonly headers: readonly [string, string][];
  readonly retries: number;
  /** Memory for answers. */
  readonly cacheBytes: number;
  readonly backOffMs: (attempt: number) => number;
  /** A host for the gates when a robots.txt redirects to another name. */
  readonly strangerHost: (hostname: string) => Host;
  readonly clock: () => number;
}

/** Fetches the robots.txt of each origin: once for all who wait for it, politely, and keeps the answer for a day. */
export class RobotsFetcher {
  readonly #client: PoliteClient;
  readonly #rules: RobotsFetcherRules;
  readonly #cache: RobotsCache;
  readonly #asking = new Map<string, Promise<RobotsAnswer>>();
  readonly #unreachable = new Map<string, RobotsAnswer & { kind: "unreachable"; tries: number }>();
  /** robots.txt files asked for, redirects included. */
  fetched = 0;

  constructor(client: PoliteClient, rules: RobotsFetcherRules) {
    this.#client = client;
    this.#rules = rules;
    const { cacheBytes: maxBytes, clock } = rules;
    this.#cache = new RobotsCache({ maxBytes, ttlMs: CACHE_MS, clock });
  }

  /** The answer if it is known. */
  known(origin: string): RobotsAnswer | undefined {
    const cached = this.#cache.get(origin);
    if (cached !== undefined) return cached;
    const failed = this.#unreachable.get(origin);
    if (failed === undefined || (!failed.final && this.#rules.clock() >= failed.retryAtMs)) {
      return undefined;
    }
    return failed;
  }

  /** Fetches the file; all who ask meanwhile get the same answer. */
  ask(origin: string, host: Host): Promise<RobotsAnswer> {
    let asking = this.#asking.get(origin);
    if (asking === undefined) {
      asking = this.#fetch(origin, host).finally(() => this.#asking.delete(origin));
      this.#asking.set(origin, asking);
    }
    return asking;
  }

  async #fetch(origin: string, host: Host): Promise<RobotsAnswer> {
    let url = canonicalize(`${origin}/robots.txt`)!;
    for (let hops = 0; ; hops++) {
      const asked = await this.#hop(url, originOf(url) === origin ? host : undefined, hops);
      if (asked.kind === "postponed") return asked;
      if (asked.kind === "failed" && asked.error === "connection_lost") {
        return { kind: "postponed", untilMs: this.#rules.clock() + host.delayMs };
      }
      if (asked.kind !== "response") {
        const ours = asked.kind === "refused";
        return this.#failed(origin, host, asked.error, { refused: ours && hops === 0, ours });
      }
      const meaning = robotsFromStatus(await fileOf(asked.response), this.#rules.agent, hops);
      if (meaning.kind === "unreachable") {
        const waitMs = retryAfterMs(asked.response.head.get("retry-after"), Date.now()) ?? 0;
        return this.#failed(origin, host, meaning.reason, { refused: true, waitMs });
      }
      if (meaning.kind === "rules") return this.#store(origin, meaning.rules);
      const next = canonicalize(meaning.location, url);
      // A redirect that leads nowhere means that there is no robots.txt.
      if (next === undefined) return this.#store(origin, RobotsRules.allowAll);
      url = next;
    }
  }

  /** One request. Redirected ones wait here for their host, because robots.txt is in no queue. */
  async #hop(url: CrawlUrl, own: Host | undefined, hop: number): Promise<FetchOutcome> {
    const host = own ?? this.#rules.strangerHost(hostnameOf(url));
    for (;;) {
      const asked = await this.#client.ask(url, host, {
        headers: this.#rules.headers,
        maxBodyBytes: ROBOTS_MAX_BYTES,
      });
      if (asked.kind !== "postponed" || hop === 0) {
        if (asked.kind !== "postponed") this.fetched++;
        return asked;
      }
      await sleep(Math.max(1, asked.untilMs - this.#rules.clock()));
    }
  }

  #store(origin: string, rules: RobotsRules): RobotsAnswer {
    this.#unreachable.delete(origin);
    const answer = { kind: "rules", rules } as const;
    this.#cache.put(origin, answer);
    return answer;
  }

  #failed(
    origin: string,
    host: Host,
    error: string,
    { refused, ours = false, waitMs = 0 }: { refused: boolean; ours?: boolean; waitMs?: number },
  ): RobotsAnswer {
    const tries = (this.#unreachable.get(origin)?.tries ?? 0) + 1;
    const final = tries > this.#rules.retries || ours || NEVER_BETTER.test(error);
    const now = this.#rules.clock();
    // What the server asks for holds for the whole host; our own back-off only while there are tries left.
    if (waitMs > 0) host.heldMs = Math.max(host.heldMs, now + waitMs);
    const retryAtMs = now + Math.max(waitMs, this.#rules.backOffMs(tries - 1));
    const reach = host.reachOf(`${origin}/` as CrawlUrl);
    if (!final) reach.heldMs = Math.max(reach.heldMs, retryAtMs);
    const answer = { kind: "unreachable", error, refused, retryAtMs, final, tries } as const;
    if (this.#unreachable.size >= MAX_UNREACHABLE) this.#unreachable.clear();
    this.#unreachable.set(origin, answer);
    return answer;
  }
}

/** The response as a robots.txt file. */
export async function fileOf({ head, body }: Response): Promise<RobotsFile> {
  const { bytes } = await decodeBody(body, head.all("content-encoding").join(", "), {
    maxBytes: ROBOTS_MAX_BYTES,
    maxRatio: Number.POSITIVE_INFINITY,
  });
  return { status: head.status, body: bytes, location: head.location };
}
