import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fingerprint, fingerprintText, print } from "../../src/frontier/fingerprint.ts";
import { SeenSet } from "../../src/frontier/seen.ts";

test("a seen-set answers like a Set, while it grows and for any seed", () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer(),
      fc.array(fc.webUrl({ withQueryParameters: true })),
      (low, high, urls) => {
        const seen = new SeenSet(low, high);
        const model = new Set<string>();
        for (const url of [...urls, ...urls]) {
          assert.equal(seen.add(url), !model.has(url));
          model.add(url);
          assert.equal(seen.size, model.size);
        }
      },
    ),
  );
});

test("100,000 similar URLs keep apart, in fingerprints and in both halves", () => {
  const seen = new SeenSet(1, 2);
  const lows = new Set<number>();
  const highs = new Set<number>();
  for (let i = 0; i < 100_000; i++) {
    const url = `http://example.org/list?page=${i}&sort=asc`;
    assert.ok(seen.add(url), url);
    fingerprint(url, 1, 2);
    lows.add(print.low);
    highs.add(print.high);
  }
  // By chance about one of 100,000 32-bit values meets another; a weak hash shows thousands.
  assert.ok(lows.size > 99_980 && highs.size > 99_980, `${lows.size} and ${highs.size} of 100000`);
});

test("another seed gives another fingerprint", () => {
  assert.notEqual(fingerprintText("http://a/", 1, 2), fingerprintText("http://a/", 3, 4));
  assert.match(fingerprintText("http://a/", 0, 0), /^[0-9a-f]{16}$/);
});
