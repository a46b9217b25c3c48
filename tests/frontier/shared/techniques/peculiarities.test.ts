import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CoarseQueue } from "../../../../src/frontier/shared/techniques/coarse-queue.ts";
import { FineQueue } from "../../../../src/frontier/shared/techniques/fine-queue.ts";
import {
  createTechnique,
  openTechnique,
} from "../../../../src/frontier/shared/techniques/open-technique.ts";
import type { OptimisticQueue } from "../../../../src/frontier/shared/techniques/optimistic-queue.ts";
import type { PessimisticQueue } from "../../../../src/frontier/shared/techniques/pessimistic-queue.ts";
import {
  CORRECT_TECHNIQUES,
  type RecordQueue,
  type Technique,
} from "../../../../src/frontier/shared/techniques/record-queue.ts";
import { drain, get, put } from "./technique.contract.ts";
import { decode, encode } from "./technique-worker.ts";

const shape = { size: 4, slotBytes: 16, owners: 2, spins: 3 };

/** Lets a second thread act at the moment the first one copies its record in or out. */
class Interrupted extends Uint8Array {
  meanwhile: (() => void) | undefined;

  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.#interrupt();
    return new Uint8Array(this.buffer as ArrayBuffer).subarray(begin, end);
  }

  override set(array: ArrayLike<number>, offset?: number): void {
    super.set(array, offset);
    this.#interrupt();
  }

  #interrupt(): void {
    const meanwhile = this.meanwhile;
    this.meanwhile = undefined;
    meanwhile?.();
  }
}

function twoThreads(technique: Technique): [RecordQueue, RecordQueue] {
  const memory = createTechnique(technique, shape);
  return [openTechnique(technique, memory, shape, 1), openTechnique(technique, memory, shape, 2)];
}

/** Two inserts at once, the second one between the first one's look and its store; then the same with takes. */
function interleave(technique: Technique): { inserted: number; taken: number[]; left: number[] } {
  const [first, second] = twoThreads(technique);
  let inserted = 0;
  const box = new Interrupted(16);
  const length = encode(1, box);
  box.meanwhile = () => {
    if (put(second, 2)) inserted++;
  };
  if (first.tryInsert(box, length)) inserted++;
  if (put(first, 3)) inserted++;
  const taken: number[] = [];
  box.meanwhile = () => {
    const number = get(second);
    if (number !== -1) taken.push(number);
  };
  if (first.tryTake(box) > 0) taken.push(decode(box));
  return { inserted, taken, left: drain(first) };
}

test("unsynchronised: a record is lost and another one given out twice", () => {
  const { inserted, taken, left } = interleave("unsynchronised");
  assert.equal(inserted, 3);
  assert.deepEqual(taken, [1, 1]);
  assert.deepEqual(left, [3]);
});

test("every correct technique survives the interleaving that breaks the unsynchronised one", () => {
  for (const technique of CORRECT_TECHNIQUES) {
    const { inserted, taken, left } = interleave(technique);
    const out = [...taken, ...left];
    assert.equal(new Set(out).size, out.length, `${technique} gave a record twice: ${out}`);
    assert.equal(out.length, inserted, `${technique} lost a record: ${out} of ${inserted}`);
  }
});

test("optimistic: a conflict is found at validation, counted, and tried again", () => {
  const [first, second] = twoThreads("optimistic") as [OptimisticQueue, OptimisticQueue];
  const box = new Interrupted(16);
  const length = encode(1, box);
  box.meanwhile = () => void put(second, 2);
  assert.ok(first.tryInsert(box, length));
  assert.deepEqual(first.counts(), { commits: 2, aborts: 1, restarts: 1 });
  // A take does not touch what an insert has read.
  const again = encode(3, box);
  box.meanwhile = () => assert.equal(get(second), 2);
  assert.ok(first.tryInsert(box, again));
  assert.deepEqual(first.counts(), { commits: 4, aborts: 1, restarts: 1 });
  assert.deepEqual(drain(first), [1, 3]);
});

