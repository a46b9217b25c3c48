import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createTechnique,
  openTechnique,
} from "../../../../src/frontier/shared/techniques/open-technique.ts";
import type {
  QueueShape,
  RecordQueue,
  Technique,
} from "../../../../src/frontier/shared/techniques/record-queue.ts";
import { decode, encode } from "./technique-worker.ts";

const SLOT_BYTES = 16;
const box = new Uint8Array(SLOT_BYTES);

/** Inserts a number. */
export function put(frontier: RecordQueue, number: number): boolean {
  return frontier.tryInsert(box, encode(number, box));
}

/** Takes a number; -1 when there is none. */
export function get(frontier: RecordQueue): number {
  const length = frontier.tryTake(box);
  return length < 0 ? -1 : decode(box);
}

/** Takes everything. */
export function drain(frontier: RecordQueue): number[] {
  const taken: number[] = [];
  for (let number = get(frontier); number !== -1; number = get(frontier)) taken.push(number);
  return taken;
}

/** What every technique does when one thread at a time uses it. */
export function frontierContract(technique: Technique, size: number | "grow"): void {
  const name = `${technique} (${size})`;
  const shape = (records: number | "grow"): QueueShape => ({
    size: records,
    slotBytes: SLOT_BYTES,
    owners: 3,
    ...(records === "grow" ? { maxSize: 1000 } : {}),
  });

  test(`${name}: behaves like a bounded queue, whichever thread asks`, () => {
    const step = fc.record({ owner: fc.integer({ min: 1, max: 3 }), put: fc.boolean() });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 80 }),
        (records, steps) => {
          const made = shape(size === "grow" ? "grow" : records);
          const memory = createTechnique(technique, made);
          const frontiers = [1, 2, 3].map((owner) => openTechnique(technique, memory, made, owner));
          const model: number[] = [];
          let number = 0;
          for (const { owner, put: isPut } of steps) {
            const frontier = frontiers[owner - 1]!;
            if (isPut) {
              const fits = size === "grow" || model.length < records;
              assert.equal(put(frontier, ++number), fits);
              if (fits) model.push(number);
            } else assert.equal(get(frontier), model.shift() ?? -1);
            assert.equal(frontier.size(), model.length);
          }
          assert.deepEqual(drain(frontiers[0]!), model);
        },
      ),
    );
  });

  test(`${name}: keeps records of any length and bytes`, () => {
    const made = shape(size);
    const frontier = openTechnique(technique, createTechnique(technique, made), made, 1);
    const target = new Uint8Array(SLOT_BYTES);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: SLOT_BYTES }), (record) => {
        assert.equal(frontier.insert(record, record.length), "inserted");
        assert.equal(frontier.take(target), record.length);
        assert.deepEqual(target.slice(0, record.length), record);
      }),
    );
  });

  test(`${name}: refuses what does not fit, with a code`, () => {
    const made = shape(size);
    const frontier = openTechnique(technique, createTechnique(technique, made), made, 1);
    const capacity = { code: "OW_CAPACITY" };
    const long = new Uint8Array(SLOT_BYTES + 1);
    assert.throws(() => frontier.tryInsert(long, long.length), capacity);
    assert.throws(() => frontier.insert(long, long.length), capacity);
    assert.throws(() => frontier.tryInsert(long, 0), capacity);
    assert.throws(() => frontier.tryTake(new Uint8Array(SLOT_BYTES - 1)), capacity);
    assert.throws(() => createTechnique(technique, { size: 0, slotBytes: 8 }), capacity);
    assert.throws(() => createTechnique(technique, { size: 1.5, slotBytes: 8 }), capacity);
    assert.throws(() => createTechnique(technique, { size: 1, slotBytes: 0 }), capacity);
    assert.throws(
      () => createTechnique(technique, { size: 1, slotBytes: 8, owners: 256 }),
      capacity,
    );
    const memory = createTechnique(technique, made);
    for (const owner of [0, 4, 1.5]) {
      assert.throws(() => openTechnique(technique, memory, made, owner), capacity);
    }
    assert.throws(() => openTechnique(technique, new SharedArrayBuffer(8), made, 1), capacity);
    assert.equal(frontier.size(), 0);
  });

  test(`${name}: time-outs and shutdown come back with nothing lost`, () => {
    const records = size === "grow" ? 2 : size;
    const made = { ...shape(size), maxSize: records };
    const frontier = openTechnique(technique, createTechnique(technique, made), made, 1);
    assert.equal(frontier.take(box, 2), -1);
    for (let i = 0; i < records; i++) assert.ok(put(frontier, i));
    assert.equal(frontier.insert(box, 8, 2), "timeout");
    assert.equal(frontier.insert(box, 8, 0), "timeout");
    frontier.shutDown();
    assert.equal(frontier.insert(box, 8), "shutdown");
    assert.equal(get(frontier), 0);
    assert.equal(frontier.insert(box, encode(records, box)), "inserted");
    assert.deepEqual(
      drain(frontier),
      Array.from({ length: records }, (_, i) => i + 1),
    );
    assert.equal(frontier.take(box), -1);
  });
}
