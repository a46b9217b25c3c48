import assert from "node:assert/strict";
import { test } from "node:test";
import { exploreCrashPoints } from "../../src/verify/simulation/crash-points.ts";
import { SHIPPED } from "../../src/verify/simulation/sim-parts.ts";
import { simulate } from "../../src/verify/simulation/simulate.ts";

test("two thousand seeds keep all promises, and every mutant is caught", () => {
  const { failed, mutants } = simulate(2000);
  assert.deepEqual(failed, []);
  assert.deepEqual(
    mutants.filter(({ caughtBy }) => caughtBy === undefined),
    [],
  );
});

test("crash points of many schedules, two crashes in a row, and a death after every step", () => {
  const one = exploreCrashPoints(SHIPPED, { schedules: 30, depth: 1, deaths: 1 });
  const two = exploreCrashPoints(SHIPPED, { schedules: 1, depth: 2, deaths: 0, pages: 5 });
  assert.deepEqual([one.violation, two.violation], [undefined, undefined]);
});
