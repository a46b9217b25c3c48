import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressShares, ended } from "../../src/fetch/address-shares.ts";
import { ListPlaces } from "../../src/fetch/list-places.ts";
import { WaitingTurns } from "../../src/fetch/waiting-turns.ts";

test("who waits comes back one after the other, at the rate at which places get free", () => {
  const turns = new WaitingTurns(4, 1000);
  assert.deepEqual([1, 2, 3].map(() => turns.nextMs(0)), [250, 500, 750]); // biome-ignore format: one thought
  for (let i = 0; i < 100; i++) turns.ended(100_000);
  assert.ok(turns.nextMs(0) > 20_000);
  for (let i = 0; i < 9; i++) turns.nextMs(0);
  assert.equal(turns.nextMs(0), 60_000, "never longer than a minute");
  for (let i = 0; i < 200; i++) turns.ended(0);
  assert.equal(turns.nextMs(90_000), 90_020, "and never at once");
});

test("an address holds a quarter of the places while others are asked, and all of them when they are not", () => {
  const shares = new AddressShares(8);
  const busy = shares.ask("127.0.0.1", 0);
  for (let i = 0; i < 8; i++) {
    assert.equal(shares.ask("127.0.0.1", 0), busy);
    assert.equal(busy.untilMs, 0, "everything has one address");
    busy.count++;
  }
  assert.equal(shares.ask("127.0.0.2", 1000).untilMs, 0);
  assert.ok(shares.ask("127.0.0.1", 1001).untilMs > 1001);
  for (let i = 0; i < 6; i++) ended(busy, 10);
  assert.ok(shares.ask("127.0.0.1", 1002).untilMs > 1002, "two are a quarter");
  ended(busy, 10);
  assert.equal(shares.ask("127.0.0.1", 1003).untilMs, 0);
  busy.count++;
  assert.equal(shares.ask("127.0.0.1", 40_000).untilMs, 0, "the other one was asked long ago");
});

test("one list of a site and two in all are fetched at a time, so a slow one delays only its own site's", () => {
  const lists = new ListPlaces();
  assert.equal(lists.enter("slow.test", 0), 0);
  const waits = Array.from({ length: 5 }, () => lists.enter("slow.test", 0));
  assert.equal(new Set(waits).size, 5, "each at a time of its own");
  assert.equal(lists.enter("a.test", 1), 0);
  assert.ok(lists.enter("b.test", 2) > 2, "two are enough for memory");
  lists.leave("a.test", 3, false);
  assert.equal(lists.enter("b.test", 4), 0, "the slow one does not hold both");
  lists.leave("b.test", 5, true);
  lists.leave("slow.test", 6, false);
  assert.equal(lists.enter("slow.test", 7), 0);
});
