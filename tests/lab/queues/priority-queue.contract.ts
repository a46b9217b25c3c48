import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import type { PriorityQueue } from "../../../src/frontier/queue/priority-queue.ts";

type Step = { insert: number[] } | { extract: number } | { peek: true };

const cash = fc.oneof(
  fc.integer({ min: 0, max: 9 }), // many equal keys
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  fc.double({ noNaN: true }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ insert: fc.array(cash, { maxLength: 60 }) }),
  fc.record({ insert: fc.array(cash, { maxLength: 20 }).map((a) => a.sort((x, y) => x - y)) }),
  fc.record({ extract: fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 200 })) }),
  fc.constant({ peek: true } as const),
);

/** What any queue must do, compared with an array that is sorted anew at every step. */
export class Reference {
  readonly #queue: PriorityQueue;
  readonly #grain: (priority: number) => number;
  readonly #waiting: number[] = [];
  /** Priority by id: every id given out names the key it went in with. */
  readonly #priorityOf: number[] = [];
  readonly #left = new Set<number>();

  /** A queue may order by a coarser value than the priority: `grain` is what it orders by. */
  constructor(queue: PriorityQueue, grain: (priority: number) => number = plain) {
    this.#queue = queue;
    this.#grain = grain;
  }

  insert(priorities: readonly number[]): void {
    const batch = new Keys();
    for (const priority of priorities) {
      batch.push(priority, this.#priorityOf.length);
      this.#priorityOf.push(priority);
      this.#waiting.push(priority);
    }
    this.#queue.insertMany(batch);
    this.#waiting.sort((a, b) => this.#grain(b) - this.#grain(a));
    this.#checkSize();
  }

  extract(count: number): void {
    const expected = this.#waiting.splice(0, count);
    const got = new Keys();
    got.push(-1, 77); // extractTop appends: what is there stays
    assert.equal(this.#queue.extractTop(count, got), got);
    assert.deepEqual([got.priorities[0], got.ids[0]], [-1, 77]);
    const grains = [...got.priorities.subarray(1, got.length)].map(this.#grain);
    assert.deepEqual(
      grains.sort((a, b) => b - a),
      expected.map(this.#grain),
    );
    for (let i = 1; i < got.length; i++) {
      const id = got.ids[i]!;
      assert.ok(!this.#left.has(id), `id ${id} left twice`);
      assert.equal(plain(got.priorities[i]!), plain(this.#priorityOf[id]!));
      this.#left.add(id);
    }
    this.#checkSize();
  }

  peek(): void {
    const best = this.#queue.peek();
    if (this.#waiting.length === 0) {
      assert.equal(best, undefined);
      return;
    }
    assert.equal(this.#grain(best!.priority), this.#grain(this.#waiting[0]!));
    assert.equal(plain(this.#priorityOf[best!.id]!), plain(best!.priority));
    assert.ok(!this.#left.has(best!.id));
    this.#checkSize();
  }

  #checkSize(): void {
    assert.equal(this.#queue.size, this.#waiting.length);
  }
}

const batchOf3 = () => Keys.of([1, 2, 3]);

const plain = (priority: number) => priority + 0; // -0 and 0 are equal priorities

function shuffled(length: number, of: (i: number) => number): number[] {
  let state = 12345;
  const keys = Array.from({ length }, (_, i) => of(i));
  for (let i = length - 1; i > 0; i--) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const j = state % (i + 1);
    [keys[i], keys[j]] = [keys[j]!, keys[i]!];
  }
  return keys;
}

/** Orders that have broken queues before. */
export const INPUTS: Readonly<Record<string, (length: number) => number[]>> = {
  "random keys": (n) => shuffled(n, (i) => i * 1_000_003),
  "keys worse and worse": (n) => Array.from({ length: n }, (_, i) => n - i),
  "keys better and better": (n) => Array.from({ length: n }, (_, i) => i),
  "equal keys": (n) => new Array(n).fill(42),
  "few different keys": (n) => shuffled(n, (i) => i % 3),
  "an organ pipe": (n) => Array.from({ length: n }, (_, i) => Math.min(i, n - i)),
  "skewed cash": (n) => shuffled(n, (i) => Math.floor(2 ** 53 / (1 + i) ** 2)),
};

/** The contract of PriorityQueue; a new queue is finished when it passes. */
export function queueContract(
  name: string,
  create: () => PriorityQueue,
  grain?: (priority: number) => number,
): void {
  test(`${name}: behaves like a sorted array`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const reference = new Reference(create(), grain);
        for (const it of steps) {
          if ("insert" in it) reference.insert(it.insert);
          else if ("extract" in it) reference.extract(it.extract);
          else reference.peek();
        }
        reference.extract(1e6);
      }),
      { numRuns: 80 },
    );
  });

  for (const [input, keysOf] of Object.entries(INPUTS)) {
    test(`${name}: ${input}, in bulk and in turns`, () => {
      const reference = new Reference(create(), grain);
      const keys = keysOf(3000);
      reference.insert(keys.slice(0, 1000));
      for (let at = 1000; at < keys.length; at += 100) {
        reference.insert(keys.slice(at, at + 100));
        reference.extract(at % 300 === 0 ? 1 : 97);
        if (at % 700 === 0) reference.peek();
      }
      reference.extract(33);
      reference.extract(5000);
      reference.peek();
      reference.insert([1, 2, 3]);
      reference.extract(2);
    });
  }

  test(`${name}: asking nothing of an empty queue gives nothing`, () => {
    const queue = create();
    assert.equal(queue.peek(), undefined);
    assert.equal(queue.extractTop(10).length, 0);
    queue.insertMany(new Keys());
    assert.equal(queue.size, 0);
    assert.equal(queue.extractTop(0).length, 0);
  });

  test(`${name}: refuses what is no number of keys and what is no key, and keeps what it has`, () => {
    const queue = create();
    const batch = Keys.of([3, 1, 2, 5, 4]);
    queue.insertMany(batch);
    for (const count of [-1, Number.NaN, 2.5, Number.NEGATIVE_INFINITY, 2 ** 60]) {
      assert.throws(() => queue.extractTop(count), { code: "OW_BAD_COUNT" });
      assert.throws(() => queue.extractTop(count, new Keys()), { code: "OW_BAD_COUNT" });
    }
    for (const bad of [
      Keys.over(Float64Array.of(9, Number.NaN), Uint32Array.of(1, 2)),
      Keys.over(Float64Array.of(9), Uint32Array.of(1), 2),
      Keys.over(Float64Array.of(9, 8), Uint32Array.of(1)),
    ]) {
      assert.throws(() => queue.insertMany(bad), { code: "OW_BAD_KEY" });
    }
    assert.equal(queue.size, 5);
    const all = queue.extractTop(Number.POSITIVE_INFINITY);
    const left = [...all].sort((a, b) => b.priority - a.priority).map(({ id }) => id);
    assert.deepEqual(left, [3, 4, 0, 2, 1]);
    assert.equal(queue.size, 0);
  });

  test(`${name}: the room for an answer is that of the keys there are, not of those asked for`, () => {
    const queue = create();
    queue.insertMany(batchOf3());
    assert.equal(queue.extractTop(2 ** 50).length, 3);
  });

  test(`${name}: infinite priorities have their place at the ends`, () => {
    const reference = new Reference(create(), grain);
    reference.insert([0, Number.POSITIVE_INFINITY, -5, Number.NEGATIVE_INFINITY, 2 ** 53]);
    reference.extract(1);
    reference.insert([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    reference.peek();
    reference.extract(3);
    reference.extract(9);
  });

  test(`${name}: the same calls give the same answers and the same count of comparisons`, () => {
    const run = () => {
      const queue = create();
      const batch = new Keys();
      shuffled(2000, (i) => i % 500).forEach((priority, id) => {
        batch.push(priority, id);
      });
      queue.insertMany(batch);
      const out = [...queue.extractTop(700).ids.subarray(0, 700)];
      queue.insertMany(batch);
      out.push(...queue.extractTop(900).ids.subarray(0, 900));
      return { out, comparisons: queue.comparisons };
    };
    assert.deepEqual(run(), run());
  });
}
