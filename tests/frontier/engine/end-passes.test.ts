import assert from "node:assert/strict";
import { test } from "node:test";
import { EndPasses } from "../../../src/frontier/engine/end-passes.ts";
import type { Engine, PartitionCounts } from "../../../src/frontier/engine/engine.ts";

const even = {
  ...{ inserted: 3, settled: 3, reached: 0, posted: 0, unread: 0 },
  ...{ isSure: true, run: "one" },
};

/** How many passes it takes until the end is certain, when partitions are read as told; undefined when it never is. */
function passesTo(...read: Partial<PartitionCounts>[]): number | undefined {
  const passes = new EndPasses();
  let found: number | undefined;
  for (const [i, counts] of read.entries()) {
    const engine = {
      counts: (on: (all: PartitionCounts[]) => void) => on([even, { ...even, ...counts }]),
    } as unknown as Engine;
    const post = (answer: () => void) => answer();
    passes.look(engine, 10_000 * i, post, () => {
      found ??= i + 1;
    });
  }
  return found;
}

test("the end is certain after two equal passes", () => {
  assert.equal(passesTo({}, {}), 2);
  assert.equal(passesTo({}), undefined);
});

test("something that happened between two passes makes a third one necessary", () => {
  assert.equal(passesTo({}, { inserted: 4, settled: 4 }, { inserted: 4, settled: 4 }), 3);
  assert.equal(passesTo({}, { inserted: 4 }, {}, {}), 4);
});

test("two passes in two lives of the engine are none", () => {
  assert.equal(passesTo({}, { run: "two" }, { run: "two" }), 3);
  assert.equal(passesTo({}, { run: "two" }, {}), undefined);
});

test("an engine that may lack its last writes tells nothing", () => {
  assert.equal(passesTo({ isSure: false }, { isSure: false }, {}, {}), 4);
});
