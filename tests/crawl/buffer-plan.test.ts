import assert from "node:assert/strict";
import { test } from "node:test";
import { mayBuildInMain } from "../../src/crawl/buffer-plan.ts";

const ALONE = {
  threads: 1,
  placesBuilder: true,
  handOff: "count-or-time",
  store: "warc",
  frontier: "sharded",
  sync: "monitor",
} as const;

test("the builder of one crawler thread may run in the main thread", () => {
  assert.equal(mayBuildInMain(ALONE), true);
});

for (const [why, other] of [
  ["a builder was asked for", { placesBuilder: false }],
  ["there are two crawler threads", { threads: 2 }],
  ["records are handed over together", { handOff: "full" }],
  ["others fetch again what a dead worker had not settled", { frontier: "engine" }],
] as const)
  test(`a builder has a thread of its own: ${why}`, () => {
    assert.equal(mayBuildInMain({ ...ALONE, ...other }), false);
  });

test("a builder has a thread of its own: small files of a tree block", () => {
  assert.equal(mayBuildInMain({ ...ALONE, store: "tree" }), false);
});
