import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { waitingTest } from "../../../src/frontier/fold/recover-shard.ts";
import type { JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { SeenSet } from "../../../src/frontier/seen/seen-set.ts";
import {
  fingerprintOf,
  link,
  pack,
  recovered,
  SEEDS,
  SHARD,
  UNSYNCED_FILES,
  withFolder,
} from "../journal/plans.ts";

const url = (i: number) => `http://h.test/${i}`;
const admitted = (...numbers: number[]): JournalEvent => ({
  kind: "admit",
  found: numbers.map((i) => link(url(i))),
});
const done = (i: number): JournalEvent => ({
  kind: "done",
  ...fingerprintOf(url(i)),
  outcome: 1,
  where: undefined,
});

/** Writes batches, in small segments so that there are several; as a process leaves them that is killed. */
function write(folder: string, batches: readonly JournalEvent[][]): void {
  const options = { folder, shard: SHARD, epoch: 1, segmentBytes: 400, files: UNSYNCED_FILES };
  const writer = new JournalWriter({ ...options, ...SEEDS });
  for (const events of batches) writer.append(pack(events));
}

test("nothing of a torn batch is queued, wherever the tear is", () =>
  withFolder((folder) => {
    write(folder, [[admitted(1, 2)], [done(1), admitted(3)], [admitted(4, 5, 6)]]);
    // The one behind it is empty.
    const last = join(folder, readdirSync(folder).sort().at(-2)!);
    const whole = readFileSync(last);
    assert.deepEqual(recovered(folder).queued, [2, 3, 4, 5, 6].map(url));
    // The last batch holds three links: a flipped byte in any of its last 60.
    for (let back = 1; back <= 60; back++) {
      const bytes = Buffer.from(whole);
      bytes[bytes.length - back]! ^= 1;
      writeFileSync(last, bytes);
      const { queued, state, end } = recovered(folder);
      assert.deepEqual(queued, [2, 3].map(url), `byte ${back} from the end`);
      assert.equal(state.known, 3);
      assert.equal(state.waiting, 2);
      assert.ok(end.torn !== undefined);
    }
    for (let cut = 1; cut <= 60; cut++) {
      writeFileSync(last, whole.subarray(0, whole.length - cut));
      assert.deepEqual(recovered(folder).queued, [2, 3].map(url), `${cut} bytes cut off`);
    }
  }));

test("a URL that was admitted twice waits once; one that is done does not wait", () =>
  withFolder((folder) => {
    write(folder, [[admitted(1, 2, 3)], [admitted(2, 4)], [done(4)], [admitted(1)]]);
    const { queued, state } = recovered(folder);
    assert.deepEqual(queued, [1, 2, 3].map(url));
    assert.equal(state.repeated, 2);
    assert.equal(state.waiting, 3);
    assert.equal(state.known, 4);
  }));

test("whatever is done, and nothing else, is told not to wait", () => {
  // Halves that are 0 or equal, and many: a look at some bits of the low half decides most.
  const half = fc.oneof(fc.constantFrom(0, 1, 0x80000000), fc.nat(300), fc.nat(0xffffffff));
  const list = fc.array(fc.tuple(half, half), { maxLength: 300 });
  fc.assert(
    fc.property(list, list, (done, others) => {
      const finished = new SeenSet();
      for (const [low, high] of done) finished.addFingerprint(low, high);
      const isWaiting = waitingTest({ repeated: 0, contradictions: [] }, finished);
      for (const [low, high] of [...done, ...others])
        assert.equal(isWaiting(low | 0, high | 0), !finished.hasFingerprint(low, high));
    }),
  );
});
