import assert from "node:assert/strict";
import { test } from "node:test";
import { epochsAfter } from "../../../src/crawl/workers/run-numbers.ts";

test("no run gets a number that is not durable or was used before, whenever the crawl is killed", () => {
  let durable = 7;
  let writes = 0;
  let before = durable;
  const keep = (upTo: number) => {
    assert.ok(upTo > durable);
    durable = upTo;
    writes++;
  };
  for (const deaths of [0, 1, 15, 16, 17, 100]) {
    const next = epochsAfter(durable, keep);
    for (let i = 0; i <= deaths; i++) {
      const epoch = next();
      assert.ok(epoch > before && epoch <= durable, `${before} < ${epoch} <= ${durable}`);
      before = epoch;
    }
  }
  assert.ok(writes < 20, `${writes} writes`);
});

test("a number is not used when it could not be made durable", () => {
  let isFull = true;
  const keep = () => {
    if (isFull) throw new Error("the disk is full");
  };
  const next = epochsAfter(3, keep, () => 0);
  assert.throws(next, /full/);
  assert.throws(next, /full/);
  isFull = false;
  assert.equal(next(), 4);
});

test("two copies of a folder begin with different runs, and the numbers do not end however often they do", () => {
  const firsts = new Set(Array.from({ length: 20 }, () => epochsAfter(1, () => {})()));
  assert.ok(firsts.size > 15, `${firsts.size} of 20 differ`);
  let last = 1;
  for (let runs = 0; runs < 100_000; runs++) {
    const next = epochsAfter(
      last,
      () => {},
      () => 0.99,
    )();
    assert.ok(next > last && next < 2 ** 31 - 1);
    last = next;
  }
});
