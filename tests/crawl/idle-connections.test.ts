import assert from "node:assert/strict";
import { test } from "node:test";
import { idleConnections } from "../../src/crawl/crawler-parts.ts";

test("connections are kept for thousands of hosts, but never more than half of the open files allow", () => {
  const kept = (files: number, threads: number) =>
    idleConnections({ threads, linksPerThread: 64 }, files);
  assert.equal(kept(Number.POSITIVE_INFINITY, 2), 2048);
  assert.equal(kept(20_000, 4), 1024);
  assert.equal(kept(1024, 2), 256);
  assert.equal(kept(200, 4), 64, "one for each place in flight");
});
