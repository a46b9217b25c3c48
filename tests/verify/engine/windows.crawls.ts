import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE_MUTANTS } from "../../../src/verify/engine/engine-mutants.ts";
import { exploreWindows } from "../../../src/verify/engine/explore-disturbances.ts";

const [width = 2, stride = 12] = (process.env.ORBWEAVER_WINDOWS ?? "")
  .split(",")
  .map(Number)
  .filter(Boolean);

test("every order of rounds, with everything that may go wrong in it, loses nothing", (t) => {
  const { crawls, violation, disturbances } = exploreWindows({ width, stride });
  t.diagnostic(`${crawls} crawls: ${width} rounds in a row, from every ${stride}th step`);
  assert.equal(violation, undefined, disturbances.join("; "));
});

for (const mutant of ENGINE_MUTANTS) {
  test(`an order shows: ${mutant.name}`, () => {
    assert.notEqual(exploreWindows({ width: 2, stride: 2, mutant }).violation, undefined);
  });
}
