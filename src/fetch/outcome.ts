import type { Response } from "./transport.ts";

/** What became of a URL. Time-outs and refusals are ordinary in crawling, so they are values. */
export type FetchOutcome = FinalOutcome | Postponed;

/** Nothing more happens for this URL now. */
export type FinalOutcome = { readonly kind: "response"; readonly response: Response } | Unanswered;

/** There is no response. */
export interface Unanswered {
  /** Refused: never asked, or asked and turned down (robots, address, port, type). Failed: asked and not answered properly. */
  readonly kind: "refused" | "failed";
  /** Stable code. */
  readonly error: string;
  readonly detail?: string;
}

/** Not now: the host has to be left alone, or robots.txt had to be fetched first. The URL itself was not requested. */
export interface Postponed {
  readonly kind: "postponed";
  readonly untilMs: number;
  /** Only this URL waits; its host goes on meanwhile. */
  readonly aside?: true;
}
