import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { KeyRecorder } from "../../../src/frontier/opic/key-recorder.ts";
import { Heap } from "../../../src/lab/queues/heap.ts";
import { RecordedKeys } from "../../../src/lab/workload/recorded-keys.ts";
import { tempFolder } from "../../support/orbweaver.ts";

test("what a thread records is read as it was, and another thread's lines stay whole", (t) => {
  const file = join(tempFolder(t), "keys.jsonl");
  const threads = [new KeyRecorder(file, 0), new KeyRecorder(file, 1)];
  for (let i = 0; i < 3000; i++) for (const thread of threads) thread.insert(i);
  for (const thread of threads) {
    thread.extract();
    thread.extract();
    thread.insert(7);
    thread.close();
  }
  const recorded = RecordedKeys.read(file);
  assert.equal(recorded.inserted, 6002);
  assert.equal(recorded.extracted, 4);
});

test("a replay moves every key once, in batches", () => {
  const recorded = new RecordedKeys();
  for (let i = 0; i < 100; i++) {
    recorded.insert(i);
    recorded.insert(100 - i);
    recorded.extract();
  }
  const queue = new Heap(2);
  const { comparisonsPerPair, longest } = recorded.replay(queue, 10);
  assert.equal(queue.size, 100);
  assert.equal(longest, 110);
  assert.equal(comparisonsPerPair, (2 * queue.comparisons) / 300);
});
