import type { FetchOutcome, FinalOutcome, Unanswered } from "../../fetch/outcome.ts";
import type { Response } from "../../fetch/transport.ts";
import type { KnownFingerprints } from "../../frontier/discovery.ts";
import type { Discovery, Fact, Lease } from "../../frontier/frontier.ts";
import { type Handled, isHandled } from "./handle-page.ts";
import type { ReadPage } from "./read-page.ts";
import {
  type OutcomeLine,
  type RedirectEnd,
  responseOutcome,
  unansweredOutcome,
  type VisitOutcome,
} from "./visit-outcome.ts";

/** Where a response leads. */
export interface Next {
  /** To be visited: a redirect's target, or the page's links that are in scope. */
  readonly found: readonly Discovery[];
  /** Links that are known already, where they get a share. */
  readonly known?: KnownFingerprints | undefined;
  readonly redirect: RedirectEnd;
  /** Distinct links, also those that are not followed; a redirect is one. */
  readonly links: number;
  /** What later visits are judged by. */
  readonly facts?: readonly Fact[] | undefined;
}

/** What a visit needs: each stage is a function, so that the life of a URL can be read below. */
export interface Stages {
  /** Robots, name, address, gate, transport. No promise if the outcome is known at once: awaiting one costs as much as a stage. */
  fetch(lease: Lease): FetchOutcome | Promise<FetchOutcome>;
  /** The outcome if it is final; a URL that has to wait or deserves another try goes back into its queue. */
  orTryLater(lease: Lease, outcome: FetchOutcome): FinalOutcome | undefined;
  /** The request, if there was one, is over: the host's delay starts at its end. */
  requestEnded(lease: Lease): void;
  /** Decodes and parses the response, if it is a page. */
  read(lease: Lease, response: Response): ReadPage | Promise<ReadPage>;
  /** The user's handler sees the page and may change its links; without one the page stays as it is. */
  handle(lease: Lease, response: Response, page: ReadPage): Handled | Promise<Handled>;
  /** The handler failed: true when the page is tried again. The response is released. */
  triesAgain(lease: Lease, response: Response, fault: Unanswered): boolean;
  /** Decides what to visit next and reports the links that are not followed. */
  follow(lease: Lease, response: Response, page: ReadPage): Next;
  /** Hands the record to a builder and returns its number; the response is released once it is copied. */
  store(line: OutcomeLine, lease: Lease, response: Response, page: ReadPage): number;
  /** Logs a URL that leaves no record in the archive. */
  log(line: OutcomeLine): void;
  /** Makes the end of the visit and its links durable together; only then is the URL released. */
  commit(lease: Lease, end: VisitEnd): void;
}

/** How a visit ended. */
export interface VisitEnd {
  readonly outcome: VisitOutcome;
  /** To be visited next. */
  readonly found: readonly Discovery[];
  readonly known?: KnownFingerprints | undefined;
  /** Distinct links, also those that are not followed. */
  readonly links: number;
  /** What it found out that decides what is admitted from now on; committed with it. */
  readonly facts?: readonly Fact[] | undefined;
  /** Number of the record in the archive. */
  readonly record: number | undefined;
  /** Bytes that would have to be fetched again if this were lost. */
  readonly bytes: number;
}

/** The life of one URL, from lease to commit. At the end its place in flight is free, while the record is still on its way to the disk. */
export async function visit(lease: Lease, stages: Stages): Promise<void> {
  const outcome = stages.orTryLater(lease, await stages.fetch(lease));
  if (outcome === undefined) return;
  stages.requestEnded(lease);
  if (outcome.kind !== "response") return endUnanswered(lease, stages, outcome, NOWHERE);
  const { response } = outcome;
  const reading = stages.read(lease, response);
  const read = reading instanceof Promise ? await reading : reading;
  if (read.reserved !== undefined) {
    response.release();
    const reserved = { error: "tdm_reserved", detail: read.reserved } as const;
    return endUnanswered(lease, stages, { kind: "refused", ...reserved }, NOWHERE);
  }
  const handling = stages.handle(lease, response, read);
  const page = handling instanceof Promise ? await handling : handling;
  if (!isHandled(page)) {
    if (stages.triesAgain(lease, response, page)) return;
    return endUnanswered(lease, stages, page, NOWHERE);
  }
  const next = stages.follow(lease, response, page);
  if (page.refusal !== undefined) {
    response.release();
    const skipped = { error: "handler_skipped", detail: page.refusal } as const;
    return endUnanswered(lease, stages, { kind: "refused", ...skipped }, next);
  }
  const { found, known, redirect, links, facts } = next;
  const line = responseOutcome(lease, response, page, redirect);
  const record = stages.store(line, lease, response, page);
  const bytes = response.body.length;
  stages.commit(lease, { outcome: line.outcome, found, known, links, facts, record, bytes });
}

const NOWHERE: Next = { found: [], redirect: undefined, links: 0 };

/** Ends a visit that leaves no record. */
function endUnanswered(lease: Lease, stages: Stages, outcome: Unanswered, next: Next): void {
  const line = unansweredOutcome(lease, outcome);
  stages.log(line);
  const { found, known, links, facts } = next;
  const end = { outcome: line.outcome, found, known, links, facts, record: undefined, bytes: 0 };
  stages.commit(lease, end);
}
