import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE_MUTANTS } from "../../../src/verify/engine/engine-mutants.ts";
import { exploreDisturbances } from "../../../src/verify/engine/explore-disturbances.ts";

test("the frontier on an engine loses nothing, wherever one thing goes wrong", () => {
  const { crawls, violation, disturbances } = exploreDisturbances(1);
  assert.equal(violation, undefined, disturbances.join("; "));
  assert.ok(crawls > 200, `only ${crawls} placements`);
});

for (const mutant of ENGINE_MUTANTS) {
  test(`a placement shows: ${mutant.name}`, () => {
    assert.notEqual(exploreDisturbances(1, mutant).violation, undefined);
  });
}
