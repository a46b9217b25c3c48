import type { CrawlConfig } from "../../config/schema.ts";
import type { Fetcher } from "../../fetch/fetcher.ts";
import type { FetchOutcome, FinalOutcome, Unanswered } from "../../fetch/outcome.ts";
import type { Receiver } from "../../fetch/receiver.ts";
import type { Response } from "../../fetch/transport.ts";
import type { ByteCount } from "../../frontier/byte-count.ts";
import type { Fact, Frontier, Lease } from "../../frontier/frontier.ts";
import type { Gatekeeper } from "../../frontier/gatekeeper.ts";
import type { HostSettings } from "../../frontier/host-settings.ts";
import type { ParsedPage } from "../../parse/page.ts";
import { reservedBy } from "../../parse/rights/signals.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { COLUMNS, type CounterRow } from "../../stats/counters.ts";
import type { FailureCounts } from "../../stats/failure-counts.ts";
import type { LatencyCounts } from "../../stats/latency-counts.ts";
import type { EarlierCrawl } from "../../store/warc/earlier-crawl.ts";
import type { Scope } from "../../url/scope.ts";
import type { CostlySites } from "./costly-sites.ts";
import type { DebugLog } from "./debug-log.ts";
import type { Follower, Redirect, Skipped } from "./follower.ts";
import type { FoundLinks } from "./found-links.ts";
import type { Guard } from "./guard.ts";
import type { Handled } from "./handle-page.ts";
import type { HandlerRunner } from "./handler-runner.ts";
import { widenedFact } from "./learn-fact.ts";
import type { NamedSitemaps } from "./named-sitemaps.ts";
import {
  earlierResponse,
  type ReadPage,
  readPage,
  readRulesOf,
  readUnchanged,
  type UrlSeed,
} from "./read-page.ts";
import { type Retry, retryOf } from "./retry.ts";
import type { Next, Stages, VisitEnd } from "./visit.ts";
import { countFault, type OutcomeLine, timeText, unavailableOutcome } from "./visit-outcome.ts";
import { VisitTimes } from "./visit-times.ts";

/** The parts that decide about URLs and pages; each thread has its own. */
export interface VisitParts {
  readonly fetcher: Fetcher;
  readonly scope: Scope;
  readonly follower: Follower;
  readonly foundLinks: FoundLinks;
  readonly namedSitemaps: NamedSitemaps;
  readonly guard: Guard;
  /** Where the rate of a host is decided. */
  readonly gatekeeper: Gatekeeper;
  readonly costly: CostlySites;
  /** What was decided about single hosts while the crawl runs. */
  readonly settings: HostSettings;
  /** Present with --recrawl. */
  readonly earlier: EarlierCrawl | undefined;
}

/** Takes the results of a visit, for a builder to store. */
export interface VisitRecords {
  /** A response; returns the number of its record. The response is released once its bytes are copied. */
  capture(line: OutcomeLine, lease: Lease, response: Response, page: ReadPage): number;
  /** A URL without a record in the archive. */
  outcome(line: OutcomeLine): void;
  /** Links that are not followed. */
  skipped(links: readonly Skipped[]): void;
}

/** What a program that listens is told. */
export interface Told {
  readonly kind: "failed" | "skipped";
  readonly url: string;
  /** A stable code of docs/outcomes.md. */
  readonly reason: string;
  readonly detail: string | undefined;
  readonly parent: string | undefined;
  readonly depth: number;
}

/** What the stages use; all of it belongs to one crawler thread. */
export interface StageParts extends VisitParts {
  readonly rules: UrlSeed & {
    readonly config: CrawlConfig;
  };
  /** Present with a handler of pages. */
  readonly handlers: HandlerRunner | undefined;
  readonly frontier: Pick<Frontier, "requestEnded" | "unknown">;
  readonly records: VisitRecords;
  readonly counters: CounterRow;
  readonly failures: FailureCounts;
  readonly latency: LatencyCounts;
  /** Counts bodies for the journals. */
  readonly bytes: Pick<ByteCount, "body">;
  readonly debugLog: DebugLog | undefined;
  /** Present where the program listens: told what became of URLs without a page, and which links were not followed. */
  readonly tell?: ((told: Told) => void) | undefined;
  /** True once the crawl drops its requests in flight. */
  readonly isAborting: () => boolean;
  /** Takes visits that are over. */
  readonly ends: VisitEnds;
  /** A fault in our own code. */
  readonly threw: (fault: unknown) => void;
}