test("optimistic: a transaction that slept through many others is aborted unseen", () => {
  const [first, second] = twoThreads("optimistic") as [OptimisticQueue, OptimisticQueue];
  const box = new Interrupted(16);
  const length = encode(1, box);
  box.meanwhile = () => {
    for (let i = 0; i < 50; i++) {
      put(second, i);
      get(second);
    }
  };
  assert.ok(first.tryInsert(box, length));
  assert.equal(first.counts().aborts, 1);
  assert.deepEqual(drain(second), [1]);
});

test("pessimistic: a locked record may be read by others, not taken", () => {
  const [first, second] = twoThreads("pessimistic") as [PessimisticQueue, PessimisticQueue];
  const seen = new Uint8Array(16);
  assert.equal(second.peek(seen), -1);
  put(first, 5);
  const box = new Interrupted(16);
  let refused = 0;
  box.meanwhile = () => {
    assert.equal(second.oldestHolder(), 1);
    refused = get(second);
    assert.equal(second.peek(seen), 8);
  };
  assert.equal(first.tryTake(box), 8);
  assert.deepEqual([decode(seen), refused, decode(box)], [5, -1, 5]);
  assert.equal(second.peek(seen), -1);
});

test("growing lists use freed nodes again before they take more memory", () => {
  for (const List of [CoarseQueue, FineQueue]) {
    const grow = { size: "grow", slotBytes: 16, maxSize: 2000 } as const;
    const list = new List(new SharedArrayBuffer(List.bytes(grow)), grow, 1);
    list.initialise();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 1000; i++) assert.ok(put(list, i));
      assert.equal(drain(list).length, 1000);
      assert.equal(list.nodesUsed(), 1001, `${List.name}, round ${round}`);
    }
    for (let i = 0; i < 2000; i++) assert.ok(put(list, i));
    assert.equal(put(list, 0), false);
  }
});

test("a growing list of a gigabyte costs what is in it", () => {
  const grow = { size: "grow", slotBytes: 2100 } as const;
  const before = process.memoryUsage.rss();
  const list = openTechnique("coarse", createTechnique("coarse", grow), grow, 1);
  for (let i = 0; i < 1000; i++) list.insert(new Uint8Array(100), 100);
  assert.ok(process.memoryUsage.rss() - before < 100e6);
});

test("fine: keyed operations do to the list what they do to an array", () => {
  const number = fc.integer({ min: 0, max: 5 });
  const step = fc.record({
    kind: fc.constantFrom("insertAfter", "get", "delete", "put", "take"),
    key: number,
    number,
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [list] = twoThreads("fine") as [FineQueue, FineQueue];
      const model: number[] = [];
      const key = new Uint8Array(16);
      const box = new Uint8Array(16);
      for (const { kind, key: wanted, number: value } of steps) {
        const keyLength = encode(wanted, key);
        const at = model.indexOf(wanted);
        if (kind === "put") {
          if (put(list, value)) model.push(value);
        } else if (kind === "take") assert.equal(get(list), model.shift() ?? -1);
        else if (kind === "get") {
          assert.equal(list.get(key, keyLength, box), at < 0 ? -1 : 8);
          if (at >= 0) assert.equal(decode(box), wanted);
        } else if (kind === "delete") {
          assert.equal(list.delete(key, keyLength), at >= 0);
          if (at >= 0) model.splice(at, 1);
        } else {
          const full = model.length === shape.size;
          const expected = full ? "full" : at < 0 ? "no-key" : "inserted";
          assert.equal(list.insertAfter(key, keyLength, box, encode(value, box)), expected);
          if (expected === "inserted") model.splice(at + 1, 0, value);
        }
        assert.equal(list.size(), model.length);
      }
      assert.deepEqual(drain(list), model);
    }),
  );
});
