import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  createTechnique,
  openTechnique,
} from "../../../../src/frontier/shared/techniques/open-technique.ts";
import {
  CORRECT_TECHNIQUES,
  GROWING_TECHNIQUES,
  TECHNIQUES,
  type Technique,
} from "../../../../src/frontier/shared/techniques/record-queue.ts";
import { frontierOf, Team } from "./team.ts";
import { frontierContract } from "./technique.contract.ts";
import { encode, PER_PRODUCER } from "./technique-worker.ts";

for (const technique of TECHNIQUES) frontierContract(technique, 3);
for (const technique of GROWING_TECHNIQUES) frontierContract(technique, "grow");

test("a technique that is not a list refuses to grow", () => {
  for (const technique of TECHNIQUES) {
    if (GROWING_TECHNIQUES.includes(technique)) continue;
    const grow = { size: "grow", slotBytes: 8 } as const;
    assert.throws(() => createTechnique(technique, grow), { code: "OW_CAPACITY" });
  }
});

const THREADS = 8;
const team = new Team(THREADS);
after(() => team.close());

async function exactlyOnce(
  technique: Technique,
  size: number | "grow",
  producers: number,
  consumers: number,
  perProducer: number,
): Promise<void> {
  const shape = { size, slotBytes: 12, maxSize: 100_000, owners: THREADS + 1 };
  const memory = createTechnique(technique, shape);
  const produce = Array.from({ length: producers }, (_, i) => ({
    ...frontierOf(technique, memory, shape, i + 1),
    kind: "produce" as const,
    count: perProducer,
  }));
  const consume = Array.from({ length: consumers }, (_, i) => ({
    ...frontierOf(technique, memory, shape, producers + i + 1),
    kind: "consume" as const,
    count: 0,
  }));
  const answers = team.start([...produce, ...consume]);
  // When the producers have answered, one end record per consumer goes in behind all others.
  await Promise.all(answers.slice(0, producers));
  const own = openTechnique(technique, memory, shape, team.main);
  const box = new Uint8Array(12);
  for (let i = 0; i < consumers; i++) own.insert(box, encode(-1, box));
  const taken = await Promise.all(answers.slice(producers));
  const all = taken.flat().sort((a, b) => a - b);
  const expected = Array.from({ length: producers * perProducer }, (_, i) => {
    const producer = Math.floor(i / perProducer) + 1;
    return producer * PER_PRODUCER + (i % perProducer);
  });
  assert.deepEqual(all, expected);
  for (const mine of taken) {
    const last = new Map<number, number>();
    for (const number of mine) {
      const producer = Math.floor(number / PER_PRODUCER);
      assert.ok(number > (last.get(producer) ?? 0), `${technique} changed the order of a producer`);
      last.set(producer, number);
    }
  }
}

for (const technique of CORRECT_TECHNIQUES) {
  test(`${technique}: threads get every record exactly once, in the order of its producer`, async () => {
    await exactlyOnce(technique, 1, 2, 2, 300);
    await exactlyOnce(technique, 10, 1, 7, 2000);
    await exactlyOnce(technique, 10, 7, 1, 300);
    await exactlyOnce(technique, 30, 4, 4, 1000);
    if (GROWING_TECHNIQUES.includes(technique)) await exactlyOnce(technique, "grow", 4, 4, 1000);
  });

  test(`${technique}: no thread starves in a long run`, async () => {
    const shape = { size: 10, slotBytes: 12, owners: THREADS + 1 };
    const memory = createTechnique(technique, shape);
    const own = openTechnique(technique, memory, shape, team.main);
    const box = new Uint8Array(12);
    for (let i = 0; i < 5; i++) own.insert(box, encode(i, box));
    const shared = new SharedArrayBuffer(4);
    const tasks = Array.from({ length: 4 }, (_, i) => ({
      ...frontierOf(technique, memory, shape, i + 1),
      kind: "circulate" as const,
      count: 100_000,
      shared,
    }));
    const shares = (await Promise.all(team.start(tasks))).flat();
    assert.ok(Math.min(...shares) > 0, `shares ${shares.join(" ")}`);
    assert.equal(own.size(), 5);
  });

  test(`${technique}: shutdown wakes every sleeper and keeps what is there`, async () => {
    const shape = { size: 1, slotBytes: 12, owners: THREADS + 1 };
    for (const kind of ["block-take", "block-insert"] as const) {
      const memory = createTechnique(technique, shape);
      const own = openTechnique(technique, memory, shape, team.main);
      const box = new Uint8Array(12);
      if (kind === "block-insert") own.insert(box, encode(1, box));
      const tasks = [1, 2, 3, 4].map((owner) => ({
        ...frontierOf(technique, memory, shape, owner),
        kind,
        count: 1,
      }));
      const answers = team.start(tasks);
      own.shutDown();
      const answer = kind === "block-take" ? -1 : 2;
      assert.deepEqual((await Promise.all(answers)).flat(), [answer, answer, answer, answer]);
      assert.equal(own.size(), kind === "block-take" ? 0 : 1);
    }
  });
}
