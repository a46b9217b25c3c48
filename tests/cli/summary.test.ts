import assert from "node:assert/strict";
import { test } from "node:test";
import { count, exitCodeOf, summaryJson, summaryText } from "../../src/cli/print-summary.ts";
import type { CrawlSummary } from "../../src/crawl/crawl-summary.ts";

const SUMMARY: CrawlSummary = {
  out: "crawls/\u001b[1mx",
  maxRssMiB: 101.25,
  cpuSeconds: 0.1 + 0.2,
  seconds: 2,
  bytes: 1_500_000,
  urlsQueued: 0,
  urlsKnown: 1234,
  refused: 3,
  failed: 2,
  pages: 1229,
  ended: "finished",
};

test("--json has exactly its keys, in their order, on one line", () => {
  const line = summaryJson({ ...SUMMARY, extra: 1 } as CrawlSummary);
  assert.equal(
    line,
    '{"ended":"finished","pages":1229,"failed":2,"refused":3,"urlsKnown":1234,"urlsQueued":0,"bytes":1500000,"seconds":2,"cpuSeconds":0.3,"maxRssMiB":101.25,"out":"crawls/\\u001b[1mx"}',
  );
});

test("the summary for people has the same figures and steers no terminal", () => {
  const text = summaryText(SUMMARY);
  for (const part of [
    "Finished",
    "1,229 (615/s)",
    "1,234, 0 still queued",
    "1.5 MB",
    "2.0 s, 0.3 s of CPU",
    "101 MiB",
    "crawls/\\u{1b}[1mx",
  ]) {
    assert.ok(text.includes(part), part);
  }
  assert.ok(summaryText({ ...SUMMARY, seconds: 0 }).includes("  pages       1,229\n"));
});

test("each ending has its exit code", () => {
  assert.deepEqual((["finished", "limit", "interrupted"] as const).map(exitCodeOf), [0, 3, 130]);
});

test("counts are readable", () => {
  assert.deepEqual([0, 0.25, 9.96, 10.4, 999, 1000, 1_234_567].map(count), [
    "0",
    "0.3",
    "10.0",
    "10",
    "999",
    "1,000",
    "1,234,567",
  ]);
});
