import { httpDateMs } from "./http-date.ts";
import type { ResponseHead } from "./response-head.ts";

const MAX_WAIT_MS = 24 * 3_600_000;

/** The three date formats of RFC 9110, 5.6.7. */
const DATE =
  /^(?:\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/i;

/** How long a Retry-After header asks us to wait, at most 24 h; undefined when it asks for nothing sensible. */
export function retryAfterMs(value: string | undefined, nowWallMs: number): number | undefined {
  const text = value?.trim() ?? "";
  const untilMs = DATE.test(text) ? httpDateMs(text) : undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : (untilMs ?? nowWallMs) - nowWallMs;
  return waitMs > 0 ? Math.min(waitMs, MAX_WAIT_MS) : undefined;
}

/** The pause that a response asks for; undefined when it asks for none. */
export function pauseAskedMs(head: ResponseHead): number | undefined {
  return head.status === 429 || head.status === 503
    ? retryAfterMs(head.get("retry-after"), Date.now())
    : undefined;
}
