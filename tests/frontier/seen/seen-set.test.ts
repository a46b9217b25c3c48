import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SeenSet } from "../../../src/frontier/seen/seen-set.ts";
import { fingerprint, fingerprintText, lastFingerprint } from "../../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../../src/hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

/** The fingerprint of a URL, as arguments. */
function printOf(url: CrawlUrl, seedLow: number, seedHigh: number): [low: number, high: number] {
  urlFingerprint(url, seedLow, seedHigh);
  return [lastFingerprint.low, lastFingerprint.high];
}

const pageUrl = (i: number) => `http://example.org/list?page=${i}&sort=asc` as CrawlUrl;

test("a seen-set answers like a Set, by URL and by fingerprint, for any seed", () => {
  const someUrls = fc.array(fc.webUrl({ withQueryParameters: true }), { maxLength: 150 });
  fc.assert(
    fc.property(fc.integer(), fc.integer(), someUrls, someUrls, (low, high, some, more) => {
      const seen = new SeenSet();
      const model = new Set<string>();
      for (const url of [...some, ...some] as CrawlUrl[]) {
        assert.equal(seen.hasFingerprint(...printOf(url, low, high)), model.has(url));
        assert.equal(seen.addFingerprint(...printOf(url, low, high)), !model.has(url));
        model.add(url);
        assert.equal(seen.size, model.size);
      }
      const many = [...more, ...some, ...more] as CrawlUrl[];
      const fingerprints = new Uint32Array(2 * many.length);
      many.forEach((url, i) => {
        fingerprints.set(printOf(url, low, high), 2 * i);
      });
      const isNew = new Uint8Array(many.length).fill(7);
      const unknown = many.map((url) => (model.has(url) ? 0 : 1));
      const missing = unknown.filter((one) => one === 1).length;
      assert.equal(seen.searchFingerprints(fingerprints, many.length, isNew), missing);
      assert.deepEqual([...isNew], unknown);
      assert.equal(seen.size, model.size);
      const expected = many.map((url) => (model.size < model.add(url).size ? 1 : 0));
      const added = expected.filter((one) => one === 1).length;
      assert.equal(seen.addFingerprints(fingerprints, many.length, isNew.fill(7)), added);
      assert.deepEqual([...isNew], expected);
      assert.equal(seen.size, model.size);
    }),
  );
});

test("100,000 similar URLs are all new, then all known", () => {
  const seen = new SeenSet();
  const add = (i: number) => seen.addFingerprint(...printOf(pageUrl(i), -5, 7));
  const has = (i: number) => seen.hasFingerprint(...printOf(pageUrl(i), -5, 7));
  for (let i = 0; i < 100_000; i++) assert.ok(add(i), pageUrl(i));
  for (let i = 0; i < 100_000; i++) assert.ok(!add(i) && has(i));
  for (let i = 100_000; i < 200_000; i++) assert.ok(!has(i), pageUrl(i));
});

test("a set comes back from its fingerprints alone", () => {
  const seen = new SeenSet();
  for (let i = 0; i < 30_000; i++) seen.addFingerprint(...printOf(pageUrl(i), 1, 2));
  const back = new SeenSet();
  for (const pairs of seen.fingerprints()) {
    for (let i = 0; i < pairs.length; i += 2) {
      assert.ok(back.addFingerprint(pairs[i]!, pairs[i + 1]!));
      assert.ok(back.hasFingerprint(pairs[i]! >>> 0, pairs[i + 1]! >>> 0));
    }
  }
  assert.equal(back.size, 30_000);
  for (let i = 0; i < 30_000; i++) assert.ok(!back.addFingerprint(...printOf(pageUrl(i), 1, 2)));
  assert.ok(back.addFingerprint(...printOf(pageUrl(30_000), 1, 2)));
});

test("an empty set takes 2 KiB", () => {
  assert.ok(new SeenSet().bytes < 2100);
});

test("the explorable fingerprint keeps 100,000 similar texts apart, in both halves", () => {
  const lows = new Set<number>();
  const highs = new Set<number>();
  for (let i = 0; i < 100_000; i++) {
    fingerprint(pageUrl(i), 1, 2);
    lows.add(lastFingerprint.low);
    highs.add(lastFingerprint.high);
  }
  // By chance about one of 100,000 32-bit values meets another; a weak hash shows thousands.
  assert.ok(lows.size > 99_980 && highs.size > 99_980, `${lows.size} and ${highs.size} of 100000`);
});

test("another seed gives another fingerprint", () => {
  assert.notEqual(fingerprintText("http://a/", 1, 2), fingerprintText("http://a/", 3, 4));
  assert.match(fingerprintText("http://a/", 0, 0), /^[0-9a-f]{16}$/);
});
