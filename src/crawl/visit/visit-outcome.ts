import type { Unanswered } from "../../fetch/outcome.ts";
import type { Response } from "../../fetch/transport.ts";
import type { Lease, OUTCOME } from "../../frontier/frontier.ts";
import { directivesText } from "../../parse/robots-meta.ts";
import type { CounterRow } from "../../stats/counters.ts";
import type { FailureCounts } from "../../stats/failure-counts.ts";
import type { ReadPage } from "./read-page.ts";

/** How a visit ends, as the log and the journal name it. */
export type VisitOutcome = keyof typeof OUTCOME;

/** One line of logs/crawl.jsonl: what became of a URL. Fields without a value are left out. */
export interface OutcomeLine<Outcome extends string = VisitOutcome | "unavailable"> {
  time: string;
  url: string;
  outcome: Outcome;
  status?: number | undefined;
  /** Stable code of what went wrong; also on pages that are truncated or damaged. */
  error?: string | undefined;
  detail?: string | undefined;
  location?: string | undefined;
  mime?: string | undefined;
  bytes?: number | undefined;
  ms?: number | undefined;
  depth: number;
  via: string;
  parent?: string | undefined;
  attempt?: number | undefined;
  truncated?: string | undefined;
  /** What robots meta and X-Robots-Tag ask for: the page is archived, and marked. */
  robots?: string | undefined;
  /** Why the certificate would have been refused without --insecure. */
  insecure?: string | undefined;
  /** Pages that a sitemap or feed lists. */
  urls?: number | undefined;
  /** Links of the page beyond those that are kept. */
  links_dropped?: number | undefined;
}

/** Where a redirect points, or what is wrong with it; undefined for other responses. */
export type RedirectEnd = { readonly location: string } | { readonly error: string } | undefined;

/** What became of a URL that was answered. */
export function responseOutcome(
  lease: Lease,
  response: Response,
  page: ReadPage,
  redirect: RedirectEnd,
): OutcomeLine<VisitOutcome> {
  const { status } = response.head;
  const { robots, parsed, listed } = page;
  const location = redirect && "location" in redirect ? redirect.location : undefined;
  const outcome = page.isPage ? "page" : outcomeOf(page, location !== undefined);
  const fault = redirect && "error" in redirect ? redirect.error : `http_${status}`;
  return {
    time: timeText(response.date),
    url: lease.url,
    outcome,
    depth: lease.depth,
    via: lease.via,
    parent: lease.parent,
    attempt: lease.attempt || undefined,
    status,
    error: outcome === "failed" ? fault : page.flag,
    location,
    mime: page.mime,
    bytes: response.body.length,
    ms: Math.round(response.tookMs),
    truncated: page.truncated,
    insecure: response.unverified,
    robots: robots.noindex || robots.nofollow ? directivesText(robots) : undefined,
    urls: listed?.urls.length,
    links_dropped: parsed?.linksDropped || undefined,
  };
}

/** That of a response which is no page. */
function outcomeOf(page: ReadPage, isRedirect: boolean): VisitOutcome {
  if (page.listed !== undefined) return "sitemap";
  if (page.unchanged !== undefined) return "unchanged";
  return isRedirect ? "redirect" : "failed";
}

/** What became of a URL without a response. */
export function unansweredOutcome(lease: Lease, outcome: Unanswered): OutcomeLine<VisitOutcome> {
  const line = start(lease, Date.now(), outcome.kind);
  line.error = outcome.error;
  line.detail = outcome.detail;
  return line;
}

/** What became of a URL whose host made it wait longer than `--max-wait`. */
export function unavailableOutcome(lease: Lease): OutcomeLine {
  const line = start(lease, Date.now(), "unavailable");
  line.error = "host_unavailable";
  return line;
}

/** What every line begins with. */
function start<Outcome extends string>(
  lease: Lease,
  dateMs: number,
  outcome: Outcome,
): OutcomeLine<Outcome> {
  return {
    time: timeText(dateMs),
    url: lease.url,
    outcome,
    depth: lease.depth,
    via: lease.via,
    parent: lease.parent,
    attempt: lease.attempt || undefined,
  };
}

let latest = { second: Number.NaN, text: "" };

/** As `toISOString` writes it; many pages share the second. */
export function timeText(dateMs: number): string {
  const second = Math.floor(dateMs / 1000);
  if (second !== latest.second) {
    latest = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  }
  return `${latest.text}${String(Math.floor(dateMs - second * 1000)).padStart(3, "0")}Z`;
}

/** Counts what the line of a URL that was not crawled tells beside its outcome, which the frontier counts at the commit. */
export function countFault(
  { counters, failures }: { readonly counters: CounterRow; readonly failures: FailureCounts },
  { outcome, error = "other" }: OutcomeLine,
): void {
  failures.add(error);
  if (outcome === "unavailable") counters.add("unavailable");
  if (outcome === "refused" && error.startsWith("trap_")) counters.add("trapped");
}
