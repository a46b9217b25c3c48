import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CapacityError } from "../../src/errors.ts";
import { Ring, ringBytes } from "../../src/sync/ring.ts";

function ring(slots: number, slotBytes = 8, owner = 1): Ring {
  return new Ring(new SharedArrayBuffer(ringBytes(slots, slotBytes)), slots, slotBytes, owner);
}

const into = new Uint8Array(64);

test("a ring behaves like a bounded queue of byte strings", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.option(fc.uint8Array({ maxLength: 8 }), { nil: undefined }), { maxLength: 200 }),
      (slots, steps) => {
        const subject = ring(slots);
        const model: Uint8Array[] = [];
        for (const step of steps) {
          if (step !== undefined) {
            const fits = model.length < slots;
            if (fits) model.push(step);
            assert.equal(subject.tryPush(step, step.length), fits);
          } else {
            const expected = model.shift();
            const length = subject.tryTake(into);
            assert.equal(length, expected?.length ?? -1);
            if (expected) assert.deepEqual(into.slice(0, length), expected);
          }
          assert.equal(subject.size(), model.length);
        }
      },
    ),
  );
});

test("a dead writer's slot becomes an empty message, a dead reader's slot is free again", () => {
  const memory = new SharedArrayBuffer(ringBytes(2, 8));
  const words = new Int32Array(memory);
  const survivor = new Ring(memory, 2, 8, 2);
  // Thread 1 claimed slot 0 for writing (kind 1) and died before it moved HEAD.
  words[2] = (1 << 2) | 1;
  assert.equal(survivor.tryPush(Uint8Array.of(7), 1), true, "the others help HEAD along");
  assert.equal(survivor.tryTake(into), -1, "the unpublished slot hides what follows");
  assert.equal(survivor.reclaim(1), 1);
  assert.equal(survivor.tryTake(into), 0);
  assert.equal(survivor.tryTake(into), 1);
  assert.equal(into[0], 7);
  assert.equal(survivor.reclaim(1), 0);
});

test("impossible sizes, ids and lengths are refused with a code", () => {
  assert.throws(() => ringBytes(0, 8), CapacityError);
  assert.throws(() => ring(1, 8, 0), CapacityError);
  assert.throws(() => ring(1, 8, 256), CapacityError);
  assert.throws(() => ring(1, 8).tryPush(new Uint8Array(9), 9), { code: "OW_CAPACITY" });
});
