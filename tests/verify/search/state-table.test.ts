import assert from "node:assert/strict";
import { test } from "node:test";
import { Trail } from "../../../src/verify/machine/trail.ts";
import { StateTable } from "../../../src/verify/search/state-table.ts";

/** Counts in base 50 over cells that lie far apart, so that columns come one by one. */
function write(trail: Trail, number: number): void {
  let rest = number;
  for (let digit = 0; digit < 4; digit++) {
    const value = 7 + (rest % 50);
    if (trail.mem[digit * 100] !== value) trail.set(digit * 100, value);
    rest = Math.floor(rest / 50);
  }
}

test("states come back whole over many pieces, and none is stored twice", () => {
  const trail = new Trail(400);
  trail.mem.fill(7);
  const table = new StateTable(trail, false);
  const states = 60_000;
  for (let n = 0; n < states; n++) {
    write(trail, n);
    assert.equal(table.add(n - 1, n % 3), n);
  }
  for (let n = 0; n < states; n += 997) {
    write(trail, n);
    assert.equal(table.add(-1, 0), n, "known");
  }
  assert.equal(table.size, states);
  const expected = new Trail(400);
  expected.mem.fill(7);
  for (let n = states - 1; n >= 0; n -= 991) {
    table.read(n);
    write(expected, n);
    assert.deepEqual(trail.mem, expected.mem, `state ${n}`);
  }
  assert.deepEqual(table.pathTo(5), [1, 2, 0, 1, 2]);
});

test("a row holds only what ever changed", () => {
  const trail = new Trail(1_000_000);
  const table = new StateTable(trail, false);
  for (let n = 0; n < 20_000; n++) {
    trail.set(999_999, n);
    table.add(n - 1, 0);
  }
  assert.ok(table.bytes < 4_000_000, `${table.bytes} bytes`);
});

test("columns beyond the first eight leave earlier states as they were", () => {
  const trail = new Trail(40);
  const table = new StateTable(trail, false);
  table.add(-1, 0);
  for (let cell = 0; cell < 40; cell++) {
    trail.set(cell, cell + 1);
    assert.equal(table.add(cell, 0), cell + 1);
  }
  for (let state = 0; state <= 40; state++) {
    table.read(state);
    const expected = Int32Array.from({ length: 40 }, (_, cell) => (cell < state ? cell + 1 : 0));
    assert.deepEqual(trail.mem, expected, `state ${state}`);
    assert.equal(table.add(-1, 0), state);
  }
});
