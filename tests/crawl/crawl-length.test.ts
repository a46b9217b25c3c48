import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongCrawl } from "../../src/crawl/crawl-length.ts";

const anyNumber = Number.POSITIVE_INFINITY;

test("a crawl is long when much is ahead, the more the later, or when it has become very long", () => {
  const small = (pages: number, queued: number, mayFetch = anyNumber) =>
    isLongCrawl({ pages, bytes: 2048 * pages, queued, mayFetch });
  assert.ok(!small(15, 100_000), "too few pages to tell");
  assert.ok(small(16, 1000));
  assert.ok(!small(16, 200));
  assert.ok(!small(16, 1000, 200), "most of them will not be fetched");
  assert.ok(!small(300, 1000), "what was optimised meanwhile is worth more");
  assert.ok(small(300, 2000));
  assert.ok(!small(2000, 2000));
  assert.ok(small(14_000, 0), "nobody knew that it would be so long");
  const large = { pages: 30, bytes: 30 * 64 * 1024, queued: 50, mayFetch: anyNumber };
  assert.ok(!isLongCrawl(large));
  assert.ok(isLongCrawl({ ...large, queued: 500 }));
});
