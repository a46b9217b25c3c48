import type { Lease } from "../frontier/frontier.ts";
import { isList } from "../frontier/via.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { siteOf } from "../url/site.ts";
import { partsOf, serverOf, targetOf } from "../url/url-parts.ts";
import type { CookieJar } from "./cookies/cookie-jar.ts";
import type { OwnHeaders } from "./credentials.ts";
import { ListPlaces } from "./list-places.ts";
import type { FetchOutcome } from "./outcome.ts";
import type { PoliteClient, PoliteRequest } from "./polite-client.ts";
import { promiseOf, type Receiver, tell } from "./receiver.ts";
import type { ResponseHead } from "./response-head.ts";
import { isTrainingRefused } from "./robots/content-signal.ts";
import type { RobotsAnswer, RobotsFetcher } from "./robots/robots-fetcher.ts";
import type { RobotsRules } from "./robots/robots-rules.ts";
import type { BodyTap, RequestHeaders } from "./transport.ts";

/** Which 2xx responses are wanted: HTML, any text, or everything. */
export type Accepted = "html" | "text/html" | "text" | "any";

/** Settings of a fetcher. */
export interface FetcherRules {
  readonly headers: RequestHeaders;
  readonly accept: Accepted;
  readonly clock: () => number;
  /** Instead of `headers`, where some are for one server alone. */
  readonly own?: OwnHeaders | undefined;
  /** The user's hook; it may add to the headers of a request, or take from them. */
  readonly beforeRequest?: ((headers: RequestHeaders, url: string) => RequestHeaders) | undefined;
  /** With --obey-tdm: what robots.txt keeps from being used for training is not asked for. */
  readonly obeyTdm?: boolean | undefined;
  /** Present with --cookies. */
  readonly cookies?: CookieJar | undefined;
  /** Headers that make a server send a page only if it has changed since an earlier crawl. */
  readonly validators?: (url: CrawlUrl) => RequestHeaders | undefined;
  /** Makes the reader of a sitemap or feed, which reads it while it arrives. */
  readonly listTap?: (url: CrawlUrl) => BodyTap;
  /** Called for every robots.txt that was read. */
  readonly onRules?: (origin: string, rules: RobotsRules) => void;
}

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;

let latest = { value: "", mime: "" };

