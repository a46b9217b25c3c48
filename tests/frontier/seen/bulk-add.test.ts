import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ArraySeenTable } from "../../../src/frontier/seen/array-seen-table.ts";
import { BulkAdd, MARK, type Mark } from "../../../src/frontier/seen/bulk-add.ts";
import { MAX_IN_ARRAY, SeenSet } from "../../../src/frontier/seen/seen-set.ts";
import { WasmSeenTable } from "../../../src/frontier/seen/wasm-seen-table.ts";

type Added = [low: number, high: number, mark: Mark, isNew: boolean];

const small = fc.integer({ min: 0, max: 40 });
const any = fc.integer({ min: 0, max: 0xffffffff });
const entry = fc.tuple(
  fc.oneof(small, any),
  // Few, but apart: more than 32 that are nearly the same would be refused.
  fc.oneof(
    small.map((n) => n * 2 ** 26),
    any,
  ),
  fc.constantFrom<Mark>(...Object.values(MARK)),
);

/** A table with the method by which a set is filled. */
const setOf = (table: ArraySeenTable | WasmSeenTable) =>
  Object.assign(table, { addFingerprint: table.add.bind(table) });

for (const newTable of [() => new ArraySeenTable(4), () => new WasmSeenTable(64)]) {
  const { name } = newTable().constructor;
  test(`gathered fingerprints are added as if they were added one by one: ${name}`, () => {
    fc.assert(
      fc.property(fc.array(fc.array(entry, { maxLength: 200 }), { maxLength: 4 }), (rounds) => {
        const gathered = new BulkAdd();
        const [together, alone] = [newTable(), newTable()];
        for (const round of rounds) {
          const [added, expected]: [Added[], Added[]] = [[], []];
          for (const [low, high, mark] of round) {
            gathered.add(low, high, mark);
            expected.push([low | 0, high | 0, mark, alone.add(low, high)]);
          }
          gathered.empty(setOf(together), (...each) => added.push(each));
          // Fingerprints come in another order, each one's own marks in theirs.
          const byFingerprint = (list: Added[]) => list.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
          assert.deepEqual(byFingerprint(added), byFingerprint(expected));
          assert.equal(together.size, alone.size);
        }
      }),
    );
  });
}

test("a table made for what comes is as large as one that grew, and none of its entries has moved", () => {
  let state = 1;
  const random = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (state ^ (state >>> 13)) >>> 0;
  };
  for (const count of [100, 14_000, 15_000, 100_000, 400_000]) {
    const gathered = new BulkAdd();
    const [together, grown] = [new SeenSet(), new SeenSet()];
    for (let i = 0; i < count; i++) {
      const [low, high] = [random(), random()];
      gathered.add(low, high, MARK.found);
      grown.addFingerprint(low, high);
    }
    together.reserve(count);
    const before = together.pageCount;
    gathered.empty(together, () => {});
    assert.equal(together.size, grown.size);
    assert.ok(together.pageCount - before <= 1 + before / 20, `${before} to ${together.pageCount}`);
    const ratio = together.bytes / grown.bytes;
    // What is in an array may have just doubled.
    assert.ok(ratio > (count < MAX_IN_ARRAY ? 0.5 : 0.9) && ratio < 1.1, `${count}: ${ratio}`);
  }
});
