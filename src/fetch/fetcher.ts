import type { Lease } from "../frontier/frontier.ts";
import { isList, type Via } from "../frontier/via.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { originOf, partsOf } from "../url/url-parts.ts";
import type { CookieJar } from "./cookies/cookie-jar.ts";
import type { FetchOutcome } from "./outcome.ts";
import type { PoliteClient } from "./polite-client.ts";
import type { ResponseHead } from "./response-head.ts";
import type { RobotsAnswer, RobotsFetcher } from "./robots/robots-fetcher.ts";
import type { RobotsRules } from "./robots/robots-rules.ts";
import type { BodyTap, RequestHeaders } from "./transport.ts";

/** Which 2xx responses are wanted: HTML, any text, or everything. */
export type Accepted = "html" | "text" | "any";

/** Settings of a fetcher. */
export interface FetcherRules {
  readonly headers: readonly [string, string][];
  readonly accept: Accepted;
  readonly delayMs: number;
  readonly clock: () => number;
  /** Present with --cookies. */
  readonly cookies?: CookieJar | undefined;
  /** Headers that make a server send a page only if it has changed since an earlier crawl. */
  readonly validators?: (url: CrawlUrl) => RequestHeaders | undefined;
  /** Makes the reader of a sitemap or feed, which reads it while it arrives. */
  readonly listTap?: (url: CrawlUrl) => BodyTap;
  /** Called for every robots.txt that was read. */
  readonly onRules?: (origin: string, rules: RobotsRules) => void;
}

/** Sitemaps may be large, so one is fetched at a time; the others are retried shortly after. */
const MAX_LISTS = 1;
const LIST_RETRY_MS = 100;

type Wanted = (head: ResponseHead) => boolean;

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;

let latest = { value: "", mime: "" };

/** The media type of a response in lower case without parameters; "" when there is none or it is malformed. */
export function mimeOf(head: ResponseHead): string {
  const value = head.get("content-type") ?? "";
  // Needed several times per page, and most pages have the same.
  if (value === latest.value) return latest.mime;
  const essence = value.split(";", 1)[0]!.trim().toLowerCase();
  // MIME Sniffing standard, 4.4: anything else is no type, and the bytes decide.
  latest = { value, mime: MEDIA_TYPE.test(essence) ? essence : "" };
  return latest.mime;
}

/** Whether a body of this type holds links. */
export function isHtml(mime: string): boolean {
  return mime === "text/html" || mime === "application/xhtml+xml";
}

/** Takes one leased URL through robots.txt and the polite client. */
export class Fetcher {
  readonly #client: PoliteClient;
  readonly #robots: RobotsFetcher | undefined;
  readonly #rules: FetcherRules;
  readonly #accept: Wanted;
  #lists = 0;

  constructor(client: PoliteClient, robots: RobotsFetcher | undefined, rules: FetcherRules) {
    this.#client = client;
    this.#robots = robots;
    this.#rules = rules;
    this.#accept = (head) => this.#isWanted(head);
  }

  /** Fetches the URL unless it is refused or has to wait. */
  fetch(lease: Lease): FetchOutcome | Promise<FetchOutcome> {
    if (this.#robots === undefined) return this.#fetchAllowed(lease);
    const known = this.#robots.known(originOf(lease.url));
    if (known === undefined) return this.#fetchAfterRobots(lease, this.#robots);
    return verdictOf(lease, known) ?? this.#fetchAllowed(lease);
  }

  #fetchAllowed(lease: Lease): Promise<FetchOutcome> {
    return isList(lease.via) ? this.#fetchList(lease) : this.#fetch(lease);
  }

  async #fetchList(lease: Lease): Promise<FetchOutcome> {
    if (this.#lists >= MAX_LISTS) {
      return { kind: "postponed", untilMs: this.#rules.clock() + LIST_RETRY_MS };
    }
    this.#lists++;
    try {
      return await this.#fetch(lease);
    } finally {
      this.#lists--;
    }
  }

