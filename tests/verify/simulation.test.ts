import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exploreCrashPoints } from "../../src/verify/simulation/crash-points.ts";
import { live } from "../../src/verify/simulation/life.ts";
import { MUTANTS } from "../../src/verify/simulation/mutants.ts";
import { calmPlanOf } from "../../src/verify/simulation/plan.ts";
import { SHIPPED } from "../../src/verify/simulation/sim-parts.ts";
import { findInSeeds } from "../../src/verify/simulation/simulate.ts";
import { root } from "../support/conformance.ts";

const QUICK = { schedules: 3, depth: 1, deaths: 0 };

/**
 * Seeds that once found something: a resume that ended at once, a drain that hung, a page above the limit; then leases
 * that a replaced thread still worked on, a stop that waited for a lease nobody would bring back, and the last page
 * permit, which lay with a borrowed lease behind an own URL that had none.
 */
for (const seed of [110, 238, 525, 935, 592, 709, 910, 3708, 2812]) {
  test(`seed ${seed} keeps all promises`, () => {
    assert.equal(live(seed, SHIPPED, undefined, calmPlanOf(seed)).violation, undefined);
  });
}

// A retry that another thread made did not know the host's own delay; 141: a thread slept although a commit that had come
// with its last look had made room.
for (const seed of [141, 592, 1202, 8054]) {
  test(`seed ${seed}, with hosts that ask for something, keeps all promises`, () => {
    assert.equal(live(seed, SHIPPED).violation, undefined);
  });
}

// `orbweaver verify --simulate` lives through as many as it is told.
test("ten simulated crawls keep all promises", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const { violation } = live(seed, SHIPPED);
    assert.equal(violation, undefined, `orbweaver verify --seed ${seed}`);
  }
});

test("the same seed lives the same life", () => {
  const lines = () => {
    const log: string[] = [];
    live(7, SHIPPED, (line) => log.push(line));
    return log;
  };
  assert.deepEqual(lines(), lines());
});

test("small crawls that are cut at every place come to their right end", () => {
  const { violation, cuts } = exploreCrashPoints(SHIPPED, QUICK);
  assert.equal(violation, undefined);
  assert.ok(cuts > 30, `only ${cuts} cuts`);
});

for (const name of [
  "send before sync",
  "done before archive",
  "parent released before its children are counted",
  "unconfirmed blocks are not sent again",
]) {
  test(`crash points catch the mutant: ${name}`, () => {
    const mutant = MUTANTS.find((parts) => parts.name === name)!;
    assert.notEqual(exploreCrashPoints(mutant, QUICK).violation, undefined);
  });
}

for (const name of [
  "no epoch",
  "last number instead of contiguous",
  "end by a scan of idle flags",
  "politeness by the wall clock",
  "what hosts asked for is forgotten",
]) {
  test(`seeds catch the mutant: ${name}`, () => {
    const mutant = MUTANTS.find((parts) => parts.name === name)!;
    assert.notEqual(findInSeeds(mutant, 300), undefined, "it survived");
  });
}

test("the frontier does not read the wall clock: jumps of the wall clock cannot touch it", () => {
  const folder = join(root, "src/frontier");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const readers = files
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /Date\.now|new Date\(/.test(readFileSync(join(folder, file), "utf8")));
  assert.deepEqual(readers, []);
});
