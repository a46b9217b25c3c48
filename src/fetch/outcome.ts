import type { Response } from "./transport.ts";

/** What became of a URL. Time-outs and refusals are what crawling is made of, so they are values. */
export type FetchOutcome = FinalOutcome | Postponed;

/** The request, or the lack of one, is over. */
export type FinalOutcome = { readonly kind: "response"; readonly response: Response } | Unanswered;

/** There is no response. */
export interface Unanswered {
  /** Refused: never asked, or asked and turned down (robots, address, port, type). Failed: asked and not answered properly. */
  readonly kind: "refused" | "failed";
  /** Stable code. */
  readonly error: string;
  readonly detail?: string;
}

/** Not now: politeness, or robots.txt had to be fetched first. Nothing was asked of the URL itself. */
export interface Postponed {
  readonly kind: "postponed";
  readonly untilMs: number;
  /** Only this URL waits; its host goes on meanwhile. */
  readonly aside?: true;
}
