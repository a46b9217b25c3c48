import assert from "node:assert/strict";
import { test } from "node:test";
import { idleConnections } from "../../src/crawl/crawler/crawler-parts.ts";

test("connections are kept for thousands of hosts, but only in files that nobody else needs", () => {
  const needs = { linksPerThread: 64, builders: 1, shards: 16, debug: false, recrawl: undefined };
  const kept = (files: number, threads: number) => idleConnections({ ...needs, threads }, files);
  assert.equal(kept(Number.POSITIVE_INFINITY, 2), 2048);
  assert.equal(kept(20_000, 4), 1024);
  assert.ok(kept(1024, 2) > 200 && 2 * kept(1024, 2) < 1024 / 2);
  assert.equal(kept(200, 4), 64, "one for each place in flight");
  assert.equal(idleConnections({ ...needs, linksPerThread: 4, threads: 1 }, 64), 4);
});
