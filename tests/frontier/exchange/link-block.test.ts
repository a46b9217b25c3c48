import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { LinkBlock, readLinkBlock } from "../../../src/frontier/exchange/link-block.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const discovery: fc.Arbitrary<Discovery> = fc.record(
  {
    url: fc.webUrl() as fc.Arbitrary<CrawlUrl>,
    parent: fc.option(fc.constantFrom("http://p/1", "http://p/2"), {
      nil: undefined,
    }) as fc.Arbitrary<CrawlUrl | undefined>,
    depth: fc.nat(1000),
    via: fc.constantFrom("seed", "link", "redirect", "refresh"),
    seed: fc.boolean(),
    chain: fc.array(fc.stringMatching(/^[0-9a-f]{16}$/), { maxLength: 10 }),
  },
  { noNullPrototype: true },
);

test("links come out of a block as they went in", () => {
  fc.assert(
    fc.property(fc.array(discovery), (all) => {
      const block = new LinkBlock(4096);
      const fitted = all.filter((found) => block.tryAdd(found));
      assert.equal(block.links, fitted.length);
      assert.deepEqual(readLinkBlock(block.bytes, block.used), fitted);
    }),
  );
});
