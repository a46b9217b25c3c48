import assert from "node:assert/strict";
import { test } from "node:test";
import { Idleness } from "../../../src/crawl/ending/idleness.ts";
import { COUNTERS, type Totals } from "../../../src/stats/counters.ts";

const NOTHING = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Totals;

test("a crawl whose every answer comes between two looks is at work", () => {
  const idleness = new Idleness();
  idleness.begin(0);
  assert.equal(idleness.lookMs(250, NOTHING), 250);
  for (const [i, name] of (
    ["pages", "redirects", "unchanged", "sitemaps", "bytes"] as const
  ).entries()) {
    const sums = { ...NOTHING, [name]: 1000 * (i + 1) };
    const nowMs = 10_000 * (i + 1);
    assert.equal(idleness.lookMs(nowMs, sums), 0, name);
    assert.equal(idleness.lookMs(nowMs + 700, sums), 700, `no more ${name}`);
  }
});

test("requests in flight are work, but for those to hosts that answer nobody", () => {
  const idleness = new Idleness();
  idleness.begin(0);
  assert.equal(idleness.lookMs(500, { ...NOTHING, inFlight: 2, hopeful: 1 }), 0);
  assert.equal(idleness.lookMs(1500, { ...NOTHING, inFlight: 2, hopeful: 2 }), 1000);
  // Their tries end as failed, which is no answer.
  assert.equal(idleness.lookMs(1800, { ...NOTHING, failed: 7, retries: 9 }), 1300);
});

test("patience has not begun while threads start", () => {
  const idleness = new Idleness();
  assert.ok(idleness.lookMs(1e8, NOTHING) < 0);
  assert.ok(idleness.lookMs(2e8, { ...NOTHING, pages: 7 }) < 0);
  assert.ok(idleness.lookMs(9e8, { ...NOTHING, pages: 7 }) < 0);
  idleness.begin(1e9);
  assert.equal(idleness.lookMs(1e9 + 5, { ...NOTHING, pages: 7 }), 5);
});
