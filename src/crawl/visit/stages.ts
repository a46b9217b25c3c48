import type { Capture, FetchOutcome } from "../../fetch/outcome.ts";
import { isWorthRetrying } from "../../fetch/outcome.ts";
import { retryAfterMs } from "../../fetch/retry-after.ts";
import type { Frontier, Lease } from "../../frontier/frontier.ts";
import type { KnownLinks } from "../../frontier/seen/known-links.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import type { CounterRow } from "../../stats/counters.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { CrawlerParts } from "../crawler/crawler-parts.ts";
import { backOffMs, type CrawlerRules } from "../crawler/crawler-rules.ts";
import type { BufferSender } from "../hand-off/buffer-sender.ts";
import { captureParts } from "../hand-off/capture-frame.ts";
import { FRAMES } from "../hand-off/frames.ts";
import type { DebugLog } from "./debug-log.ts";
import type { Redirect, Skipped } from "./follower.ts";
import { outcomeLine, responseLine, unavailableLine } from "./outcome-line.ts";
import { type ReadPage, type ReadRules, readPage } from "./read-page.ts";
import { readRulesOf } from "./read-rules.ts";
import { readUnchanged } from "./read-unchanged.ts";
import type { Next, Stages, VisitEnd } from "./visit.ts";

/** Errors that are the host's, not the URL's: everybody who wants this host waits. */
const HOST_ERRORS = new Set([
  "connect_timeout",
  "connection_refused",
  "unreachable",
  "dns_timeout",
]);

/** What the stages use; all of it belongs to one crawler thread. */
export interface StageParts extends CrawlerParts {
  readonly rules: CrawlerRules;
  readonly frontier: Frontier;
  /** Absent where every link counts, known or not. */
  readonly known: KnownLinks | undefined;
  readonly handOff: BufferSender;
  readonly counters: CounterRow;
  readonly debugLog: DebugLog | undefined;
  /** Tells all threads that a seed leads to this URL, which now belongs to the scope. */
  readonly announceSeed: (url: CrawlUrl) => void;
  /** True once the crawl drops what is in flight. */
  readonly isAborting: () => boolean;
  /** A visit is over. */
  readonly finished: (lease: Lease, end: VisitEnd) => void;
  /** The visit ends without a page for now. */
  readonly returnPermit: (lease: Lease) => void;
}

/** The stages of a visit as a crawler thread runs them. */
export class CrawlerStages implements Stages {
  readonly #parts: StageParts;
  readonly #reading: ReadRules;
  readonly #keepsBodies: boolean;

  constructor(parts: StageParts) {
    this.#parts = parts;
    this.#keepsBodies = parts.rules.config.store !== "none";
    this.#reading = readRulesOf(parts.rules.config);
  }

  fetch(lease: Lease): FetchOutcome | Promise<FetchOutcome> {
    const { guard, fetcher } = this.#parts;
    const { heldMs } = lease.host.reachOf(lease.url);
    if (lease.host.hasSeveralOrigins && heldMs > monotonicMs())
      return { kind: "postponed", untilMs: heldMs, aside: true };
    return guard.before(lease) ?? fetcher.fetch(lease);
  }

  tryLater(lease: Lease, outcome: FetchOutcome): boolean {
    const { frontier, rules, isAborting, counters } = this.#parts;
    const now = monotonicMs();
    if (outcome.kind === "postponed") {
      this.#parts.guard.after(lease, false);
      if (outcome.aside) {
        this.requestEnded(lease);
        frontier.rest(lease, outcome.untilMs);
      } else frontier.giveBack(lease, outcome.untilMs);
      this.#parts.returnPermit(lease);
      return true;
    }
    if (outcome.kind === "failed" && outcome.error === "aborted" && isAborting()) {
      frontier.giveBack(lease, now);
      this.#parts.returnPermit(lease);
      return true;
    }
    const { host } = lease;
    // Whether or not this URL is tried again: its host is not asked before.
    const asked = askedToWait(outcome);
    if (asked !== undefined) host.heldMs = Math.max(host.heldMs, now + asked);
    const reach = host.reachOf(lease.url);
    const isHosts = outcome.kind === "failed" && HOST_ERRORS.has(outcome.error);
    if (outcome.kind === "response") reach.failures = 0;
    const isLast = !isWorthRetrying(outcome) || lease.attempt >= rules.config.retries;
    const waitMs = backOffMs(rules.config.delayMs, reach.failures + lease.attempt);
    // Requests that were under way together fail together: that counts once.
    if (isHosts && isLast && reach.heldMs <= now) reach.failures++;
    const heldMs = now + Math.max(waitMs, host.delayMs);
    if (isHosts) reach.heldMs = Math.max(reach.heldMs, heldMs);
    else if (asked !== undefined && !isLast) host.heldMs = Math.max(host.heldMs, heldMs);
    if (isLast) return false;
    this.#parts.guard.after(lease, false);
    lease.attempt++;
    counters.add("retries");
    if (asked !== undefined || (isHosts && reach === host)) frontier.giveBack(lease, host.heldMs);
    else {
      this.requestEnded(lease);
      frontier.rest(lease, isHosts ? reach.heldMs : now + waitMs);
    }
    this.#parts.returnPermit(lease);
    return true;
  }

