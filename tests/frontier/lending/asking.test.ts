import assert from "node:assert/strict";
import { test } from "node:test";
import { Asking } from "../../../src/frontier/lending/lending.ts";

function asking(): { asking: Asking; sent: [owner: number, places: number][] } {
  const sent: [number, number][] = [];
  return { asking: new Asking((owner, places) => sent.push([owner, places])), sent };
}

test("own pages wait for the answer of a thread with better ones, but not long", () => {
  const { asking: ask, sent } = asking();
  assert.equal(ask.first(2, 16, 1000), 1020);
  assert.equal(ask.first(2, 16, 1010), 1020);
  assert.deepEqual(sent, [[2, 16]]);
  // No answer: asked anew, and the own ones had their chance when the time was over.
  assert.equal(ask.first(3, 8, 1020), 1040);
  assert.deepEqual(sent, [
    [2, 16],
    [3, 8],
  ]);
});

test("who lent all that was asked for is asked again at once", () => {
  const { asking: ask, sent } = asking();
  ask.first(2, 16, 1000);
  ask.came(10);
  assert.equal(ask.first(2, 16, 1001), 1020);
  ask.came(6);
  assert.equal(ask.first(2, 16, 1002), 1022);
  assert.equal(sent.length, 2);
});

test("who had less than was asked for does not keep the own pages waiting", () => {
  const { asking: ask, sent } = asking();
  ask.first(2, 16, 1000);
  ask.came(3);
  ask.came(0);
  assert.equal(ask.first(2, 16, 1001), 0);
  assert.equal(ask.first(2, 16, 1020), 1040);
  assert.equal(sent.length, 2);
});

test("who had nothing is left alone for longer", () => {
  const { asking: ask, sent } = asking();
  ask.first(2, 16, 1000);
  ask.came(0);
  assert.equal(ask.first(2, 16, 1249), 0);
  assert.equal(sent.length, 1);
  assert.equal(ask.first(2, 16, 1250), 1270);
});

test("a thread without work asks every 20 milliseconds", () => {
  const { asking: ask, sent } = asking();
  assert.deepEqual(
    [0, 10, 20, 30].map((nowMs) => ask.idly(1, 4, nowMs)),
    [20, 20, 20, 20],
  );
  assert.equal(sent.length, 2);
});

test("a thread without work asks at once again who lent all of it, when that is worth a message", () => {
  const { asking: ask, sent } = asking();
  ask.idly(1, 40, 1000);
  ask.came(30);
  ask.idly(1, 20, 1002);
  ask.came(10);
  ask.idly(1, 15, 1003);
  assert.equal(sent.length, 1);
  ask.idly(1, 16, 1004);
  assert.deepEqual(sent, [
    [1, 40],
    [1, 16],
  ]);
});
