import assert from "node:assert/strict";
import { test } from "node:test";
import {
  EIGHT,
  FURTHER,
  missingTool,
  modelHolds,
} from "../../../src/verify/models/check-models.ts";

test("a claim whose mutant survives does not hold", () => {
  const figures = {
    states: 1,
    transitions: 1,
    cpuSeconds: 1,
    megabytes: 1,
    complete: true,
    trail: [],
  };
  const whole = { name: "a", flags: [], ...figures, violation: null, mutants: [] };
  const survivor = { name: "D1", caught: false, ...figures, violation: null };
  assert.equal(modelHolds(whole), true);
  assert.equal(modelHolds({ ...whole, mutants: [survivor] }), false);
  assert.equal(modelHolds({ ...whole, complete: false }), false);
});

test("every claim of the models has a mutant or is the variant of one that has, and D1 to D6 are all there", () => {
  const bare = [...EIGHT, ...FURTHER].filter(({ mutants }) => mutants.length === 0);
  assert.ok(bare.every(({ name }) => /^(terminating URLs|hand-off full): [23]$/.test(name)));
  const flags = new Set([...EIGHT, ...FURTHER].flatMap(({ mutants }) => mutants.flat()));
  for (const defect of ["D1", "D2", "D3", "D4", "D5", "D6"]) assert.ok(flags.has(defect), defect);
});

test("models that are not there are a sentence, before any tool is looked for", () => {
  assert.match(missingTool("/no/such/folder") ?? "", /models\/ .* is not here/);
});
