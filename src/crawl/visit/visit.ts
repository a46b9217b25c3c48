import type { FetchOutcome, FinalOutcome, Unanswered } from "../../fetch/outcome.ts";
import type { Receiver } from "../../fetch/receiver.ts";
import type { Response } from "../../fetch/transport.ts";
import type { KnownFingerprints } from "../../frontier/discovery.ts";
import type { Discovery, Fact, Lease } from "../../frontier/frontier.ts";
import { COLUMNS } from "../../stats/counters.ts";
import type { Handled } from "./handle-page.ts";
import type { ReadPage } from "./read-page.ts";
import {
  type OutcomeLine,
  type RedirectEnd,
  responseOutcome,
  unansweredOutcome,
  type VisitOutcome,
} from "./visit-outcome.ts";
import type { VisitTimes } from "./visit-times.ts";

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
  /** How long they take. */
  readonly times: VisitTimes;
  /** Robots, name, address, gate, transport. Returns the outcome if it is known at once, otherwise the receiver is told. */
  fetch(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined;
  /**
   * The outcome if it is final: the request, if there was one, is over, and the host's delay starts at its end. A URL that
   * has to wait or deserves another try goes back into its queue.
   */
  orTryLater(lease: Lease, outcome: FetchOutcome): FinalOutcome | undefined;
  /** Decodes and parses the response, if it is a page. */
  read(lease: Lease, response: Response): ReadPage | Promise<ReadPage>;
  /** The user's handler sees the page and may change its links; absent without one. */
  handle?(lease: Lease, response: Response, page: ReadPage): Handled | Promise<Handled>;
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
  /** A fault in our own code. */
  threw(fault: unknown): void;
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

/**
 * The life of one URL, from lease to commit: plain calls, and one callback when the response is there. Only what takes
 * longer makes a promise. At the end its place in flight is free, while the record is still on its way to the disk.
 */
export class Visit implements Receiver<FetchOutcome> {
  // Declared, and private by their types only: there is one of these for every URL, and else it would cost a call more.
  declare private readonly lease: Lease;
  declare private readonly stages: Stages;

  constructor(lease: Lease, stages: Stages) {
    this.lease = lease;
    this.stages = stages;
  }

  begin(): void {
    this.stages.times.fetchBegins();
    const outcome = this.stages.fetch(this.lease, this);
    // After the round that takes URLs: nothing may be settled while it does.
    if (outcome !== undefined) queueMicrotask(() => this.settled(outcome));
  }

  settled(fetched: FetchOutcome): void {
    const { lease, stages } = this;
    try {
      const fetchedMs = stages.times.fetchEnded();
      const outcome = stages.orTryLater(lease, fetched);
      if (outcome === undefined) return;
      if (outcome.kind !== "response") {
        this.endUnanswered(outcome, NOWHERE);
        return;
      }
      const { response } = outcome;
      const reading = stages.read(lease, response);
      const readMs = stages.times.add(COLUMNS.readMs, fetchedMs);
      if (reading instanceof Promise) this.wait(reading, (read) => this.whenRead(response, read));
      else this.whenRead(response, reading, readMs);
    } catch (fault) {
      this.threw(fault);
    }
  }

  threw(fault: unknown): void {
    this.stages.threw(fault);
  }

  /** Where something else came in between, it is not known when the stage before has ended. */
  private whenRead(response: Response, page: ReadPage, readMs?: number): void {
    const { lease, stages } = this;
    if (page.reserved !== undefined) {
      response.release();
      const reserved = { error: "tdm_reserved", detail: page.reserved } as const;
      this.endUnanswered({ kind: "refused", ...reserved }, NOWHERE);
      return;
    }
    const handling = stages.handle === undefined ? page : stages.handle(lease, response, page);
    if (handling instanceof Promise)
      this.wait(handling, (handled) => this.whenHandled(response, handled));
    else this.whenHandled(response, handling, handling === page ? readMs : undefined);
  }

  private whenHandled(response: Response, page: Handled, sinceMs = performance.now()): void {
    const { lease, stages } = this;
    if ("kind" in page) {
      if (!stages.triesAgain(lease, response, page)) this.endUnanswered(page, NOWHERE);
      return;
    }
    const next = stages.follow(lease, response, page);
    const followedMs = stages.times.add(COLUMNS.followMs, sinceMs);
    if (page.refusal !== undefined) {
      response.release();
      const skipped = { error: "handler_skipped", detail: page.refusal } as const;
      this.endUnanswered({ kind: "refused", ...skipped }, next);
      return;
    }
    const { found, known, redirect, links, facts } = next;
    const line = responseOutcome(lease, response, page, redirect);
    const record = stages.store(line, lease, response, page);
    stages.times.add(COLUMNS.storeMs, followedMs);
    const bytes = response.body.length;
    stages.commit(lease, { outcome: line.outcome, found, known, links, facts, record, bytes });
  }

  /** Ends a visit that leaves no record. */
  private endUnanswered(outcome: Unanswered, next: Next): void {
    const line = unansweredOutcome(this.lease, outcome);
    this.stages.log(line);
    const { found, known, links, facts } = next;
    const end = { outcome: line.outcome, found, known, links, facts, record: undefined, bytes: 0 };
    this.stages.commit(this.lease, end);
  }

  private wait<Result>(promise: Promise<Result>, then: (result: Result) => void): void {
    promise.then(then).catch((fault: unknown) => this.threw(fault));
  }
}

const NOWHERE: Next = { found: [], redirect: undefined, links: 0 };
