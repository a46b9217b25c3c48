import assert from "node:assert/strict";
import { test } from "node:test";
import { replayInThreads, runFreely } from "../../../src/verify/replay/replay-threads.ts";

const TIMES = 4;

/** Found by the explorer, one for each kind of search and of violation; each must fail every time it is replayed. */
const SCHEDULES = {
  "a sleeper that nobody wakes": "mutex-3x2+lost-wake-up:a7b4c3a",
  "two starts in one gate": "gate-table-reserve-3+check-then-act:a2bcbc",
  "payload as steps of its own, two threads before it": "ring-1p1c2+publish-before-write:a6b4",
  "payload behind its step, a race by clocks": "gate-table-3+check-then-act:a3bcbc",
  "a race found by random schedules": "ring-4p4c4+publish-before-write:e12d15g10",
  "a history that no order explains": "ring-fifo-2p1c+takes-and-leaves-it:a8b8c18",
  "a circle that comes back to where it began": "ring-2p2c2+spins-behind-a-slow-reader:a16cd3c12",
  "an event loop that waits twice": "loop-doorbell-2x1+forgets-that-it-waits:c2ac9",
  "a sleeper and who waits for its end": "frontier-pessimistic-death+nothing-reclaimed:a2b5Ac5",
  "a thread killed on the way": "barrier-reclaim+dies-before-waking:ab5c3a5cAd5",
};

for (const [what, schedule] of Object.entries(SCHEDULES)) {
  test(`${what} fails every time in real threads: ${schedule}`, async () => {
    const { violation, reproduced } = await replayInThreads(schedule, TIMES);
    assert.notEqual(violation, undefined);
    assert.equal(reproduced, TIMES);
  });
}

test("the same steps of the shipped code fail never", async () => {
  const { violation, reproduced } = await replayInThreads("gate-table-3:a3bcbc", TIMES);
  assert.deepEqual({ violation, reproduced }, { violation: undefined, reproduced: 0 });
});

test("free threads that go on for ever are given up soon, and that all sleep at one moment is no deadlock", async () => {
  const startMs = performance.now();
  const { reproduced } = await runFreely("monitor-two-conditions-b2-2p3c:abcde", TIMES);
  assert.equal(reproduced, 0);
  // It took five seconds a run.
  assert.ok(performance.now() - startMs < 4 * 5000);
});
