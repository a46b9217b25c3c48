import assert from "node:assert/strict";
import { test } from "node:test";
import { CostlySites } from "../../../src/crawl/visit/costly-sites.ts";

test("a site waits for four times what its page cost, and no longer when the next one is cheap", () => {
  let nowMs = 1000;
  const costly = new CostlySites(() => nowMs);
  costly.note("a.cheap.test", 399);
  assert.equal(costly.untilFree("a.cheap.test"), 0);
  assert.ok(costly.isQuiet);
  costly.note("a.costly.test", 500);
  assert.ok(!costly.isQuiet);
  assert.equal(costly.untilFree("other.test"), 0);
  const first = costly.untilFree("b.costly.test");
  const second = costly.untilFree("c.costly.test");
  assert.ok(first >= 3000 && second >= first, "all hosts of the site wait");
  nowMs = 3000;
  assert.equal(costly.untilFree("b.costly.test"), 0);
  assert.ok(costly.untilFree("c.costly.test") > 3000, "one at a time");
  costly.begin("b.costly.test");
  costly.end("b.costly.test");
  assert.ok(costly.isQuiet, "that one was cheap");
  assert.equal(costly.untilFree("c.costly.test"), 0);
});

test("while a page of a site is being decoded nothing more is asked of it", () => {
  const costly = new CostlySites(() => 0);
  costly.begin("a.test");
  costly.begin("a.test");
  assert.ok(costly.untilFree("a.test") > 0);
  costly.end("a.test");
  assert.ok(costly.untilFree("a.test") > 0);
  assert.ok(!costly.isQuiet);
  costly.end("a.test");
  assert.ok(costly.isQuiet);
  assert.equal(costly.untilFree("a.test"), 0);
});
