import assert from "node:assert/strict";
import { test } from "node:test";
import { retryOf } from "../../../src/crawl/visit/retry.ts";
import type { FinalOutcome } from "../../../src/fetch/outcome.ts";
import { ResponseHead } from "../../../src/fetch/response-head.ts";
import type { Response } from "../../../src/fetch/transport.ts";
import { Host, leaseOf } from "../../../src/frontier/host.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const RULES = { retries: 1, delayMs: 1000 };

/** What becomes of a URL of a host that could not be reached three times, and how often the clock was asked. */
function judged(outcome: FinalOutcome, attempt = 0, otherOrigin?: string) {
  const host = new Host("a.test", 1, 1000);
  const url = "http://a.test/" as CrawlUrl;
  host.noteOrigin(url);
  if (otherOrigin !== undefined) host.noteOrigin(otherOrigin as CrawlUrl);
  const reach = host.reachOf(url);
  reach.failures = 3;
  const found = { url, parent: undefined, depth: 0, via: "link", seed: false, chain: [] } as const;
  const lease = leaseOf({ ...found, low: 0, high: 0, cash: undefined }, host, 0);
  lease.attempt = attempt;
  let asked = 0;
  const clock = () => {
    asked++;
    return 5000;
  };
  return { retry: retryOf(lease, outcome, RULES, clock), reach, host, asked };
}

const answered = (line: string, header = ""): FinalOutcome => {
  const head = ResponseHead.parse(`HTTP/1.1 ${line}\r\n${header}\r\n`)!;
  return { kind: "response", response: { head } as Response };
};

test("a response that will not change is final without a look at the clock, and its server was there", () => {
  for (const line of ["200 OK", "301 Moved", "304 Not Modified", "404 Not Found", "501 No"])
    for (const other of [undefined, "http://a.test:81/"]) {
      const { retry, reach, host, asked } = judged(answered(line), 0, other);
      assert.deepEqual([retry, reach.failures, host.heldMs, asked], [undefined, 0, 0, 0], line);
    }
});

test("a response that may pass is asked for again, and its host has to wait even when it is not", () => {
  const once = judged(answered("500 Oops"));
  assert.deepEqual(once.retry, { untilMs: 6000, aside: true });
  assert.equal(once.reach.failures, 0);
  const busy = answered("503 Busy", "Retry-After: 7\r\n");
  assert.deepEqual(judged(busy).retry, { untilMs: 12_000 });
  const last = judged(busy, 1);
  assert.deepEqual([last.retry, last.host.heldMs], [undefined, 12_000]);
});

test("a server that is not there is left alone for longer each time", () => {
  const lost = { kind: "failed", error: "connection_refused" } as const;
  const first = judged(lost);
  assert.deepEqual([first.retry, first.reach.failures], [{ untilMs: 13_000 }, 3]);
  const last = judged(lost, 1);
  assert.deepEqual([last.retry, last.reach.failures], [undefined, 4]);
  const port = judged(lost, 0, "http://a.test:81/");
  assert.deepEqual([port.retry, port.host.heldMs], [{ untilMs: 13_000, aside: true }, 0]);
});