  /** What robots.txt, a trap or a budget refuses was never asked for, so it costs its host no delay. */
  requestEnded(lease: Lease): void {
    this.#parts.frontier.requestEnded(lease, lease.host.endedMs);
  }

  read(lease: Lease, capture: Capture): ReadPage | Promise<ReadPage> {
    const { earlier } = this.#parts;
    const reading =
      capture.head.status === 304 && earlier !== undefined
        ? readUnchanged(lease.url, capture, earlier, this.#reading)
        : readPage(lease.url, lease.via, capture, this.#reading);
    return reading instanceof Promise
      ? reading.then((page) => this.#noteRead(lease, capture, page))
      : this.#noteRead(lease, capture, reading);
  }

  #noteRead(lease: Lease, capture: Capture, page: ReadPage): ReadPage {
    const { counters, debugLog, guard } = this.#parts;
    if (page.isPage || page.unchanged !== undefined) guard.read(lease, page, capture.body);
    if (page.parsed !== undefined) {
      counters.add("linksDropped", page.parsed.linksDropped);
      debugLog?.write({
        url: lease.url,
        title: page.parsed.title,
        words: page.parsed.words,
        firstWords: page.parsed.firstWords,
      });
    }
    return page;
  }

  follow(lease: Lease, capture: Capture, page: ReadPage): Next {
    const { follower } = this.#parts;
    const { status } = capture.head;
    const redirect = follower.redirect(lease, status, capture.head.location);
    const skipped: Skipped[] = [];
    const next = this.#next(lease, page, redirect, skipped);
    if (skipped.length > 0) {
      this.#parts.counters.add("skipped", skipped.length);
      const lines = skipped.map((line) => JSON.stringify(line)).join("\n");
      this.#parts.handOff.send(FRAMES.skipped, [Buffer.from(lines)]);
    }
    return next;
  }

  #next(lease: Lease, page: ReadPage, redirect: Redirect, skipped: Skipped[]): Next {
    const { follower, scope } = this.#parts;
    switch (redirect.kind) {
      case "bad":
        return { found: [], redirect, links: 0 };
      case "skipped":
        follower.report(redirect.skipped, skipped);
        return { found: [], redirect: { location: redirect.skipped.url }, links: 1 };
      case "to":
        if (redirect.found.seed) {
          scope.addSeed(redirect.found.url);
          this.#parts.announceSeed(redirect.found.url);
        }
        return { found: [redirect.found], redirect: { location: redirect.found.url }, links: 1 };
      case "none": {
        const { guard, foundLinks } = this.#parts;
        const { found, known, links } = foundLinks.of(lease, page, skipped, this.#parts.known);
        return {
          found: guard.sift(found, follower, skipped),
          known,
          redirect: undefined,
          links,
        };
      }
    }
  }

  store(lease: Lease, capture: Capture, page: ReadPage, next: Next): number {
    const line = responseLine(lease, capture, page, next.redirect);
    const parts = captureParts(line, lease, capture, page, this.#keepsBodies);
    this.#count(line.outcome, capture.body.length);
    return this.#parts.handOff.sendRecord(parts, () => capture.release());
  }

  /** The crawl gives up waiting for this URL's host. */
  logUnavailable(lease: Lease): void {
    this.#parts.counters.add("unavailable");
    const line = Buffer.from(jsonLine(unavailableLine(lease, Date.now())));
    this.#parts.handOff.send(FRAMES.outcome, [line]);
  }

  log(lease: Lease, outcome: FetchOutcome): void {
    if (outcome.kind === "response" || outcome.kind === "postponed") return;
    const line = Buffer.from(jsonLine(outcomeLine(lease, outcome, Date.now())));
    this.#count(outcome.kind, 0);
    if (outcome.error.startsWith("trap_")) this.#parts.counters.add("trapped");
    this.#parts.handOff.send(FRAMES.outcome, [line]);
  }

  commit(lease: Lease, end: VisitEnd): void {
    this.#parts.guard.after(lease, end.outcome === "page");
    const sitemaps = this.#parts.namedSitemaps.take(lease.url);
    const all = sitemaps.length === 0 ? end : { ...end, found: [...end.found, ...sitemaps] };
    this.#parts.finished(lease, all);
  }

  #count(outcome: string, bytes: number): void {
    const { counters } = this.#parts;
    counters.add("bytes", bytes);
    if (outcome === "failed" || outcome === "refused") counters.add(outcome);
    else if (outcome === "redirect") counters.add("redirects");
    else if (outcome === "sitemap") counters.add("sitemaps");
    else if (outcome === "unchanged") counters.add("unchanged");
  }
}

/** Milliseconds a server asked us to stay away. */
function askedToWait(outcome: FetchOutcome): number | undefined {
  if (outcome.kind !== "response") return undefined;
  const { head } = outcome.capture;
  if (head.status !== 429 && head.status !== 503) return undefined;
  return retryAfterMs(head.get("retry-after"), Date.now());
}
