import type { BodyTap } from "./wire/message.ts";
import type { ResponseHead } from "./wire/response-head.ts";

/** A response as it came, before anything is decided about it. */
export interface Response {
  readonly head: ResponseHead;
  /** The request as sent, one character per byte. */
  readonly requestText: string;
  /** De-chunked, content coding as received. */
  readonly body: Buffer;
  readonly address: string;
  /** Wall time of the request. */
  readonly date: number;
  readonly tookMs: number;
  readonly truncated: "length" | "time" | "disconnect" | undefined;
  /** Why the certificate would have been refused without --insecure. */
  readonly unverified?: string | undefined;
  /** Why the body is not whole or not clean, if so. */
  readonly flag: string | undefined;
  /** Who has read the body while it came. */
  readonly tap?: BodyTap | undefined;
  /** Nobody needs the body any more. */
  release(): void;
}

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
