import type { FetchOutcome } from "../../fetch/outcome.ts";
import type { Response } from "../../fetch/transport.ts";
import type { Discovery, Lease, OUTCOME } from "../../frontier/frontier.ts";
import type { KnownFingerprints } from "../../frontier/seen/known-links.ts";
import type { ReadPage } from "./read-page.ts";

/** Where a response leads. */
export interface Next {
  /** To be visited: a redirect's target, or the page's links that are in scope. */
  readonly found: readonly Discovery[];
  /** Links that are known already, where they get a share. */
  readonly known?: KnownFingerprints | undefined;
  /** Set for redirects: where it points, or why that is no good. */
  readonly redirect: { readonly location: string } | { readonly error: string } | undefined;
  /** Distinct links, also those that are not followed; a redirect is one. */
  readonly links: number;
}

/** What a visit needs: each stage is a function, so that the whole way of a URL can be read below. */
export interface Stages {
  /** Robots, name, address, gate, wire. Waiting for nothing costs as much as a stage: what is known is no promise. */
  fetch(lease: Lease): FetchOutcome | Promise<FetchOutcome>;
  /** The URL goes back to its queue: politeness, or another try later. False when its tries are used up. */
  tryLater(lease: Lease, outcome: FetchOutcome): boolean;
  /** The request, if there was one, is over: the host's delay runs from its end. */
  requestEnded(lease: Lease): void;
  /** Decodes and parses what came, if it is a page. */
  read(lease: Lease, response: Response): ReadPage | Promise<ReadPage>;
  /** The user's handler sees the page and may change its links; without one the page stays as it is. */
  handle(lease: Lease, response: Response, page: ReadPage): ReadPage | Promise<ReadPage>;
  /** Decides what to visit next and reports what is not. */
  follow(lease: Lease, response: Response, page: ReadPage): Next;
  /** Hands the record to a builder, releases the response once it is on its way, and answers the record's number. */
  store(lease: Lease, response: Response, page: ReadPage, next: Next): number;
  /** Logs a URL that leaves no record in the archive. */
  log(lease: Lease, outcome: FetchOutcome): void;
  /** The end of the visit and what it found become durable together; only then the URL is released. */
  commit(lease: Lease, end: VisitEnd): void;
}

/** How a visit ended. */
export interface VisitEnd {
  readonly outcome: keyof typeof OUTCOME;
  /** To be visited next. */
  readonly found: readonly Discovery[];
  readonly known?: KnownFingerprints | undefined;
  /** Distinct links, also those that are not followed. */
  readonly links: number;
  /** Number of the record in the archive. */
  readonly record: number | undefined;
  /** Bytes that would have to be fetched again if this were lost. */
  readonly bytes: number;
}

/** The life of one URL, from lease to commit. Its place in flight is free at the end: the record is still on its way to the disk then. */
export async function visit(lease: Lease, stages: Stages): Promise<void> {
  const outcome = await stages.fetch(lease);
  if (stages.tryLater(lease, outcome)) {
    if (outcome.kind === "response") outcome.response.release();
    return;
  }
  stages.requestEnded(lease);
  if (outcome.kind !== "response") {
    stages.log(lease, outcome);
    const refused = outcome.kind === "refused" ? "refused" : "failed";
    return stages.commit(lease, {
      outcome: refused,
      found: [],
      links: 0,
      record: undefined,
      bytes: 0,
    });
  }
  const reading = stages.read(lease, outcome.response);
  const handling = stages.handle(
    lease,
    outcome.response,
    reading instanceof Promise ? await reading : reading,
  );
  const page = handling instanceof Promise ? await handling : handling;
  const next = stages.follow(lease, outcome.response, page);
  const record = stages.store(lease, outcome.response, page, next);
  const { found, known, redirect, links } = next;
  const answer = redirect !== undefined && "location" in redirect ? "redirect" : "failed";
  const lesser = page.listed ? "sitemap" : page.unchanged ? "unchanged" : answer;
  stages.commit(lease, {
    outcome: page.isPage ? "page" : lesser,
    found,
    known,
    links,
    record,
    bytes: outcome.response.body.length,
  });
}
