import assert from "node:assert/strict";
import { test } from "node:test";
import { exploreCrashPoints } from "../../src/verify/simulation/crash-points.ts";
import { exploreDelays } from "../../src/verify/simulation/delays.ts";
import { MUTANTS } from "../../src/verify/simulation/mutants.ts";
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

test("all schedules with a delay, a crash after every turn, and a death after every turn of those without", () => {
  const options = { delays: 1, crawls: 2, deaths: 0, pages: 3 };
  const { violation, schedules } = exploreDelays(SHIPPED, options);
  assert.equal(violation, undefined);
  assert.ok(schedules > 200, `only ${schedules} schedules`);
});

for (const name of [
  "send before sync",
  "done before archive",
  "parent released before its children are counted",
  "end by a scan of idle flags",
  "unconfirmed blocks are not sent again",
]) {
  test(`schedules with a delay catch the mutant: ${name}`, () => {
    const mutant = MUTANTS.find((parts) => parts.name === name)!;
    const options = { delays: 1, crawls: 1, deaths: -1, pages: 4 };
    assert.notEqual(exploreDelays(mutant, options).violation, undefined);
  });
}
