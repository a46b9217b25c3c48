import assert from "node:assert/strict";
import { test } from "node:test";
import { EIGHT, FURTHER, missingTool, runModels } from "../../../src/verify/models/check-models.ts";

const skip = missingTool() ?? false;
const MOST_CPU_SECONDS = 60;

test("the life cycle of seed 001: every claim holds, every mutant fails", { skip }, () => {
  const { failed, claims, eightCpuSeconds } = runModels([...EIGHT, ...FURTHER]);
  assert.equal(failed, 0, JSON.stringify(claims));
  assert.ok(eightCpuSeconds < MOST_CPU_SECONDS, `the eight assertions took ${eightCpuSeconds} s`);
});
