import assert from "node:assert/strict";
import { test } from "node:test";
import { Asking } from "../../../src/frontier/lending/asking.ts";
import {
  asking,
  IDLENESS,
  WorkBoard,
  workBoardBytes,
} from "../../../src/frontier/lending/work-board.ts";

const ME = 0;
const THREADS = 4;

/** A thread that asks; what it sends is kept. */
function asker() {
  const sent: [kind: string, owner: number, places: number][] = [];
  const work = new WorkBoard(new SharedArrayBuffer(workBoardBytes(THREADS)), THREADS);
  const ask = new Asking({ thread: ME, work, send: (...message) => sent.push(message) });
  return { ask, sent, work };
}

test("own pages wait for the answer of a thread with better ones, but not long", () => {
  const { ask, sent } = asker();
  assert.equal(ask.first(2, 16, 1000), 1020);
  assert.equal(ask.first(2, 16, 1010), 1020);
  assert.deepEqual(sent, [["askFirst", 2, 16]]);
  // No answer: asked anew, and the own ones had their chance when the time was over.
  assert.equal(ask.first(3, 8, 1020), 1040);
  assert.deepEqual(sent.at(-1), ["askFirst", 3, 8]);
});

test("who lent all that was asked for is asked again at once", () => {
  const { ask, sent } = asker();
  ask.first(2, 16, 1000);
  ask.came(2, 10);
  assert.equal(ask.first(2, 16, 1001), 1020);
  ask.came(2, 6);
  assert.equal(ask.first(2, 16, 1002), 1022);
  assert.equal(sent.length, 2);
});

test("who had less than was asked for does not keep the own pages waiting", () => {
  const { ask, sent } = asker();
  ask.first(2, 16, 1000);
  ask.came(2, 3);
  ask.came(2, 0);
  assert.equal(ask.first(2, 16, 1001), 0);
  assert.equal(ask.first(2, 16, 1020), 1040);
  assert.equal(sent.length, 2);
});

test("who had nothing is left alone for longer", () => {
  const { ask, sent } = asker();
  ask.first(2, 16, 1000);
  ask.came(2, 0);
  assert.equal(ask.first(2, 16, 1249), 0);
  assert.equal(sent.length, 1);
  assert.equal(ask.first(2, 16, 1250), 1270);
});

test("a thread without work asks nobody as long as nobody has work to spare, and says that it is idle", () => {
  const { ask, sent, work } = asker();
  for (let i = 0; i < 3; i++) ask.idly(4);
  assert.deepEqual([sent, work.idleness(ME)], [[], IDLENESS.free]);
  work.setSpare(2, 1);
  work.setSpare(3, 2);
  ask.idly(4);
  assert.deepEqual([sent, work.idleness(ME)], [[["ask", 3, 4]], asking(3)]);
});

test("a thread without work asks once, and again only for twice as many places", () => {
  const { ask, sent, work } = asker();
  work.setSpare(1, 1);
  ask.idly(4);
  for (const places of [4, 5, 7]) ask.idly(places);
  assert.equal(sent.length, 1);
  ask.idly(8);
  assert.deepEqual(sent.at(-1), ["ask", 1, 8]);
  ask.came(1, 6);
  ask.idly(3);
  assert.equal(sent.length, 2, "it waits for two more");
  ask.idly(4);
  assert.deepEqual(sent.at(-1), ["ask", 1, 4]);
});

test("who lent everything is asked again without a look at the others; who let it go is not", () => {
  const { ask, sent, work } = asker();
  work.setSpare(1, 1);
  ask.idly(1);
  work.setSpare(1, 0);
  ask.came(1, 1);
  ask.full();
  assert.equal(work.idleness(ME), IDLENESS.none);
  ask.idly(1);
  assert.deepEqual(sent, [
    ["ask", 1, 1],
    ["ask", 1, 1],
  ]);
  ask.came(1, 0);
  ask.idly(1);
  assert.deepEqual([sent.length, work.idleness(ME)], [2, IDLENESS.free]);
});

test("a thread that finds work of its own takes its request back", () => {
  const { ask, sent, work } = asker();
  work.setSpare(1, 1);
  ask.idly(1);
  ask.full();
  assert.deepEqual(sent.at(-1), ["ask", 1, 0]);
  ask.full();
  assert.deepEqual([sent.length, work.idleness(ME)], [2, IDLENESS.none]);
});

test("a thread that waits is called away by one with work to spare", () => {
  const { ask, sent, work } = asker();
  work.setSpare(1, 1);
  ask.idly(1);
  assert.equal(work.call(1, true), -1, "it waits for that one already");
  work.setSpare(1, 0);
  work.setSpare(2, 1);
  assert.equal(work.call(2, false), -1, "not for a lack of evenness");
  assert.equal(work.call(2, true), ME);
  ask.idly(1);
  assert.deepEqual(sent.slice(1), [
    ["ask", 1, 0],
    ["ask", 2, 1],
  ]);
});

test("a thread whose owner dies looks for another one", () => {
  const { ask, sent, work } = asker();
  work.setSpare(1, 1);
  ask.idly(1);
  work.setSpare(1, 0);
  ask.forget(1);
  ask.idly(1);
  assert.deepEqual([sent.length, work.idleness(ME)], [1, IDLENESS.free]);
});
