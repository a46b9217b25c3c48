import type { Lease } from "../frontier/frontier.ts";
import { isList, type Via } from "../frontier/via.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { siteOf } from "../url/site.ts";
import { partsOf, serverOf } from "../url/url-parts.ts";
import type { CookieJar } from "./cookies/cookie-jar.ts";
import type { OwnHeaders } from "./credentials.ts";
import { ListPlaces } from "./list-places.ts";
import type { FetchOutcome } from "./outcome.ts";
import type { PoliteClient } from "./polite-client.ts";
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

type Wanted = (head: ResponseHead) => boolean;

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
  readonly #accept: Wanted;
  readonly #lists = new ListPlaces();

  constructor(client: PoliteClient, robots: RobotsFetcher | undefined, rules: FetcherRules) {
    this.#client = client;
    this.#robots = robots;
    this.#rules = rules;
    this.#accept = (head) => this.#isWanted(head);
  }

  /** Fetches the URL unless it is refused or has to wait. */
  fetch(lease: Lease): Promise<FetchOutcome> {
    return promiseOf((receiver) => this.begin(lease, receiver));
  }

  /** The same without a promise: returns the outcome if it is known at once, otherwise the receiver is told. */
  begin(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined {
    if (this.#robots === undefined || lease.isCleared) return this.#beginAllowed(lease, receiver);
    const known = this.#robots.known(serverOf(lease.url));
    if (known === undefined) {
      tell(this.#fetchAfterRobots(lease, this.#robots), receiver);
      return undefined;
    }
    return this.#refusal(lease, known) ?? this.#beginAllowed(lease, receiver);
  }

  /** What robots.txt says about the use of what a server has; undefined when it says nothing. */
  contentSignal(url: CrawlUrl): string | undefined {
    return this.#robots?.contentSignal(() => serverOf(url));
  }

  #refusal(lease: Lease, answer: RobotsAnswer): FetchOutcome | undefined {
    const refused = verdictOf(lease, answer);
    if (refused !== undefined || this.#rules.obeyTdm !== true) return refused;
    const isReserved = answer.kind === "rules" && isTrainingRefused(answer.rules.contentSignal);
    return isReserved && !isList(lease.via)
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
      verdictOf(lease, known) === undefined
    );
  }

  #beginAllowed(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined {
    if (!isList(lease.via)) return this.#request(lease, receiver);
    tell(this.#fetchList(lease), receiver);
    return undefined;
  }

  async #fetchList(lease: Lease): Promise<FetchOutcome> {
    const { clock } = this.#rules;
    const site = siteOf(lease.host.name);
    const untilMs = this.#lists.enter(site, clock());
    // Only the list waits: the pages of its host need no such place.
    if (untilMs > 0) return { kind: "postponed", untilMs, aside: true };
    let isPostponed = false;
    try {
      const outcome = await promiseOf<FetchOutcome>((told) => this.#request(lease, told));
      isPostponed = outcome.kind === "postponed";
      // What is not decoded yet may cost the most.
      if (outcome.kind === "response") await outcome.response.tap?.finish?.();
      return outcome;
    } finally {
      this.#lists.leave(site, clock(), isPostponed);
    }
  }

  #request(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined {
    const request = {
      headers: this.#headersFor(lease),
      tap: isList(lease.via) ? this.#rules.listTap?.(lease.url) : undefined,
      accept: takesAnyType(lease.via) ? undefined : this.#accept,
      maxBodyBytes: undefined,
      releases: true,
    };
    const answer = new Answer(this, lease, receiver);
    const outcome = this.#client.send(lease.url, lease.host, request, answer);
    return outcome && this.outcomeOf(lease, outcome);
  }

  /** What the outcome of its request means for a URL. */
  outcomeOf(lease: Lease, asked: FetchOutcome): FetchOutcome {
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
    const { own: ours, cookies, validators, beforeRequest } = this.#rules;
    const headers = ours?.for(() => serverOf(url)) ?? this.#rules.headers;
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
    return this.#refusal(lease, answer) ?? promiseOf((told) => this.#beginAllowed(lease, told));
  }

  #isWanted(head: ResponseHead): boolean {
    if (head.status < 200 || head.status > 299 || this.#rules.accept === "any") return true;
    const mime = mimeOf(head);
    if (this.#rules.accept === "text/html") return mime === "text/html";
    // Without a type the bytes decide, once they are here.
    if (mime === "" || isHtml(mime)) return true;
    return this.#rules.accept === "text" && isText(mime);
  }
}

/** Passes the outcome of a request on. */
class Answer implements Receiver<FetchOutcome> {
  readonly #fetcher: Fetcher;
  readonly #lease: Lease;
  readonly #receiver: Receiver<FetchOutcome>;

  constructor(fetcher: Fetcher, lease: Lease, receiver: Receiver<FetchOutcome>) {
    this.#fetcher = fetcher;
    this.#lease = lease;
    this.#receiver = receiver;
  }

  settled(asked: FetchOutcome): void {
    this.#receiver.settled(this.#fetcher.outcomeOf(this.#lease, asked));
  }

  threw(fault: unknown): void {
    this.#receiver.threw(fault);
  }
}

/** Why robots.txt keeps the URL from being fetched now; undefined when it does not. */
function verdictOf(lease: Lease, answer: RobotsAnswer): FetchOutcome | undefined {
  if (answer.kind === "postponed") {
    return answer.aside ? waitForOrigin(lease, answer.untilMs) : answer;
  }
  if (answer.kind === "unreachable") {
    if (!answer.final) return waitForOrigin(lease, answer.retryAtMs);
    return { kind: answer.refused ? "refused" : "failed", error: answer.error };
  }
  if (answer.rules.crawlDelayTooLong) return { kind: "refused", error: "crawl_delay_too_long" };
  const verdict = answer.rules.verdict(partsOf(lease.url).target);
  if (verdict.allowed) return undefined;
  return { kind: "refused", error: "robots", detail: `line ${verdict.line ?? "?"}` };
}

/** Where a host has only this origin, nothing of it can go on meanwhile. */
function waitForOrigin({ host }: Lease, untilMs: number): FetchOutcome {
  return host.hasSeveralOrigins
    ? { kind: "postponed", untilMs, aside: true }
    : { kind: "postponed", untilMs };
}

/** A sitemap is read whatever its type, and the assets of a page have every type. */
function takesAnyType(via: Via): boolean {
  return isList(via) || via === "asset";
}

function isText(mime: string): boolean {
  return /^text\/|[/+](?:xml|json|javascript|ecmascript|x-ndjson|yaml)$/.test(mime);
}
