import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { openVisitedSet, visitedSetBytes } from "../../../../src/frontier/shared/sets/open-set.ts";
import type {
  SetShape,
  VisitedKind,
  VisitedSet,
} from "../../../../src/frontier/shared/sets/visited-set.ts";
import type { MarkTask } from "./set-worker.ts";

/** Several threads' views of one new set. */
export function openSets(kind: VisitedKind, shape: SetShape, owners: number): VisitedSet[] {
  const memory = new SharedArrayBuffer(visitedSetBytes(kind, shape));
  return Array.from({ length: owners }, (_, i) => openVisitedSet(kind, memory, shape, i + 1));
}

/** What every visited set does. */
export function visitedSetContract(kind: VisitedKind): void {
  const small = { maxUrls: 200, initial: kind === "cas" ? 8 : 1, maxUrlBytes: 200 };

  test(`${kind}: marks like a set, whichever thread asks, while it grows`, () => {
    const url = fc.integer({ min: 0, max: 60 }).map((i) => `http://a.example/${i}`);
    const step = fc.record({ url, owner: fc.integer({ min: 0, max: 2 }), look: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const sets = openSets(kind, small, 3);
        const model = new Set<string>();
        for (const { url: u, owner, look } of steps) {
          if (look) assert.equal(sets[owner]!.contains(u), model.has(u));
          else {
            assert.equal(sets[owner]!.mark(u), !model.has(u));
            model.add(u);
          }
          assert.equal(sets[owner]!.count(), model.size);
        }
      }),
    );
  });

  test(`${kind}: takes any text for a URL`, () => {
    const [set] = openSets(kind, small, 1);
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const isNew = !seen.has(text);
        seen.add(text);
        assert.equal(set!.mark(text), isNew);
      }),
    );
  });

  test(`${kind}: eight threads mark the same URLs, each is marked once`, async () => {
    const shape = { maxUrls: 20_000, initial: kind === "cas" ? 8 : 1, maxUrlBytes: 60 };
    const memory = new SharedArrayBuffer(visitedSetBytes(kind, shape));
    const module = new URL("./set-worker.js", import.meta.url);
    const winners = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const worker = new Worker(module);
        const answer = once(worker, "message");
        const task: MarkTask = { kind, memory, shape, owner: i + 1, first: i * 250, count: 5000 };
        worker.postMessage(task);
        const mine = (await answer)[0] as number[];
        await worker.terminate();
        return mine;
      }),
    );
    const all = winners.flat().sort((a, b) => a - b);
    assert.deepEqual(
      all,
      Array.from({ length: 7 * 250 + 5000 }, (_, i) => i),
    );
    assert.equal(openVisitedSet(kind, memory, shape, 9).count(), all.length);
  });

  test(`${kind}: refuses what does not fit, with a code`, () => {
    const capacity = { code: "OW_CAPACITY" };
    assert.throws(() => visitedSetBytes(kind, { maxUrls: 0 }), capacity);
    assert.throws(() => visitedSetBytes(kind, { maxUrls: 10, initial: 3 }), capacity);
    assert.throws(() => visitedSetBytes(kind, { maxUrls: 10, maxUrlBytes: 0 }), capacity);
    const memory = new SharedArrayBuffer(visitedSetBytes(kind, small));
    assert.throws(() => openVisitedSet(kind, memory, small, 0), capacity);
    assert.throws(() => openVisitedSet(kind, memory, small, 256), capacity);
    assert.throws(() => openVisitedSet(kind, new SharedArrayBuffer(8), small, 1), capacity);
    const [set] = openSets(kind, { maxUrls: 4, initial: 1, maxUrlBytes: 30 }, 1);
    assert.throws(() => {
      for (let i = 0; i < 1000; i++) set!.mark(`http://b.example/${i}`);
    }, capacity);
    // What was refused is not in the set, and what was marked stays.
    assert.equal(set!.mark("http://b.example/0"), false);
  });
}
