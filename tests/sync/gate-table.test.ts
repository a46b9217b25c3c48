import assert from "node:assert/strict";
import { test } from "node:test";
import { GateTable, gateBytes } from "../../src/sync/gate-table.ts";

test("a gate lets one request through at a time and opens after its delay", () => {
  const memory = new SharedArrayBuffer(gateBytes(8));
  const one = new GateTable(memory, 1);
  const two = new GateTable(memory, 2);
  assert.equal(one.tryEnter(3, 1000, 50), 0);
  assert.equal(two.tryEnter(3, 1000, 50), 50, "held: ask again later");
  assert.equal(two.tryEnter(3 + 8, 1000, 50), 50, "a colliding key only waits");
  one.leave(3, 2000.5);
  assert.equal(two.tryEnter(3, 1999, 50), 2, "never earlier than promised");
  assert.equal(two.tryEnter(3, 2001, 50), 0);
});

test("reserved starts are spaced, whoever asks", () => {
  const memory = new SharedArrayBuffer(gateBytes(8));
  const one = new GateTable(memory, 1);
  const two = new GateTable(memory, 2);
  assert.deepEqual(
    [one.reserve(1, 100, 10), two.reserve(1, 100, 10), one.reserve(1, 105, 10)],
    [100, 110, 120],
  );
  assert.equal(two.reserve(1, 500, 10), 500);
});

test("a dead owner's gates open again after one delay, others stay as they are", () => {
  const memory = new SharedArrayBuffer(gateBytes(8));
  const one = new GateTable(memory, 1);
  const two = new GateTable(memory, 2);
  one.tryEnter(1, 0, 50);
  two.tryEnter(2, 0, 50);
  assert.equal(two.reclaim(1, 700), 1);
  assert.equal(two.tryEnter(1, 0, 50), 700);
  assert.equal(one.tryEnter(2, 5000, 50), 50);
});
