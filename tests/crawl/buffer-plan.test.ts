import assert from "node:assert/strict";
import { test } from "node:test";
import { startsJoined } from "../../src/crawl/buffer-plan.ts";

const ALONE = {
  threads: 1,
  builders: 1,
  addsBuilder: true,
  handOff: "count-or-time",
  store: "warc",
  frontier: "sharded",
  sync: "monitor",
} as const;

test("one crawler thread builds itself at first", () => {
  assert.equal(startsJoined(ALONE), true);
});

for (const [why, other] of [
  ["a builder was asked for", { addsBuilder: false }],
  ["there are two crawler threads", { threads: 2 }],
  ["records are handed over together", { handOff: "full" }],
  ["others fetch again what a dead worker had not settled", { frontier: "engine" }],
] as const)
  test(`a builder thread is there from the start: ${why}`, () => {
    assert.equal(startsJoined({ ...ALONE, ...other }), false);
  });

test("a builder thread is there from the start: small files of a tree block", () => {
  assert.equal(startsJoined({ ...ALONE, store: "tree" }), false);
});
