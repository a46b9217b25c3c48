import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { admissionKey, admissionPrint } from "../../src/frontier/admission-key.ts";
import { print } from "../../src/frontier/fingerprint.ts";
import type { Discovery } from "../../src/frontier/frontier.ts";
import { urlPrint } from "../../src/frontier/url-print.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

const SEEDS = { seedLow: 5, seedHigh: -6 };
const POLICIES = [
  {},
  { dropSessionIds: true },
  { dropTracking: true },
  { trailingSlash: "ignore" },
] as const;

function found(url: string, via: Discovery["via"] = "link", parent?: string): Discovery {
  const texts = { url: url as CrawlUrl, parent: parent as CrawlUrl | undefined };
  return { ...texts, depth: 1, via, seed: false, chain: [] };
}

function printOf(one: Discovery, policy: (typeof POLICIES)[number]): [number, number] {
  admissionPrint(one, { ...SEEDS, ...policy });
  return [print.low, print.high];
}

test("the fingerprint of an admission is that of its key, whatever URL, way and policy", () => {
  const paths = fc.array(
    fc.constantFrom("a", "/", "%41", "%2f", "%", "?", "&", "jsessionid=1", "utm_source=x", "b"),
    { maxLength: 8 },
  );
  const urls = paths.map((parts) => `http://h/${parts.join("")}`);
  const ways = fc.constantFrom<Discovery["via"]>("link", "redirect");
  fc.assert(
    fc.property(urls, urls, ways, fc.constantFrom(...POLICIES), (url, parent, via, policy) => {
      const one = found(url, via, parent);
      urlPrint(admissionKey(one, policy), SEEDS.seedLow, SEEDS.seedHigh);
      assert.deepEqual([print.low, print.high], printOf(one, policy));
    }),
    { numRuns: 2000 },
  );
});

test("spellings of one page have one fingerprint, other pages another", () => {
  assert.deepEqual(printOf(found("http://h/%61"), {}), printOf(found("http://h/a"), {}));
  assert.deepEqual(printOf(found("http://h/a?"), {}), printOf(found("http://h/a"), {}));
  assert.notDeepEqual(printOf(found("http://h/a/"), {}), printOf(found("http://h/a"), {}));
  const ignore = { trailingSlash: "ignore" } as const;
  assert.deepEqual(printOf(found("http://h/a/"), ignore), printOf(found("http://h/a"), ignore));
  // A redirect between two spellings counts by itself.
  const bent = found("http://h/a/", "redirect", "http://h/a");
  assert.notDeepEqual(printOf(bent, ignore), printOf(found("http://h/a"), ignore));
});
