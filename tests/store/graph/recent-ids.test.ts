import assert from "node:assert/strict";
import test from "node:test";
import { RecentIds } from "../../../src/store/graph/recent-ids.ts";

/** Ids with equal low bits: they share a set. */
const alike = [1, 2, 3, 4, 5].map((n) => [n, 0x8000_0007] as const);

test("an id is new once, whatever else is met beside it", () => {
  const recent = new RecentIds();
  const four = alike.slice(0, 4);
  for (const [high, low] of four) assert.ok(recent.add(high, low));
  for (const [high, low] of [...four, ...four]) assert.ok(!recent.add(high, low));
  // Half of it is not the id.
  assert.ok(recent.add(1, 0x8000_0008));
  assert.ok(recent.add(0xffff_ffff, 0xffff_ffff));
  assert.ok(!recent.add(0xffff_ffff, 0xffff_ffff));
});

test("a fifth id in a set makes it forget the oldest, and no other", () => {
  const recent = new RecentIds();
  for (const [high, low] of alike) assert.ok(recent.add(high, low));
  for (const [high, low] of alike.slice(1)) assert.ok(!recent.add(high, low));
  assert.ok(recent.add(...alike[0]!));
});
