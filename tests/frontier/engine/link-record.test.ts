import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { readRecord, recordOf } from "../../../src/frontier/engine/link-record.ts";
import { VIAS } from "../../../src/frontier/via.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { hostnameOf } from "../../../src/url/url-parts.ts";

const RULES = { seedLow: 5, seedHigh: 6 };
const path = fc.stringMatching(/^[!-~]{0,300}$/);
const urls = fc
  .tuple(
    fc.constantFrom("http://", "https://"),
    fc.constantFrom("a.test", "www.example.org", "127.0.0.1", "[::1]"),
    fc.constantFrom("", ":8080"),
    path,
  )
  .map(([scheme, host, port, rest]) => `${scheme}${host}${port}/${rest}` as CrawlUrl);
const found: fc.Arbitrary<Discovery> = fc.record({
  url: urls,
  parent: fc.option(urls, { nil: undefined }),
  depth: fc.oneof(fc.nat(200), fc.nat(2 ** 32 - 1)),
  via: fc.constantFrom(...VIAS),
  seed: fc.boolean(),
  chain: fc.array(fc.stringMatching(/^[0-9a-f]{16}$/), { maxLength: 10 }),
});

test("a link comes back from its record as it went in", () => {
  fc.assert(
    fc.property(found, (link) => {
      const host = hostnameOf(link.url);
      const { record, id } = recordOf(link, host, RULES);
      const { found: read, low, high } = readRecord(record, host);
      assert.deepEqual({ ...read, chain: [...read.chain] }, { ...link });
      assert.deepEqual([low, high], [id.readUInt32LE(0), id.readUInt32LE(4)]);
    }),
  );
});

test("host, and what the parent begins with, stand in no record", () => {
  const url = "https://www.example.org/articles/one" as CrawlUrl;
  const parent = "https://www.example.org/articles/" as CrawlUrl;
  const link = { url, parent, depth: 3, via: "link", seed: false, chain: [] } as const;
  const { record } = recordOf(link, "www.example.org", RULES);
  assert.equal(record.length, 8 + 5 + "/articles/one".length);
});
