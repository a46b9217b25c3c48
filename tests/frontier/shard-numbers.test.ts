import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ShardNumbers } from "../../src/frontier/shard-numbers.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../src/url/site.ts";
import { hostnameOf } from "../../src/url/url-parts.ts";

test("a URL has the home its own host gives it, whatever was asked before", () => {
  // Names that begin like others, other ports and schemes of one host, addresses.
  const hosts = ["a.org", "a.org.de", "b.a.org", "a.or", "[::1]", "[::1]:8080", "127.0.0.1"];
  const origins = fc.record({
    scheme: fc.constantFrom("http", "https"),
    host: fc.constantFrom(...hosts, "a.org:81", "a.org:8", "127.0.0.1:8"),
    path: fc.constantFrom("/", "/x", "/?a.org/", "//a.org/"),
  });
  fc.assert(
    fc.property(fc.array(origins, { maxLength: 20 }), (all) => {
      const numbers = new ShardNumbers(7);
      for (const { scheme, host, path } of all) {
        const url = `${scheme}://${host}${path}` as CrawlUrl;
        const hostname = hostnameOf(url);
        const shard = shardOf(siteHash(siteOf(hostname)), 7);
        assert.deepEqual(numbers.of(url), { hostname, shard }, url);
      }
    }),
    { numRuns: 500 },
  );
});
