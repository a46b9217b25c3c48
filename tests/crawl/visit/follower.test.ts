import assert from "node:assert/strict";
import { test } from "node:test";
import { Follower } from "../../../src/crawl/visit/follower.ts";
import { Host, leaseOf } from "../../../src/frontier/host.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { Scope } from "../../../src/url/scope.ts";

test("a seed's redirect leaves the scope, but does not reach what --exclude names", () => {
  const follower = new Follower({
    scope: new Scope({ kind: "host", exclude: [/\/private\//] }),
    maxDepth: Number.POSITIVE_INFINITY,
    maxDepthDynamic: Number.POSITIVE_INFINITY,
    maxRedirects: 10,
    seedLow: 1,
    seedHigh: 2,
  });
  const url = "http://a.test/" as CrawlUrl;
  const seed = { url, parent: undefined, depth: 0, via: "seed", seed: true, chain: [] } as const;
  const lease = leaseOf({ ...seed, low: 0, high: 0, cash: undefined }, new Host("a.test", 1, 0), 0);
  assert.equal(follower.redirect(lease, 301, "http://b.test/").kind, "to");
  const refused = follower.redirect(lease, 301, "http://b.test/private/");
  assert.ok(refused.kind === "skipped" && refused.skipped.reason === "excluded");
});
