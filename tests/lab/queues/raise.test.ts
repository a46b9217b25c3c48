import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import { IncrementalSort } from "../../../src/lab/queues/incremental-sort.ts";
import { Tournament } from "../../../src/lab/queues/tournament.ts";

const sorted = (values: Iterable<number>) => [...values].sort((a, b) => b - a);

/** Inserts, raises and extractions in any order; a raise names a key by its place among all that ever were. */
const calls = fc.array(
  fc.oneof(
    fc.record({ insert: fc.array(fc.nat(50), { maxLength: 12 }) }),
    fc.record({ raise: fc.nat(200), by: fc.nat(40) }),
    fc.record({ extract: fc.nat(8) }),
  ),
  { maxLength: 40 },
);

test("a tournament with raised keys gives the best ones, as a sorted list would", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), calls, (chunk, list) => {
      const queue = new Tournament(chunk);
      const waiting = new Map<number, number>();
      let ids = 0;
      for (const call of list) {
        if ("insert" in call) {
          const keys = new Keys();
          for (const priority of call.insert) {
            waiting.set(ids, priority);
            keys.push(priority, ids++);
          }
          queue.insertMany(keys);
        } else if ("raise" in call) {
          const before = waiting.get(call.raise);
          const raised = (before ?? 0) + call.by;
          assert.equal(queue.raise(call.raise, raised), before !== undefined);
          if (before !== undefined) waiting.set(call.raise, raised);
        } else {
          const best = sorted(waiting.values()).slice(0, call.extract);
          const got = [...queue.extractTop(call.extract)];
          assert.deepEqual(sorted(got.map(({ priority }) => priority)), best);
          for (const { id, priority } of got) {
            assert.equal(waiting.get(id), priority);
            waiting.delete(id);
          }
        }
        assert.equal(queue.size, waiting.size);
      }
      const rest = [...queue.extractTop(Number.POSITIVE_INFINITY)];
      assert.deepEqual(sorted(rest.map(({ priority }) => priority)), sorted(waiting.values()));
    }),
    { numRuns: 300 },
  );
});

test("a key cannot be lowered, and a refused call changes nothing", () => {
  const queue = new Tournament(1);
  queue.insertMany(Keys.of([3, 5]));
  assert.throws(() => queue.raise(1, 4), { code: "OW_BAD_KEY" });
  assert.throws(() => queue.raise(1, Number.NaN), { code: "OW_BAD_KEY" });
  assert.equal(queue.raise(7, 9), false);
  assert.deepEqual(queue.peek(), { priority: 5, id: 1 });
});

test("IQS gives the keys in order and leaves the batch as it was", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100)), (priorities) => {
      const keys = Keys.of(priorities);
      const sort = new IncrementalSort(keys);
      const given: number[] = [];
      for (let key = sort.next(); key !== undefined; key = sort.next()) {
        assert.equal(priorities[key.id], key.priority);
        given.push(key.priority);
      }
      assert.deepEqual(given, sorted(priorities));
      assert.deepEqual([...keys.priorities.subarray(0, keys.length)], priorities);
      assert.equal(sort.size, 0);
    }),
  );
});

test("IQS compares less when few keys are asked for", () => {
  const keys = Keys.of(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 4096));
  const cost = (count: number) => {
    const sort = new IncrementalSort(keys);
    for (let i = 0; i < count; i++) sort.next();
    return sort.comparisons;
  };
  assert.ok(cost(10) * 3 < cost(4096));
});
