import type { FetchOutcome, FinalOutcome, Unanswered } from "../../fetch/outcome.ts";
import { type Receiver, tell } from "../../fetch/receiver.ts";
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
  /** Robots, name, address, gate, transport. Returns the outcome if it is known at once, otherwise the receiver is told. */
  fetch(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined;
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

/**
 * The life of one URL, from lease to commit: plain calls, and one callback when the response is there. Only what takes
 * longer makes a promise. At the end its place in flight is free, while the record is still on its way to the disk.
 */
export class Visit implements Receiver<FetchOutcome> {
  readonly #lease: Lease;
  readonly #stages: Stages;
  readonly #whole: Receiver<void>;

  /** `whole` is told when the visit is over. */
  constructor(lease: Lease, stages: Stages, whole: Receiver<void>) {
    this.#lease = lease;
    this.#stages = stages;
    this.#whole = whole;
  }

  begin(): void {
    const outcome = this.#stages.fetch(this.#lease, this);
    // After the round that takes URLs: nothing may be settled while it does.
    if (outcome !== undefined) queueMicrotask(() => this.settled(outcome));
  }

  settled(outcome: FetchOutcome): void {
    try {
      const rest = this.#whenFetched(outcome);
      if (rest === undefined) this.#whole.settled();
      else tell(rest, this.#whole);
    } catch (fault) {
      this.threw(fault);
    }
  }

  threw(fault: unknown): void {
    this.#whole.threw(fault);
  }

  #whenFetched(fetched: FetchOutcome): Promise<void> | undefined {
    const outcome = this.#stages.orTryLater(this.#lease, fetched);
    if (outcome === undefined) return undefined;
    this.#stages.requestEnded(this.#lease);
    if (outcome.kind !== "response") return this.#endUnanswered(outcome, NOWHERE);
    const { response } = outcome;
    const reading = this.#stages.read(this.#lease, response);
    return reading instanceof Promise
      ? reading.then((read) => this.#whenRead(response, read))
      : this.#whenRead(response, reading);
  }

  #whenRead(response: Response, read: ReadPage): Promise<void> | undefined {
    if (read.reserved !== undefined) {
      response.release();
      const reserved = { error: "tdm_reserved", detail: read.reserved } as const;
      return this.#endUnanswered({ kind: "refused", ...reserved }, NOWHERE);
    }
    const handling = this.#stages.handle(this.#lease, response, read);
    return handling instanceof Promise
      ? handling.then((handled) => this.#whenHandled(response, handled))
      : this.#whenHandled(response, handling);
  }

  #whenHandled(response: Response, page: Handled): undefined {
    const lease = this.#lease;
    const stages = this.#stages;
    if (!isHandled(page)) {
      if (!stages.triesAgain(lease, response, page)) this.#endUnanswered(page, NOWHERE);
      return;
    }
    const next = stages.follow(lease, response, page);
    if (page.refusal !== undefined) {
      response.release();
      const skipped = { error: "handler_skipped", detail: page.refusal } as const;
      return this.#endUnanswered({ kind: "refused", ...skipped }, next);
    }
    const { found, known, redirect, links, facts } = next;
    const line = responseOutcome(lease, response, page, redirect);
    const record = stages.store(line, lease, response, page);
    const bytes = response.body.length;
    stages.commit(lease, { outcome: line.outcome, found, known, links, facts, record, bytes });
  }

  /** Ends a visit that leaves no record. */
  #endUnanswered(outcome: Unanswered, next: Next): undefined {
    const line = unansweredOutcome(this.#lease, outcome);
    this.#stages.log(line);
    const { found, known, links, facts } = next;
    const end = { outcome: line.outcome, found, known, links, facts, record: undefined, bytes: 0 };
    this.#stages.commit(this.#lease, end);
  }
}

const NOWHERE: Next = { found: [], redirect: undefined, links: 0 };
