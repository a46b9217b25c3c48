import assert from "node:assert/strict";
import { test } from "node:test";
import { PAIR_MUTANTS } from "../../../src/verify/engine/engine-mutants.ts";
import { explorePairs } from "../../../src/verify/engine/explore-disturbances.ts";

// All of them take minutes: ORBWEAVER_PAIRS=1.
const every = Number(process.env.ORBWEAVER_PAIRS ?? 61);

test("the frontier on an engine loses nothing where two things go wrong", (t) => {
  const { crawls, violation, disturbances } = explorePairs(every);
  t.diagnostic(`${crawls} crawls: every ${every}th pair`);
  assert.equal(violation, undefined, disturbances.join("; "));
  assert.ok(every > 61 || crawls > 2000, `only ${crawls} pairs`);
});

for (const mutant of PAIR_MUTANTS) {
  test(`a pair shows: ${mutant.name}`, () => {
    assert.notEqual(explorePairs(7, mutant).violation, undefined);
  });
}