  async #fetch(lease: Lease): Promise<FetchOutcome> {
    const asked = await this.#client.ask(lease.url, lease.host, {
      headers: this.#headersFor(lease),
      tap: isList(lease.via) ? this.#rules.listTap?.(lease.url) : undefined,
      accept: takesAnyType(lease.via) ? undefined : this.#accept,
      maxBodyBytes: undefined,
      releases: true,
    });
    if (asked.kind === "failed" && asked.error === "connection_lost") {
      // The server may have seen the request, so it counts as an attempt.
      lease.attempt++;
      return { kind: "postponed", untilMs: this.#rules.clock() + lease.host.delayMs };
    }
    if (asked.kind !== "response") return asked;
    const { response } = asked;
    const { cookies } = this.#rules;
    if (cookies !== undefined && response.head.find("set-cookie") >= 0) {
      cookies.store(partsOf(lease.url), response.head.all("set-cookie"));
    }
    return response.aborted
      ? { kind: "refused", error: "content_type", detail: mimeOf(response.head) }
      : asked;
  }

  /** Nearly always the same array, which the transport then turns into text only once. */
  #headersFor({ url, via }: Lease): RequestHeaders {
    const { headers, cookies, validators } = this.#rules;
    const cookie = cookies?.header(partsOf(url));
    // An unchanged list would have to be read from the earlier crawl; it is simply fetched again.
    const conditions = isList(via) ? undefined : validators?.(url);
    if (cookie === undefined && conditions === undefined) return headers;
    const own: RequestHeaders = cookie === undefined ? [] : [["Cookie", cookie]];
    return [...headers, ...own, ...(conditions ?? [])];
  }

  async #fetchAfterRobots(lease: Lease, robots: RobotsFetcher): Promise<FetchOutcome> {
    const origin = originOf(lease.url);
    const answer = await robots.ask(origin, lease.host);
    if (answer.kind === "rules") this.#rules.onRules?.(origin, answer.rules);
    if (answer.kind === "rules" && !answer.rules.crawlDelayTooLong) {
      const crawlDelayMs = answer.rules.crawlDelayMs ?? 0;
      lease.host.delayMs = Math.max(this.#rules.delayMs, lease.host.delayMs, crawlDelayMs);
      // Fetching robots.txt was a request to this host, so its delay has to pass first.
      if (lease.host.delayMs > 0) {
        return { kind: "postponed", untilMs: this.#rules.clock() + lease.host.delayMs };
      }
    }
    return verdictOf(lease, answer) ?? this.#fetchAllowed(lease);
  }

  #isWanted(head: ResponseHead): boolean {
    if (head.status < 200 || head.status > 299 || this.#rules.accept === "any") return true;
    const mime = mimeOf(head);
    // Without a type the bytes decide, once they are here.
    if (mime === "" || isHtml(mime)) return true;
    return this.#rules.accept === "text" && isText(mime);
  }
}

/** Why robots.txt keeps the URL from being fetched now; undefined when it does not. */
function verdictOf(lease: Lease, answer: RobotsAnswer): FetchOutcome | undefined {
  if (answer.kind === "postponed") return answer;
  if (answer.kind === "unreachable") {
    if (!answer.final) {
      const aside = lease.host.hasSeveralOrigins ? ({ aside: true } as const) : {};
      return { kind: "postponed", untilMs: answer.retryAtMs, ...aside };
    }
    return { kind: answer.refused ? "refused" : "failed", error: answer.error };
  }
  if (answer.rules.crawlDelayTooLong) return { kind: "refused", error: "crawl_delay_too_long" };
  const verdict = answer.rules.verdict(partsOf(lease.url).target);
  if (verdict.allowed) return undefined;
  return { kind: "refused", error: "robots", detail: `line ${verdict.line ?? "?"}` };
}

/** A sitemap is read whatever its type, and the assets of a page have every type. */
function takesAnyType(via: Via): boolean {
  return isList(via) || via === "asset";
}

function isText(mime: string): boolean {
  return /^text\/|[/+](?:xml|json|javascript|ecmascript|x-ndjson|yaml)$/.test(mime);
}
