import type { FinalOutcome, Postponed } from "../../fetch/outcome.ts";
import { pauseAskedMs } from "../../fetch/retry-after.ts";
import type { Lease } from "../../frontier/frontier.ts";

/** Statuses that may be different next time. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Errors that will not pass: they are about the URL, the server's software or our own rules. */
const LASTING_ERRORS =
  /^(tls_|bad_response|bad_request|bad_encoding|headers_too_large|blocked_|aborted|dns_not_found|handler_hung)/;

/** Errors of the host, not of the URL: all URLs of the host wait. */
const HOST_ERRORS = new Set([
  "connect_timeout",
  "connection_refused",
  "unreachable",
  "dns_timeout",
]);

/** Settings of retries. */
export interface RetryRules {
  readonly retries: number;
  readonly delayMs: number;
}

/** When a URL is tried again, and whether its host has to wait as well. */
export type Retry = Omit<Postponed, "kind">;

/**
 * Decides whether a URL is tried again, and updates its host by the outcome: how often in a row it could not be reached,
 * and until when it is left alone. Undefined when the outcome is final. For nearly every response nobody asks the clock.
 */
export function retryOf(
  lease: Lease,
  outcome: FinalOutcome,
  { retries, delayMs }: RetryRules,
  clock: () => number,
): Retry | undefined {
  const { host } = lease;
  const reach = host.hasSeveralOrigins ? host.reachOf(lease.url) : host;
  if (outcome.kind === "response") {
    reach.failures = 0;
    if (!PASSING_STATUSES.has(outcome.response.head.status)) return undefined;
  }
  const nowMs = clock();
  // Even if this URL is not tried again, its host has to wait.
  const askedMs = outcome.kind === "response" ? pauseAskedMs(outcome.response.head) : undefined;
  if (askedMs !== undefined) host.heldMs = Math.max(host.heldMs, nowMs + askedMs);
  const isHosts = outcome.kind === "failed" && HOST_ERRORS.has(outcome.error);
  const isLast = !isWorthRetrying(outcome) || lease.attempt >= retries;
  const waitMs = backOffMs(delayMs, reach.failures + lease.attempt);
  // Requests that were in flight together fail together: that counts once.
  if (isHosts && isLast && reach.heldMs <= nowMs) reach.failures++;
  const heldMs = nowMs + Math.max(waitMs, host.delayMs);
  if (isHosts) reach.heldMs = Math.max(reach.heldMs, heldMs);
  else if (askedMs !== undefined && !isLast) host.heldMs = Math.max(host.heldMs, heldMs);
  if (isLast) return undefined;
  return askedMs !== undefined || (isHosts && reach === host)
    ? { untilMs: host.heldMs }
    : { untilMs: isHosts ? reach.heldMs : nowMs + waitMs, aside: true };
}

/** How long to stay away after the given number of failures; doubles each time, at most a minute. */
export function backOffMs(delayMs: number, failures: number): number {
  return Math.min(60_000, Math.max(delayMs, 200) * 2 ** failures);
}

/** A response that comes here may be another one next time. */
function isWorthRetrying(outcome: FinalOutcome): boolean {
  if (outcome.kind === "response") return true;
  return outcome.kind === "failed" && !LASTING_ERRORS.test(outcome.error);
}
