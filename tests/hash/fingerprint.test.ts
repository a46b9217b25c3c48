import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fingerprint, lastFingerprint, UrlFingerprints } from "../../src/hash/fingerprint.ts";

test("prints of URLs in bytes are those of the same URLs as strings, whatever origin came before", () => {
  const origin = fc.constantFrom(
    "http://a/",
    "http://a.b/",
    "http://a.bc/",
    "https://a/",
    "http://a",
    "x",
    `http://${"long.".repeat(40)}/`,
    `http://${"long.".repeat(40)}er/`,
  );
  const path = fc.string({ unit: fc.constantFrom("a", "b", "/", "?"), maxLength: 6 });
  const url = fc.tuple(origin, path).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(url), fc.nat(), fc.nat(), (urls, seedLow, seedHigh) => {
      const fingerprints = new UrlFingerprints(seedLow, seedHigh);
      const bytes = Buffer.from(urls.map((each) => `${each}\r`).join(""));
      let at = 0;
      for (const each of urls) {
        at = fingerprints.until(bytes, at, 13) + 1;
        const { low, high } = lastFingerprint;
        fingerprint(each, seedLow, seedHigh);
        assert.deepEqual([low, high], [lastFingerprint.low, lastFingerprint.high], each);
        // What was remembered of it must not change with its bytes.
        bytes.fill(0, 0, at);
      }
      assert.equal(at, bytes.length);
    }),
  );
});
