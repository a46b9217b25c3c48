import assert from "node:assert/strict";
import { test } from "node:test";
import { type Discovery, type Lease, OUTCOME } from "../../../src/frontier/frontier.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { shardedTeam } from "../frontier-team.ts";

const DELAY_MS = 1000;

function links(lease: Lease, urls: readonly string[]): Discovery[] {
  const { url: parent } = lease;
  const shape = { parent, depth: 1, via: "link", seed: false, chain: [] } as const;
  return urls.map((url) => ({ ...shape, url: url as CrawlUrl }));
}

test("a host whose pages are worth more does not keep the others waiting", () => {
  const team = shardedTeam({
    threads: 1,
    slots: 4,
    order: "opic",
    delayMs: DELAY_MS,
    perHost: 1,
  });
  const { frontier: opened, port } = team.members[0]!;
  opened.open(["http://a.test/" as CrawlUrl, "http://c.test/x" as CrawlUrl]);
  const end = (lease: Lease, found: Discovery[], all: number) => {
    opened.requestEnded(lease, 0);
    opened.settle(lease, {
      kind: "finish",
      outcome: OUTCOME.page,
      found,
      links: all,
      record: undefined,
      onCommitted() {},
    });
    for (let step = 0; step < 3; step++) {
      opened.turn(0, "run");
      port.sync();
    }
  };
  const first = opened.take(2, 0);
  const rich = Array.from({ length: 200 }, (_, i) => `http://a.test/${i}`);
  for (const lease of first) {
    const isRich = lease.host.name === "a.test";
    // The page on b gets far less than each of those on a.
    if (isRich) end(lease, links(lease, rich), rich.length);
    else end(lease, links(lease, ["http://b.test/poor"]), 1_000_000);
  }
  let atMs = -1;
  for (let nowMs = DELAY_MS; nowMs < 20 * DELAY_MS && atMs < 0; nowMs += 50) {
    for (const lease of opened.take(8, nowMs)) {
      if (lease.host.name === "b.test") atMs = nowMs;
      opened.requestEnded(lease, nowMs);
    }
  }
  // One page of a.test goes every second; b.test must not wait for all 200 of them.
  assert.ok(atMs > 0 && atMs < 8 * DELAY_MS, `b.test was asked at ${atMs} ms`);
});