/** Takes visits that are over; each is told of by one of these, once. */
export interface VisitEnds {
  finish(lease: Lease, end: VisitEnd): void;
  /** The visit is to be made again, not before a moment: its host waits, or the URL rests and its host goes on. */
  retry(lease: Lease, untilMs: number, rests: boolean): void;
}

const NO_REDIRECT: Redirect = { kind: "none" };

/** The stages of a visit as a crawler thread runs them. */
export class CrawlerStages implements Stages {
  readonly #parts: StageParts;
  readonly #reading;
  readonly times: VisitTimes;
  readonly handle?: NonNullable<Stages["handle"]>;

  constructor(parts: StageParts) {
    const { rules, counters, handlers } = parts;
    this.#parts = parts;
    this.#reading = readRulesOf(rules.config, rules);
    this.times = new VisitTimes(counters);
    if (handlers !== undefined)
      this.handle = (lease, response, page) => this.#handle(handlers, lease, response, page);
  }

  fetch(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined {
    const { guard, fetcher, costly, handlers, settings } = this.#parts;
    const { host } = lease;
    if (settings.isBlocked(host.name)) return { kind: "refused", error: "host_blocked" };
    const freeMs = costly.isQuiet ? 0 : costly.untilFree(host.name);
    if (freeMs > 0) return { kind: "postponed", untilMs: freeMs };
    const heldMs = host.hasSeveralOrigins ? host.reachOf(lease.url).heldMs : 0;
    if (heldMs > 0 && heldMs > monotonicMs())
      return { kind: "postponed", untilMs: heldMs, aside: true };
    return guard.before(lease) ?? handlers?.before(lease) ?? fetcher.begin(lease, receiver);
  }

  orTryLater(lease: Lease, outcome: FetchOutcome): FinalOutcome | undefined {
    if (outcome.kind === "postponed") return this.#tryLater(lease, outcome);
    const { isAborting, rules, counters, frontier } = this.#parts;
    if (outcome.kind === "failed" && outcome.error === "aborted" && isAborting())
      return this.#tryLater(lease, { untilMs: monotonicMs() });
    const { host } = lease;
    const retry = retryOf(lease, outcome, rules.config, monotonicMs);
    if (host.heldMs > 0) this.#tellHeld(host);
    if (retry === undefined) {
      // A URL refused by robots.txt, a trap or a budget was never requested, so it costs its host no delay.
      frontier.requestEnded(lease, host.endedMs);
      return outcome;
    }
    if (outcome.kind === "response") outcome.response.release();
    lease.attempt++;
    counters.add("retries");
    return this.#tryLater(lease, retry);
  }

  #tryLater(lease: Lease, { untilMs, aside }: Retry): undefined {
    const { ends, frontier } = this.#parts;
    if (aside) frontier.requestEnded(lease, lease.host.endedMs);
    ends.retry(lease, untilMs, aside === true);
  }

