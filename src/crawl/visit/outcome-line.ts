import type { FetchOutcome } from "../../fetch/outcome.ts";
import type { Response } from "../../fetch/transport.ts";
import type { Lease } from "../../frontier/frontier.ts";
import { directivesText } from "../../parse/robots-meta.ts";
import type { ReadPage } from "./read-page.ts";
import type { Next } from "./visit.ts";

/** One line of logs/crawl.jsonl: what became of a URL. Fields without a value are left out. */
export interface OutcomeLine {
  time: string;
  url: string;
  outcome: "page" | "sitemap" | "unchanged" | "redirect" | "failed" | "refused" | "unavailable";
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

let latest = { second: Number.NaN, text: "" };

/** As `toISOString` says it; to the second many pages share it. */
function timeText(dateMs: number): string {
  const second = Math.floor(dateMs / 1000);
  if (second !== latest.second) {
    latest = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  }
  const ms = Math.floor(dateMs - second * 1000);
  return `${latest.text}${ms < 10 ? "00" : ms < 100 ? "0" : ""}${ms}Z`;
}

/** What every line says; what is undefined does not become part of a line. */
function start(lease: Lease, dateMs: number, outcome: OutcomeLine["outcome"]): OutcomeLine {
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

/** The line of a URL that was refused or failed. */
export function outcomeLine(
  lease: Lease,
  outcome: Exclude<FetchOutcome, { kind: "response" | "postponed" }>,
  dateMs: number,
): OutcomeLine {
  return {
    ...start(lease, dateMs, outcome.kind),
    error: outcome.error,
    detail: outcome.detail,
  };
}

/** The line of a URL that waited in vain for its host until `--max-wait`; it stays queued for a later run. */
export function unavailableLine(lease: Lease, dateMs: number): OutcomeLine {
  return { ...start(lease, dateMs, "unavailable"), error: "host_unavailable" };
}

/** The line of a response: a page, a redirect, or an error status. */
export function responseLine(
  lease: Lease,
  response: Response,
  page: ReadPage,
  redirect: Next["redirect"],
): OutcomeLine {
  const { status } = response.head;
  const isRedirect = redirect !== undefined && "location" in redirect;
  const outcome = outcomeOf(page, isRedirect);
  const fault = redirect !== undefined && "error" in redirect ? redirect.error : `http_${status}`;
  const error = outcome === "failed" ? fault : page.flag;
  // A line per page: assigned one by one, because putting objects together costs more than everything else here.
  const line = start(lease, response.date, outcome);
  line.status = status;
  line.error = error;
  line.location = isRedirect ? redirect.location : undefined;
  line.mime = page.mime;
  line.bytes = response.body.length;
  line.ms = Math.round(response.tookMs);
  line.truncated = page.truncated;
  line.insecure = response.unverified;
  line.robots = directivesText(page.robots) || undefined;
  line.urls = page.listed?.urls.length;
  line.links_dropped = page.parsed?.linksDropped || undefined;
  return line;
}

function outcomeOf(page: ReadPage, isRedirect: boolean): OutcomeLine["outcome"] {
  if (page.isPage) return "page";
  if (page.listed !== undefined) return "sitemap";
  if (page.unchanged !== undefined) return "unchanged";
  return isRedirect ? "redirect" : "failed";
}
