import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteCache } from "../../../src/web/serving/byte-cache.ts";

test("a cache never holds more than its limit, and what it holds is what was put in first", () => {
  const puts = fc.array(fc.tuple(fc.nat(20), fc.nat(40)), { maxLength: 60 });
  fc.assert(
    fc.property(puts, fc.nat(200), (values, maxBytes) => {
      const cache = new ByteCache<number, { size: number }>(maxBytes, (value) => value.size);
      const model = new Map<number, { size: number }>();
      let held = 0;
      for (const [key, size] of values) {
        const value = { size };
        cache.set(key, value);
        if (!model.has(key) && held + size <= maxBytes) {
          model.set(key, value);
          held += size;
        }
      }
      for (let key = 0; key <= 20; key++) assert.equal(cache.get(key), model.get(key));
      assert.equal(cache.hasRoom(maxBytes - held), true);
      assert.equal(cache.hasRoom(maxBytes - held + 1), false);
    }),
  );
});
