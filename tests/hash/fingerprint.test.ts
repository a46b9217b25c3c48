import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fingerprint, fingerprintText, lastFingerprint } from "../../src/hash/fingerprint.ts";

test("a fingerprint depends on every character, on the seed, and on nothing else (property)", () => {
  const of = (text: string, low: number, high: number) => {
    fingerprint(text, low, high);
    return [lastFingerprint.low, lastFingerprint.high];
  };
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.nat(), fc.nat(), (text, low, high, i) => {
      const at = i % text.length;
      const code = text.charCodeAt(at) ^ 1;
      const other = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
      const print = of(text, low, high);
      assert.notDeepEqual(of(other, low, high), print);
      assert.notDeepEqual(of(text, low ^ 1, high), print);
      assert.notDeepEqual(of(text, low, high ^ 1), print);
      assert.deepEqual(of(text, low, high), print);
      assert.match(fingerprintText(text, low, high), /^[0-9a-f]{16}$/);
    }),
  );
});
