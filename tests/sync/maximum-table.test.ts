import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MaximumTable, maximumBytes } from "../../src/sync/maximum-table.ts";

const SLOTS = 4;
const NEVER_PAST = 0;

function table(): MaximumTable {
  return new MaximumTable(new SharedArrayBuffer(maximumBytes(SLOTS)));
}

test("nobody gets less than was raised for it, and only a shared slot gives more", () => {
  const raises = fc.array(fc.tuple(fc.nat({ max: 63 }), fc.integer({ min: 1, max: 1000 })));
  fc.assert(
    fc.property(raises, (all) => {
      const maxima = table();
      for (const [hash, value] of all) maxima.raise(hash, value, NEVER_PAST);
      for (let hash = 0; hash < 64; hash++) {
        const own = Math.max(0, ...all.filter(([of]) => of === hash).map(([, value]) => value));
        const slot = all.filter(([of]) => of % SLOTS === hash % SLOTS);
        const most = Math.max(0, ...slot.map(([, value]) => value));
        const got = maxima.of(hash);
        assert.ok(got >= own && got <= most, `${hash}: ${got}, raised ${own}`);
        if (new Set(slot.map(([of]) => of)).size < 2) assert.equal(got, own);
      }
    }),
  );
});

test("a value that is over makes room, and one that is not holds for both neighbours", () => {
  const maxima = table();
  maxima.raise(1, 100.2, 0);
  assert.deepEqual([maxima.of(1), maxima.of(5)], [101, 0]);
  maxima.raise(5, 200, 101);
  assert.deepEqual([maxima.of(1), maxima.of(5)], [0, 200]);
  maxima.raise(1, 150, 101);
  assert.deepEqual([maxima.of(1), maxima.of(5), maxima.of(9)], [200, 200, 200]);
});
