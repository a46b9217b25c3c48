import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { distributionOf } from "../../src/report/numbers/distribution.ts";

const SEED = 19;

/** The same by sorting. */
function sorted(values: readonly number[]) {
  const all = [...values].sort((a, b) => a - b);
  const n = all.length;
  const nearest = (share: number) => all[Math.ceil(share * n) - 1]!;
  return {
    mean: all.reduce((a, b) => a + b, 0) / n,
    median: (all[Math.floor((n - 1) / 2)]! + all[Math.floor(n / 2)]!) / 2,
    p90: nearest(0.9),
    p99: nearest(0.99),
    max: all.at(-1)!,
  };
}

const value = fc.oneof(fc.nat(20), fc.nat(70_000), fc.nat(2 ** 31 - 1));

test("quantiles are exact, and every value lies in the bin that counts it", () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
      const { histogram, ...rest } = distributionOf(values);
      assert.deepEqual(rest, sorted(values));
      const counts = histogram.map(
        ({ from, to }) => values.filter((each) => each >= from && each < to).length,
      );
      assert.deepEqual(
        histogram.map(({ count }) => count),
        counts,
      );
      assert.equal(
        counts.reduce((a, b) => a + b, 0),
        values.length,
      );
    }),
    { seed: SEED },
  );
});

test("nothing has no bins, and zeroes have one of their own", () => {
  const nothing = { mean: 0, median: 0, p90: 0, p99: 0, max: 0, histogram: [] };
  assert.deepEqual(distributionOf([]), nothing);
  assert.deepEqual(distributionOf([0, 0]).histogram, [{ from: 0, to: 1, count: 2 }]);
  assert.deepEqual(distributionOf([0, 12]).histogram, [
    { from: 0, to: 1, count: 1 },
    { from: 10, to: 16, count: 1 },
  ]);
});
