import type { CrawlConfig } from "../../config/schema.ts";
import type { Fetcher } from "../../fetch/fetcher.ts";
import type { FetchOutcome, FinalOutcome, Unanswered } from "../../fetch/outcome.ts";
import type { Receiver } from "../../fetch/receiver.ts";
import type { Response } from "../../fetch/transport.ts";
import type { ByteCount } from "../../frontier/byte-count.ts";
import type { Fact, Frontier, Lease } from "../../frontier/frontier.ts";
import type { Gatekeeper } from "../../frontier/gatekeeper.ts";
import type { HostSettings } from "../../frontier/host-settings.ts";
import { reservedBy } from "../../parse/rights/signals.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import type { CounterRow } from "../../stats/counters.ts";
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
import { countOutcome, type OutcomeLine, timeText, unavailableOutcome } from "./visit-outcome.ts";

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
  /** A visit is over. */
  readonly finish: (lease: Lease, end: VisitEnd) => void;
  /** The visit is to be made again, not before a moment: its host waits, or the URL rests and its host goes on. */
  readonly retry: (lease: Lease, untilMs: number, rests: boolean) => void;
}

/** The stages of a visit as a crawler thread runs them. */
export class CrawlerStages implements Stages {
  readonly #parts: StageParts;
  readonly #reading;

  constructor(parts: StageParts) {
    this.#parts = parts;
    this.#reading = readRulesOf(parts.rules.config, parts.rules);
  }

  fetch(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined {
    const { guard, fetcher, costly, handlers, settings } = this.#parts;
    if (settings.isBlocked(lease.host.name)) return { kind: "refused", error: "host_blocked" };
    const freeMs = costly.untilFree(lease.host.name);
    if (freeMs > 0) return { kind: "postponed", untilMs: freeMs };
    const { heldMs } = lease.host.reachOf(lease.url);
    if (lease.host.hasSeveralOrigins && heldMs > monotonicMs())
      return { kind: "postponed", untilMs: heldMs, aside: true };
    return guard.before(lease) ?? handlers?.before(lease) ?? fetcher.begin(lease, receiver);
  }

  orTryLater(lease: Lease, outcome: FetchOutcome): FinalOutcome | undefined {
    if (outcome.kind === "postponed") return this.#tryLater(lease, outcome);
    const nowMs = monotonicMs();
    const { isAborting, rules, counters, gatekeeper } = this.#parts;
    if (outcome.kind === "failed" && outcome.error === "aborted" && isAborting())
      return this.#tryLater(lease, { untilMs: nowMs });
    const retry = retryOf(lease, outcome, rules.config, nowMs);
    // The others must know, too.
    if (lease.host.heldMs > nowMs) gatekeeper.hold(lease.host, lease.host.heldMs, nowMs);
    if (retry === undefined) return outcome;
    if (outcome.kind === "response") outcome.response.release();
    lease.attempt++;
    counters.add("retries");
    return this.#tryLater(lease, retry);
  }

  #tryLater(lease: Lease, { untilMs, aside }: Retry): undefined {
    const { retry } = this.#parts;
    if (aside) this.requestEnded(lease);
    retry(lease, untilMs, aside === true);
  }

  /** A URL refused by robots.txt, a trap or a budget was never requested, so it costs its host no delay. */
  requestEnded(lease: Lease): void {
    this.#parts.frontier.requestEnded(lease, lease.host.endedMs);
  }

  read(lease: Lease, response: Response): ReadPage | Promise<ReadPage> {
    const { earlier } = this.#parts;
    const reading =
      response.head.status === 304 && earlier !== undefined
        ? readUnchanged(lease.url, response, earlier, this.#reading)
        : readPage(lease.url, lease.via, response, this.#reading, this.#wantsText(lease, response));
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

  #wantsText(lease: Lease, { head }: Response): boolean {
    return head.status >= 200 && head.status <= 299 && this.#parts.guard.wantsText(lease);
  }

  #noteRead(lease: Lease, response: Response, page: ReadPage): ReadPage {
    const { guard, costly } = this.#parts;
    costly.note(lease.host.name, page.costMs);
    if (page.isPage || page.unchanged !== undefined) guard.read(lease, page, response.body);
    return this.#withSignals(lease, this.#noteParsed(lease, response, page));
  }

  /** robots.txt may say something about the use of its pages, and --obey-tdm lets that count. */
  #withSignals(lease: Lease, page: ReadPage): ReadPage {
    const { fetcher, rules } = this.#parts;
    const contentSignal = page.isPage ? fetcher.contentSignal(lease.url) : undefined;
    if (contentSignal === undefined && page.signals === undefined) return page;
    const signals = contentSignal === undefined ? page.signals : { ...page.signals, contentSignal };
    const reserved = rules.config.obeyTdm ? reservedBy(signals, page.mime) : undefined;
    return { ...page, signals, reserved };
  }

