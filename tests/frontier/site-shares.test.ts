import assert from "node:assert/strict";
import { test } from "node:test";
import { SiteShares } from "../../src/frontier/site-shares.ts";

test("a site is full at a quarter of the places while another one is active, and for a moment after", () => {
  const shares = new SiteShares(10, 100);
  const [big, small] = [shares.of("a.big.test"), shares.of("small.test")];
  assert.equal(shares.of("b.big.test"), big, "hosts of one registrable domain are one site");
  shares.waits(big);
  for (let i = 0; i < 3; i++) shares.hold(big);
  assert.equal(shares.isFull(big), false, "alone it may hold all");
  shares.waits(small);
  assert.deepEqual([shares.share, shares.isFull(big), shares.isFull(small)], [3, true, false]);
  assert.equal(shares.aloneFromMs, Number.POSITIVE_INFINITY);
  shares.nowMs = 50;
  shares.waitsNoMore(small);
  assert.equal(shares.isFull(big), true, "the other one may be back at once");
  shares.nowMs = 150;
  assert.deepEqual([shares.aloneFromMs, shares.isFull(big)], [150, false]);
});

test("a place that is still held keeps a site active, and a site without hosts is forgotten", () => {
  const shares = new SiteShares(4);
  const site = shares.of("h.test");
  shares.waits(site);
  shares.hold(site);
  shares.waitsNoMore(site);
  assert.equal(shares.active, 1);
  shares.release(site);
  assert.equal(shares.of("h.test"), site, "as long as it holds a place");
  shares.release(site);
  assert.equal(shares.leave(site), true);
  assert.equal(shares.active, 0);
  assert.notEqual(shares.of("h.test"), site);
});