/** The media type of a response in lower case without parameters; "" when there is none or it is malformed. */
export function mimeOf(head: ResponseHead): string {
  const value = head.contentType ?? "";
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
  /** Where they are the same for all URLs, as in nearly every crawl: the transport turns them into text only once. */
  readonly #sameHeaders: RequestHeaders | undefined;
  readonly #lists = new ListPlaces();
  /** The last Content-Type that was wanted: nearly all pages have the same. */
  #wantedType: string | undefined;

  constructor(client: PoliteClient, robots: RobotsFetcher | undefined, rules: FetcherRules) {
    this.#client = client;
    this.#robots = robots;
    this.#rules = rules;
    const { headers, own, cookies, validators, beforeRequest } = rules;
    const isSame = own?.differ !== true && !cookies && !validators && !beforeRequest;
    this.#sameHeaders = isSame ? (own?.common ?? headers) : undefined;
  }

  /** Which responses are wanted with their bodies. */
  readonly #accept = (head: ResponseHead): boolean => {
    if (head.status < 200 || head.status > 299) return true;
    if (head.contentType !== undefined && head.contentType === this.#wantedType) return true;
    const { accept } = this.#rules;
    const mime = mimeOf(head);
    // Without a type the bytes decide, once they are here.
    const isPage = accept === "text/html" ? mime === "text/html" : mime === "" || isHtml(mime);
    const isWanted = isPage || accept === "any" || (accept === "text" && isText(mime));
    if (isWanted) this.#wantedType = head.contentType;
    return isWanted;
  };

  /** Fetches the URL unless it is refused or has to wait. */
  fetch(lease: Lease): Promise<FetchOutcome> {
    return promiseOf((receiver) => this.begin(lease, receiver));
  }

  /** The same without a promise: returns the outcome if it is known at once, otherwise the receiver is told. */
  begin(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined {
    if (this.#robots === undefined || lease.isCleared) return this.#request(lease, receiver);
    const known = this.#robots.known(serverOf(lease.url));
    if (known === undefined) {
      tell(this.#fetchAfterRobots(lease, this.#robots), receiver);
      return undefined;
    }
    return this.#refusal(lease, known) ?? this.#request(lease, receiver);
  }

  /** What robots.txt says about the use of what a server has; undefined when it says nothing. */
  contentSignal(url: CrawlUrl): string | undefined {
    return this.#robots?.hasSignals ? this.#robots.contentSignal(serverOf(url)) : undefined;
  }

  /** Why robots.txt keeps the URL from being fetched now; undefined when it does not. */
  #refusal(lease: Lease, answer: RobotsAnswer): FetchOutcome | undefined {
    if (answer.kind === "postponed") {
      return answer.aside ? waitForOrigin(lease, answer.untilMs) : answer;
    }
    if (answer.kind === "unreachable") {
      if (!answer.final) return waitForOrigin(lease, answer.retryAtMs);
      return { kind: answer.refused ? "refused" : "failed", error: answer.error };
    }
    const { rules } = answer;
    if (rules.crawlDelayTooLong) return { kind: "refused", error: "crawl_delay_too_long" };
    const { allowed, line } = rules.verdict(targetOf(lease.url));
    if (!allowed) return { kind: "refused", error: "robots", detail: `line ${line ?? "?"}` };
    if (rules.contentSignal === undefined || !this.#rules.obeyTdm) return undefined;
    return isTrainingRefused(rules.contentSignal) && !isList(lease.via)
      ? { kind: "refused", error: "tdm_reserved", detail: "Content-Signal" }
      : undefined;
  }

  /** Whether it is known without asking that robots.txt allows the URL. */
  isCleared(lease: Lease): boolean {
    if (this.#robots === undefined) return true;
    const known = this.#robots.known(serverOf(lease.url));
    // Who has not read robots.txt could not tell what it signals.
    return (
      known?.kind === "rules" &&
      known.rules.contentSignal === undefined &&
      this.#refusal(lease, known) === undefined
    );
  }

  async #fetchList(lease: Lease): Promise<FetchOutcome> {
    const { clock } = this.#rules;
    const site = siteOf(lease.host.name);
    const untilMs = this.#lists.enter(site, clock());
    // Only the list waits: the pages of its host need no such place.
    if (untilMs > 0) return { kind: "postponed", untilMs, aside: true };
    let isPostponed = false;
    try {
      const outcome = await promiseOf<FetchOutcome>((told) => this.#request(lease, told, true));
      isPostponed = outcome.kind === "postponed";
      // What is not decoded yet may cost the most.
      if (outcome.kind === "response") await outcome.response.tap?.finish?.();
      return outcome;
    } finally {
      this.#lists.leave(site, clock(), isPostponed);
    }
  }

  /** robots.txt allows it. A list is asked for at its turn. */
  #request(
    lease: Lease,
    receiver: Receiver<FetchOutcome>,
    isTurn = false,
  ): FetchOutcome | undefined {
    const { url, via, host } = lease;
    const isOfList = isList(via);
    if (isOfList && !isTurn) {
      tell(this.#fetchList(lease), receiver);
      return undefined;
    }
    const headers = this.#sameHeaders ?? this.#headersFor(lease);
    // A sitemap is read whatever its type, and the assets of a page have every type.
    const accept = isOfList || via === "asset" ? undefined : this.#accept;
    const tap = isOfList ? this.#rules.listTap?.(url) : undefined;
    const request = new LeaseRequest(this.#rules, lease, receiver, headers, accept, tap);
    return this.#client.send(url, host, request, request);
  }

  #headersFor({ url, via }: Lease): RequestHeaders {
    const { own: ours, cookies, validators, beforeRequest } = this.#rules;
    const headers = ours?.for(serverOf(url)) ?? this.#rules.headers;
    const cookie = cookies?.header(partsOf(url));
    // An unchanged list would have to be read from the earlier crawl; it is simply fetched again.
    const conditions = isList(via) ? undefined : validators?.(url);
    if (cookie === undefined && conditions === undefined)
      return beforeRequest?.(headers, url) ?? headers;
    const own: RequestHeaders = cookie === undefined ? [] : [["Cookie", cookie]];
    const all = [...headers, ...own, ...(conditions ?? [])];
    return beforeRequest?.(all, url) ?? all;
  }

  async #fetchAfterRobots(lease: Lease, robots: RobotsFetcher): Promise<FetchOutcome> {
    const origin = serverOf(lease.url);
    const answer = await robots.ask(origin, lease.host);
    if (answer.kind === "rules") this.#rules.onRules?.(origin, answer.rules);
    // Fetching robots.txt was a request to this host, so its delay has to pass first.
    const { delayMs } = lease.host;
    if (answer.kind === "rules" && !answer.rules.crawlDelayTooLong && delayMs > 0)
      return { kind: "postponed", untilMs: this.#rules.clock() + delayMs };
    return this.#refusal(lease, answer) ?? promiseOf((told) => this.#request(lease, told));
  }
}

/** The request for a leased URL, which passes its outcome on. */
class LeaseRequest implements PoliteRequest, Receiver<FetchOutcome> {
  readonly headers: RequestHeaders;
  readonly accept: PoliteRequest["accept"];
  readonly tap: BodyTap | undefined;
  readonly releases = true;
  readonly #rules: FetcherRules;
  readonly #lease: Lease;
  readonly #receiver: Receiver<FetchOutcome>;

  constructor(
    rules: FetcherRules,
    lease: Lease,
    receiver: Receiver<FetchOutcome>,
    headers: RequestHeaders,
    accept: PoliteRequest["accept"],
    tap: BodyTap | undefined,
  ) {
    this.headers = headers;
    this.accept = accept;
    this.tap = tap;
    this.#rules = rules;
    this.#lease = lease;
    this.#receiver = receiver;
  }

  /** What the outcome of its request means for a URL. */
  settled(asked: FetchOutcome): void {
    let outcome = asked;
    if (asked.kind === "response") {
      const { head, aborted } = asked.response;
      const { cookies } = this.#rules;
      if (cookies !== undefined && head.find("set-cookie") >= 0) {
        cookies.store(partsOf(this.#lease.url), head.all("set-cookie"));
      }
      if (aborted) outcome = { kind: "refused", error: "content_type", detail: mimeOf(head) };
    } else if (asked.kind === "failed" && asked.error === "connection_lost") {
      // The server may have seen the request, so it counts as an attempt.
      this.#lease.attempt++;
      outcome = { kind: "postponed", untilMs: this.#rules.clock() + this.#lease.host.delayMs };
    }
    this.#receiver.settled(outcome);
  }

  threw(fault: unknown): void {
    this.#receiver.threw(fault);
  }
}

/** Where a host has only this origin, nothing of it can go on meanwhile. */
function waitForOrigin({ host }: Lease, untilMs: number): FetchOutcome {
  return host.hasSeveralOrigins
    ? { kind: "postponed", untilMs, aside: true }
    : { kind: "postponed", untilMs };
}

function isText(mime: string): boolean {
  return /^text\/|[/+](?:xml|json|javascript|ecmascript|x-ndjson|yaml)$/.test(mime);
}