  #noteParsed(lease: Lease, response: Response, page: ReadPage): ReadPage {
    const { counters, debugLog } = this.#parts;
    if (page.parsed !== undefined) {
      counters.add("linksDropped", page.parsed.linksDropped);
      debugLog?.write({
        time: timeText(response.date),
        url: lease.url,
        title: page.parsed.title,
        words: page.parsed.words,
        firstWords: page.parsed.firstWords,
      });
    }
    return page;
  }

  handle(lease: Lease, response: Response, page: ReadPage): Handled | Promise<Handled> {
    const { handlers, earlier } = this.#parts;
    if (handlers === undefined || !(page.isPage || page.unchanged !== undefined)) return page;
    // It may ask for the head when the response is released.
    response.head.keep();
    const source = page.unchanged && earlier && earlierResponse(earlier, lease.url);
    return handlers.run(lease, source ?? response, page);
  }

  triesAgain(lease: Lease, response: Response, fault: Unanswered): boolean {
    response.release();
    const { rules, counters, retry } = this.#parts;
    if (fault.error === "aborted") {
      // Nobody wants it now: it waits for the next run.
      retry(lease, monotonicMs(), true);
      return true;
    }
    const again = retryOf(lease, fault, rules.config, monotonicMs());
    if (again === undefined) return false;
    lease.attempt++;
    counters.add("retries");
    // Its request has ended, so nothing but this URL waits.
    retry(lease, again.untilMs, true);
    return true;
  }

  follow(lease: Lease, response: Response, page: ReadPage): Next {
    const { follower } = this.#parts;
    const { status } = response.head;
    const redirect = follower.redirect(lease, status, response.head.location);
    const skipped: Skipped[] = [];
    const own = this.#ownFacts(lease);
    const more = this.#next(lease, page, redirect, skipped);
    const next = own === undefined ? more : { ...more, facts: [...own, ...(more.facts ?? [])] };
    this.#reportSkipped(skipped);
    return next;
  }

  #reportSkipped(skipped: readonly Skipped[]): void {
    if (skipped.length === 0) return;
    this.#parts.counters.add("skipped", skipped.length);
    this.#parts.records.skipped(skipped);
    const { tell } = this.#parts;
    if (tell === undefined) return;
    for (const { url, reason, parent, depth } of skipped)
      tell({ kind: "skipped", url, reason, detail: undefined, parent, depth });
  }

  #next(lease: Lease, page: ReadPage, redirect: Redirect, skipped: Skipped[]): Next {
    const { follower } = this.#parts;
    switch (redirect.kind) {
      case "bad":
        return { found: [], redirect, links: 0 };
      case "skipped":
        follower.report(redirect.skipped, skipped);
        return { found: [], redirect: { location: redirect.skipped.url }, links: 1 };
      case "to":
        return {
          found: [redirect.found],
          redirect: { location: redirect.found.url },
          links: 1,
          facts: redirect.found.seed ? this.#widen(redirect.found) : undefined,
        };
      case "none": {
        const { guard, foundLinks } = this.#parts;
        const { found, known, links } = foundLinks.of(lease, page, skipped, this.#parts.frontier);
        return {
          found: guard.sift(found, follower, skipped),
          known,
          redirect: undefined,
          links,
        };
      }
    }
  }

  /**
   * A seed's target may be visited without a fact that says so: after a second look found the redirect that leads there,
   * or in a folder of an older version.
   */
  #ownFacts(lease: Lease): readonly Fact[] | undefined {
    const isUnknown = lease.seed && this.#parts.scope.refusal(lease.url) === "out_of_scope";
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
    countOutcome(this.#parts, line);
    this.#tellEnd(line);
    this.#parts.latency.add(response.tookMs);
    this.#parts.bytes.body(line.bytes ?? 0);
    const record = this.#parts.records.capture(line, lease, response, page);
    // A handler may keep what it was given.
    if (this.#parts.handlers === undefined) page.parsed?.packed?.release();
    return record;
  }

  #tellEnd({ outcome, url, error = "", detail, parent, depth }: OutcomeLine): void {
    const { tell } = this.#parts;
    if (tell === undefined || (outcome !== "refused" && outcome !== "failed")) return;
    const kind = outcome === "refused" ? "skipped" : "failed";
    tell({ kind, url, reason: error, detail, parent, depth });
  }

  log(line: OutcomeLine): void {
    countOutcome(this.#parts, line);
    this.#tellEnd(line);
    this.#parts.records.outcome(line);
  }

  /** The crawl gives up waiting for this URL's host. */
  logUnavailable(lease: Lease): void {
    this.log(unavailableOutcome(lease));
  }

  commit(lease: Lease, ended: VisitEnd): void {
    // Only a visit without a response did not come by `follow`.
    const own = this.#ownFacts(lease);
    const verdicts = this.#parts.guard.takeVerdicts();
    const end =
      own === undefined && verdicts === undefined
        ? ended
        : { ...ended, facts: [...(ended.facts ?? []), ...(own ?? []), ...(verdicts ?? [])] };
    const sitemaps = this.#parts.namedSitemaps.take(lease.url);
    if (sitemaps === undefined) {
      this.#parts.finish(lease, end);
      return;
    }
    this.#reportSkipped(sitemaps.skipped);
    this.#parts.finish(lease, { ...end, found: [...end.found, ...sitemaps.found] });
  }
}
