import type { Capture, FetchOutcome } from "../fetch/outcome.ts";
import type { Lease } from "../frontier/frontier.ts";
import { directivesText } from "../parse/robots-meta.ts";
import type { ReadPage } from "./read-page.ts";
import type { Next } from "./visit.ts";

/** One line of logs/crawl.jsonl: what became of a URL. Fields without a value are left out. */
export interface OutcomeLine {
  time: string;
  url: string;
  outcome: "page" | "sitemap" | "unchanged" | "redirect" | "failed" | "refused" | "unavailable";
  status?: number;
  /** Stable code of what went wrong; also on pages that are truncated or damaged. */
  error?: string;
  detail?: string;
  location?: string;
  mime?: string;
  bytes?: number;
  ms?: number;
  depth: number;
  via: string;
  parent?: string;
  attempt?: number;
  truncated?: string;
  /** What robots meta and X-Robots-Tag ask for: the page is archived, and marked. */
  robots?: string;
  /** Why the certificate would have been refused without --insecure. */
  insecure?: string;
  /** Pages that a sitemap or feed lists. */
  urls?: number;
  /** Links of the page beyond those that are kept. */
  links_dropped?: number;
}

function start(lease: Lease, dateMs: number, outcome: OutcomeLine["outcome"]): OutcomeLine {
  return {
    time: new Date(dateMs).toISOString(),
    url: lease.url,
    outcome,
    depth: lease.depth,
    via: lease.via,
    ...(lease.parent === undefined ? {} : { parent: lease.parent }),
    ...(lease.attempt === 0 ? {} : { attempt: lease.attempt }),
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
    ...(outcome.detail === undefined ? {} : { detail: outcome.detail }),
  };
}

/** The line of a URL that waited in vain for its host until `--max-wait`; it stays queued for a later run. */
export function unavailableLine(lease: Lease, dateMs: number): OutcomeLine {
  return { ...start(lease, dateMs, "unavailable"), error: "host_unavailable" };
}

/** The line of a response: a page, a redirect, or an error status. */
export function responseLine(
  lease: Lease,
  capture: Capture,
  page: ReadPage,
  redirect: Next["redirect"],
): OutcomeLine {
  const { status } = capture.head;
  const isRedirect = redirect !== undefined && "location" in redirect;
  const outcome = outcomeOf(page, isRedirect);
  const fault = redirect !== undefined && "error" in redirect ? redirect.error : `http_${status}`;
  const error = outcome === "failed" ? fault : page.flag;
  const robots = directivesText(page.robots);
  return {
    ...start(lease, capture.date, outcome),
    status,
    ...(error === undefined ? {} : { error }),
    ...(isRedirect ? { location: redirect.location } : {}),
    mime: page.mime,
    bytes: capture.body.length,
    ms: Math.round(capture.tookMs),
    ...(page.truncated === undefined ? {} : { truncated: page.truncated }),
    ...(capture.unverified === undefined ? {} : { insecure: capture.unverified }),
    ...(robots === "" ? {} : { robots }),
    ...(page.listed === undefined ? {} : { urls: page.listed.urls.length }),
    ...(page.parsed === undefined || page.parsed.linksDropped === 0
      ? {}
      : { links_dropped: page.parsed.linksDropped }),
  };
}

function outcomeOf(page: ReadPage, isRedirect: boolean): OutcomeLine["outcome"] {
  if (page.isPage) return "page";
  if (page.listed !== undefined) return "sitemap";
  if (page.unchanged !== undefined) return "unchanged";
  return isRedirect ? "redirect" : "failed";
}
