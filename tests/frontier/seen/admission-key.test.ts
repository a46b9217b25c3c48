import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import {
  admissionFingerprint,
  admissionFingerprints,
  admissionKey,
  linkFingerprint,
  linkFingerprints,
} from "../../../src/frontier/seen/admission-key.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../../src/hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

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

function fingerprintOf(one: Discovery, policy: (typeof POLICIES)[number]): [number, number] {
  admissionFingerprint(one, { ...SEEDS, ...policy });
  return [lastFingerprint.low, lastFingerprint.high];
}

test("the fingerprint of an admission is that of its key, whatever URL, way and policy", () => {
  const paths = fc.array(
    fc.constantFrom("a", "/", "%41", "%2f", "%", "?", "&", "jsessionid=1", "utm_source=x", "b"),
    { maxLength: 8 },
  );
  const urls = paths.map((parts) => `http://h/${parts.join("")}`);
  const routes = fc.constantFrom<Discovery["via"]>("link", "redirect");
  fc.assert(
    fc.property(urls, urls, routes, fc.constantFrom(...POLICIES), (url, parent, via, policy) => {
      const one = found(url, via, parent);
      urlFingerprint(admissionKey(one, policy), SEEDS.seedLow, SEEDS.seedHigh);
      assert.deepEqual([lastFingerprint.low, lastFingerprint.high], fingerprintOf(one, policy));
    }),
    { numRuns: 2000 },
  );
});

test("many at once have the fingerprints of each alone, from any of them on", () => {
  const parts = fc.constantFrom("a", "/", "%41", "?", "jsessionid=1", "b");
  const urls = fc.array(parts, { maxLength: 4 }).map((some) => `http://h/${some.join("")}`);
  const routes = fc.constantFrom<Discovery["via"]>("link", "redirect");
  const lists = fc.array(fc.tuple(urls, routes, urls), { minLength: 1, maxLength: 20 });
  const policies = fc.constantFrom(...POLICIES);
  fc.assert(
    fc.property(lists, fc.nat(19), policies, (list, start, policy) => {
      const rules = { ...SEEDS, ...policy };
      const all = list.map(([url, via, parent]) => found(url, via, parent));
      const from = start % all.length;
      const count = all.length - from;
      const fingerprints = new Uint32Array(2 * count);
      admissionFingerprints(all, from, count, rules, fingerprints);
      for (let i = 0; i < count; i++)
        assert.deepEqual(
          [...fingerprints.slice(2 * i, 2 * i + 2)],
          fingerprintOf(all[from + i]!, policy),
        );
      const links = all.map(({ url }) => url);
      linkFingerprints(links, from, count, rules, fingerprints);
      for (let i = 0; i < count; i++) {
        linkFingerprint(links[from + i]!, rules);
        assert.deepEqual(
          [...fingerprints.slice(2 * i, 2 * i + 2)],
          [lastFingerprint.low, lastFingerprint.high],
        );
      }
    }),
    { numRuns: 500 },
  );
});

test("spellings of one page have one fingerprint, other pages another", () => {
  assert.deepEqual(
    fingerprintOf(found("http://h/%61"), {}),
    fingerprintOf(found("http://h/a"), {}),
  );
  assert.deepEqual(fingerprintOf(found("http://h/a?"), {}), fingerprintOf(found("http://h/a"), {}));
  assert.notDeepEqual(
    fingerprintOf(found("http://h/a/"), {}),
    fingerprintOf(found("http://h/a"), {}),
  );
  const ignore = { trailingSlash: "ignore" } as const;
  assert.deepEqual(
    fingerprintOf(found("http://h/a/"), ignore),
    fingerprintOf(found("http://h/a"), ignore),
  );
  // A redirect between two spellings counts by itself.
  const bent = found("http://h/a/", "redirect", "http://h/a");
  assert.notDeepEqual(fingerprintOf(bent, ignore), fingerprintOf(found("http://h/a"), ignore));
});
