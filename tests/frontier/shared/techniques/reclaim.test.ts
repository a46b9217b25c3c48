import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import type { FineQueue } from "../../../../src/frontier/shared/techniques/fine-queue.ts";
import {
  createTechnique,
  openTechnique,
} from "../../../../src/frontier/shared/techniques/open-technique.ts";
import {
  CORRECT_TECHNIQUES,
  GROWING_TECHNIQUES,
  type RecordQueue,
  type Technique,
} from "../../../../src/frontier/shared/techniques/record-queue.ts";
import { diesAt } from "./dying.ts";
import { frontierOf, workerModule } from "./team.ts";
import { drain, get, put } from "./technique.contract.ts";
import { encode } from "./technique-worker.ts";

const VICTIM = 1;
const OTHER = 2;
const SIZE = 3;
const techniques: readonly Technique[] = [...CORRECT_TECHNIQUES, "monitor-one-condition"];

interface Scene {
  readonly victim: RecordQueue;
  readonly other: RecordQueue;
  /** What is in the frontier, oldest first. */
  readonly held: number[];
}

/** A frontier that has been used for a while and holds `records` records, numbered from 1. */
function scene(technique: Technique, records: number, size: number | "grow" = SIZE): Scene {
  const shape = { size, slotBytes: 16, owners: 3, maxSize: SIZE };
  const memory = createTechnique(technique, shape);
  const victim = openTechnique(technique, memory, shape, VICTIM);
  const other = openTechnique(technique, memory, shape, OTHER);
  for (let i = 0; i < 4; i++) {
    put(i % 2 === 0 ? victim : other, 90 + i);
    get(i % 2 === 0 ? other : victim);
  }
  const held = Array.from({ length: records }, (_, i) => i + 1);
  for (const number of held) put(other, number);
  return { victim, other, held };
}

/**
 * The frontier is whole: it holds one of the allowed contents and has room for SIZE records, for the threads that
 * lived on and for a new one with the dead one's id.
 */
function assertWhole(
  frontier: RecordQueue,
  restarted: RecordQueue,
  allowed: readonly (readonly number[])[],
  at: string,
): void {
  const content = drain(frontier);
  assert.ok(
    allowed.some((list) => list.join() === content.join()),
    `${at}: holds ${content.join()}, allowed ${allowed.map((list) => `[${list.join()}]`).join(" ")}`,
  );
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < SIZE; i++) {
      const inserts = i % 2 === round ? restarted : frontier;
      assert.ok(put(inserts, 50 + i), `${at}: room for ${i} only`);
    }
    assert.equal(put(frontier, 60), false, `${at}: more room than before`);
    assert.equal(get(restarted), 50, at);
    assert.deepEqual(drain(frontier), [51, 52], at);
  }
}

/** Kills the victim before every access of the operation in turn, and checks what reclaim makes of it. */
function killEverywhere(
  make: () => Scene,
  operation: (frontier: RecordQueue) => void,
  allowed: (held: number[]) => number[][],
  name: string,
): number {
  for (let access = 0; ; access++) {
    const { victim, other, held } = make();
    if (!diesAt(access, () => operation(victim))) return access;
    other.reclaim(VICTIM);
    assertWhole(other, victim, allowed(held), `${name}, dead before access ${access}`);
  }
}

const box = new Uint8Array(16);
const operations: Record<string, (frontier: RecordQueue) => void> = {
  tryInsert: (frontier) => void put(frontier, 9),
  insert: (frontier) => void frontier.insert(box, encode(9, box), 0),
  tryTake: (frontier) => void get(frontier),
  take: (frontier) => void frontier.take(box, 0),
};

for (const technique of techniques) {
  test(`${technique}: a thread may die before any access and costs at most its own record`, () => {
    const sizes = GROWING_TECHNIQUES.includes(technique) ? [SIZE, "grow" as const] : [SIZE];
    for (const size of sizes) {
      for (let records = 0; records <= SIZE; records++) {
        for (const [name, operation] of Object.entries(operations)) {
          const inserts = name.endsWith("nsert");
          const accesses = killEverywhere(
            () => scene(technique, records, size),
            operation,
            (held) => [held, inserts ? [...held, 9] : held.slice(1)],
            `${technique} ${name} with ${records} records`,
          );
          assert.ok(accesses > 1, `${technique} ${name} made ${accesses} accesses`);
        }
      }
    }
  });

  test(`${technique}: terminated workers are reclaimed and the frontier goes on`, async () => {
    const shape = { size: SIZE, slotBytes: 16, owners: 3 };
    const memory = createTechnique(technique, shape);
    const other = openTechnique(technique, memory, shape, OTHER);
    for (let round = 0; round < 2; round++) {
      const shared = new SharedArrayBuffer(4);
      const task = {
        ...frontierOf(technique, memory, shape, VICTIM),
        kind: "churn",
        count: 0,
        shared,
      };
      const worker = new Worker(workerModule, { workerData: task });
      const words = new Int32Array(shared);
      while (Atomics.load(words, 0) < 500 + round) {
        const progress = Atomics.waitAsync(words, 0, Atomics.load(words, 0), 100);
        if (progress.async) await progress.value;
      }
      await worker.terminate();
      other.reclaim(VICTIM);
      const content = drain(other);
      assert.ok(content.length <= SIZE);
      // Numbers were inserted in rising order, so they come out in rising order.
      assert.deepEqual(
        content,
        [...content].sort((a, b) => a - b),
      );
      const restarted = openTechnique(technique, memory, shape, VICTIM);
      assertWhole(other, restarted, [[]], `${technique} round ${round}`);
    }
  });
}

test("fine: a thread may die inside a keyed operation", () => {
  const key = new Uint8Array(16);
  const keyLength = encode(2, key);
  const make = () => scene("fine", 2);
  const insertAfter = (f: RecordQueue) =>
    void (f as FineQueue).insertAfter(key, keyLength, box, encode(9, box));
  const remove = (f: RecordQueue) => void (f as FineQueue).delete(key, keyLength);
  const read = (f: RecordQueue) => void (f as FineQueue).get(key, keyLength, box);
  killEverywhere(make, insertAfter, (held) => [held, [1, 2, 9]], "insertAfter");
  killEverywhere(make, remove, (held) => [held, [1]], "delete");
  killEverywhere(make, read, (held) => [held], "get");
});

test("the reclaim of a thread that held nothing changes nothing", () => {
  for (const technique of techniques) {
    const { victim, other, held } = scene(technique, 2);
    assert.equal(other.reclaim(VICTIM), 0, technique);
    assertWhole(other, victim, [held], technique);
  }
});
