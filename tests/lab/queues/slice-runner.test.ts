import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import { GlobalQuickheap } from "../../../src/lab/queues/global-quickheap.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";
import { ThreadRunner } from "../../../src/lab/queues/slice-runner.ts";
import { Reference } from "./priority-queue.contract.ts";

for (const slices of [1, 2, 4]) {
  test(`${slices} real threads answer exactly like one, key by key`, async () => {
    const capacity = 40_000;
    const runner = new ThreadRunner(slices, capacity);
    try {
      const threaded = new GlobalQuickheap(runner.memory, runner);
      const solo = GlobalQuickheap.solo(slices, capacity);
      const random = new Random(slices);
      let id = 0;
      for (let round = 0; round < 40; round++) {
        const batch = new Keys();
        for (let i = random.below(3000); i > 0; i--) batch.push(random.below(5000), id++);
        const room = capacity - solo.size;
        batch.length = Math.min(batch.length, room);
        threaded.insertMany(batch);
        solo.insertMany(batch);
        const count = random.below(2500);
        const got = threaded.extractTop(count);
        const expected = solo.extractTop(count);
        assert.deepEqual(
          got.ids.subarray(0, got.length),
          expected.ids.subarray(0, expected.length),
        );
        assert.deepEqual(threaded.peek(), solo.peek());
      }
      assert.equal(threaded.comparisons, solo.comparisons);
      assert.ok(threaded.comparisons > 0);
    } finally {
      await runner.close();
    }
  });
}

test("a program that forgets to close its queue can end all the same", async () => {
  const module = new URL("../../../src/lab/index.js", import.meta.url).href;
  const program = `import { GlobalQuickheap, Keys, ThreadRunner } from ${JSON.stringify(module)};
    const runner = new ThreadRunner(2, 100);
    const queue = new GlobalQuickheap(runner.memory, runner);
    queue.insertMany(Keys.of([1, 3, 2]));
    console.log(queue.peek().priority);`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program]);
  assert.equal(stdout, "3\n");
});

test("a queue whose threads are closed throws at once", async () => {
  const runner = new ThreadRunner(2, 100);
  const queue = new GlobalQuickheap(runner.memory, runner);
  queue.insertMany(Keys.of([1, 2, 3]));
  await runner.close();
  await runner.close();
  assert.throws(() => queue.insertMany(Keys.of([4])), { code: "OW_SLICE_LOST" });
});

test("threads over shared memory behave like a sorted array", async () => {
  const runner = new ThreadRunner(3, 2000);
  try {
    const reference = new Reference(new GlobalQuickheap(runner.memory, runner));
    const random = new Random(7);
    for (let round = 0; round < 60; round++) {
      reference.insert(Array.from({ length: random.below(90) }, () => random.below(40)));
      reference.extract(random.below(80));
      reference.peek();
    }
    reference.extract(2000);
  } finally {
    await runner.close();
  }
});