  /** The others must know, too, that it is left alone. */
  #tellHeld(host: Lease["host"]): void {
    const nowMs = monotonicMs();
    if (host.heldMs > nowMs) this.#parts.gatekeeper.hold(host, host.heldMs, nowMs);
  }

  read(lease: Lease, response: Response): ReadPage | Promise<ReadPage> {
    const { earlier, guard } = this.#parts;
    const { url, via, host } = lease;
    const { status } = response.head;
    const wantsText = status >= 200 && status <= 299 && guard.watch?.sites.wants(host.name);
    const reading =
      status === 304 && earlier !== undefined
        ? readUnchanged(url, response, earlier, this.#reading)
        : readPage(url, via, response, this.#reading, wantsText);
    return reading instanceof Promise
      ? this.#readSlowly(lease, response, reading)
      : this.#noteRead(lease, response, reading);
  }

  async #readSlowly(
    lease: Lease,
    response: Response,
    reading: Promise<ReadPage>,
  ): Promise<ReadPage> {
    const { costly } = this.#parts;
    costly.begin(lease.host.name);
    try {
      // Others may have been decoded meanwhile, in the same memory.
      return { ...this.#noteRead(lease, response, await reading), decoded: undefined };
    } finally {
      costly.end(lease.host.name);
    }
  }

  #noteRead(lease: Lease, response: Response, page: ReadPage): ReadPage {
    const { guard, costly, counters, debugLog, fetcher } = this.#parts;
    const { isPage, parsed, text, signals } = page;
    if (page.costMs > 0) costly.note(lease.host.name, page.costMs);
    if (guard.watch !== undefined && (isPage || page.unchanged !== undefined)) {
      guard.watch.page(lease, parsed, response.body, page.headerLinks);
      if (text !== undefined) guard.watch.sites.add(lease.url, text);
    }
    if (parsed !== undefined) {
      counters.row[COLUMNS.linksDropped]! += parsed.linksDropped;
      if (debugLog !== undefined) logRead(debugLog, lease, response, parsed);
    }
    // robots.txt may say something about the use of its pages, too.
    const ofHost = isPage ? fetcher.contentSignal(lease.url) : undefined;
    return ofHost === undefined && signals === undefined ? page : this.#withSignals(page, ofHost);
  }

  /** --obey-tdm lets count what is said about the use of a page. */
  #withSignals(page: ReadPage, contentSignal: string | undefined): ReadPage {
    const signals = contentSignal === undefined ? page.signals : { ...page.signals, contentSignal };
    const { obeyTdm } = this.#parts.rules.config;
    const reserved = obeyTdm ? reservedBy(signals, page.mime) : undefined;
    return { ...page, signals, reserved };
  }

  #handle(
    handlers: HandlerRunner,
    lease: Lease,
    response: Response,
    page: ReadPage,
  ): Handled | Promise<Handled> {
    const { earlier } = this.#parts;
    if (!page.isPage && page.unchanged === undefined) return page;
    // It may ask for the head when the response is released.
    response.head.keep();
    const source = page.unchanged && earlier && earlierResponse(earlier, lease.url);
    return handlers.run(lease, source ?? response, page);
  }

  triesAgain(lease: Lease, response: Response, fault: Unanswered): boolean {
    response.release();
    const { rules, counters, ends } = this.#parts;
    if (fault.error === "aborted") {
      // Nobody wants it now: it waits for the next run.
      ends.retry(lease, monotonicMs(), true);
      return true;
    }
    const again = retryOf(lease, fault, rules.config, monotonicMs);
    if (again === undefined) return false;
    lease.attempt++;
    counters.add("retries");
    // Its request has ended, so nothing but this URL waits.
    ends.retry(lease, again.untilMs, true);
    return true;
  }

  follow(lease: Lease, response: Response, page: ReadPage): Next {
    const { follower, foundLinks, frontier, guard } = this.#parts;
    const { head } = response;
    const isRedirect = head.status >= 300 && head.status <= 399;
    const redirect = isRedirect
      ? follower.redirect(lease, head.status, head.location)
      : NO_REDIRECT;
    const skipped: Skipped[] = [];
    const own = lease.seed ? this.#ownFacts(lease) : undefined;
    let next: Next;
    if (redirect.kind === "none") {
      next = foundLinks.of(lease, page, skipped, frontier);
      if (next.found.length > 0 && guard.watch?.mayRefuse())
        next = { ...next, found: guard.sift(next.found, follower, skipped) };
    } else next = this.#redirected(redirect, skipped);
    if (own !== undefined) next = { ...next, facts: [...own, ...(next.facts ?? [])] };
    if (skipped.length > 0) this.#reportSkipped(skipped);
    return next;
  }

  #redirected(redirect: Exclude<Redirect, { kind: "none" }>, skipped: Skipped[]): Next {
    if (redirect.kind === "bad") return { found: [], redirect, links: 0 };
    if (redirect.kind === "skipped") {
      this.#parts.follower.report(redirect.skipped, skipped);
      return { found: [], redirect: { location: redirect.skipped.url }, links: 1 };
    }
    const { found } = redirect;
    return {
      found: [found],
      redirect: { location: found.url },
      links: 1,
      facts: found.seed ? this.#widen(found) : undefined,
    };
  }

  #reportSkipped(skipped: readonly Skipped[]): void {
    this.#parts.counters.add("skipped", skipped.length);
    this.#parts.records.skipped(skipped);
    const { tell } = this.#parts;
    if (tell === undefined) return;
    for (const { url, reason, parent, depth } of skipped)
      tell({ kind: "skipped", url, reason, detail: undefined, parent, depth });
  }

  /**
   * A seed's target may be visited without a fact that says so: after a second look found the redirect that leads there,
   * or in a folder of an older version.
   */
  #ownFacts(lease: Lease): readonly Fact[] | undefined {
    const isUnknown = this.#parts.scope.refusal(lease.url) === "out_of_scope";
    return isUnknown ? this.#widen(lease) : undefined;
  }

  /**
   * What a seed leads to belongs to the scope: for this thread at once, because the redirect is as good a reason for its
   * other links as it will be tomorrow; for the others and for later runs when it is committed.
   */
  #widen({ url }: Pick<Lease, "url">): readonly Fact[] {
    this.#parts.scope.addSeed(url);
    return [widenedFact(url)];
  }

  store(line: OutcomeLine, lease: Lease, response: Response, page: ReadPage): number {
    const { counters, latency, bytes, records, tell, handlers } = this.#parts;
    const { length } = response.body;
    counters.row[COLUMNS.bytes]! += length;
    if (line.outcome === "failed") countFault(this.#parts, line);
    if (tell !== undefined) tellEnd(tell, line);
    latency.add(response.tookMs);
    bytes.body(length);
    const record = records.capture(line, lease, response, page);
    // A handler may keep what it was given.
    if (handlers === undefined) page.parsed?.packed?.release();
    return record;
  }

  log(line: OutcomeLine): void {
    const { tell, records } = this.#parts;
    countFault(this.#parts, line);
    if (tell !== undefined) tellEnd(tell, line);
    records.outcome(line);
  }

  /** The crawl gives up waiting for this URL's host. */
  logUnavailable(lease: Lease): void {
    this.log(unavailableOutcome(lease));
  }

  commit(lease: Lease, end: VisitEnd): void {
    const { guard, namedSitemaps, ends } = this.#parts;
    // Only a visit without a response did not come by `follow`.
    const own = lease.seed ? this.#ownFacts(lease) : undefined;
    const verdicts = guard.watch?.hasVerdicts ? guard.takeVerdicts() : undefined;
    const sitemaps = namedSitemaps.mayHave ? namedSitemaps.take(lease.url) : undefined;
    let whole = end;
    if (own !== undefined || verdicts !== undefined)
      whole = { ...whole, facts: [...(end.facts ?? []), ...(own ?? []), ...(verdicts ?? [])] };
    if (sitemaps !== undefined) {
      if (sitemaps.skipped.length > 0) this.#reportSkipped(sitemaps.skipped);
      whole = { ...whole, found: [...end.found, ...sitemaps.found] };
    }
    ends.finish(lease, whole);
  }

  threw(fault: unknown): void {
    this.#parts.threw(fault);
  }
}

function logRead(log: DebugLog, { url }: Lease, { date }: Response, parsed: ParsedPage): void {
  const { title, words, firstWords } = parsed;
  log.write({ time: timeText(date), url, title, words, firstWords });
}

function tellEnd(tell: (told: Told) => void, line: OutcomeLine): void {
  const { outcome, url, error = "", detail, parent, depth } = line;
  if (outcome !== "refused" && outcome !== "failed") return;
  const kind = outcome === "refused" ? "skipped" : "failed";
  tell({ kind, url, reason: error, detail, parent, depth });
}
