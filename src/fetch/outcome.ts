import type { Response } from "./transport.ts";

/** What became of a URL. Time-outs and refusals are what crawling is made of, so they are values. */
export type FetchOutcome =
  | { readonly kind: "response"; readonly response: Response }
  /** Never asked, or asked and turned down: robots, address, port, type. */
  | { readonly kind: "refused"; readonly error: string; readonly detail?: string }
  /** Asked and not answered properly. */
  | { readonly kind: "failed"; readonly error: string; readonly detail?: string }
  /** Not now: politeness, or robots.txt had to be fetched first. Nothing was asked of the URL itself. */
  | {
      readonly kind: "postponed";
      readonly untilMs: number;
      /** Only this URL waits; its host goes on meanwhile. */
      readonly aside?: true;
    };

/** Statuses that may be different next time. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Errors that say something lasting about the URL, the server's software or our own rules. */
const LASTING_ERRORS =
  /^(tls_|bad_response|bad_request|bad_encoding|headers_too_large|blocked_|aborted|dns_not_found)/;

/** Whether another try later makes sense. */
export function isWorthRetrying(outcome: FetchOutcome): boolean {
  if (outcome.kind === "response") return PASSING_STATUSES.has(outcome.response.head.status);
  return outcome.kind === "failed" && !LASTING_ERRORS.test(outcome.error);
}
