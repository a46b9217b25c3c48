import assert from "node:assert/strict";
import { test } from "node:test";
import { replayInThreads } from "../../src/verify/replay-threads.ts";

/** Found by the explorer; each must fail in real threads whenever it is asked to. */
const SCHEDULES = [
  "mutex-3x2+lost-wake-up:a7b4c3a",
  "gate-table-reserve-3+check-then-act:a2bcbc",
  "ring-1p1c2+publish-before-write:a6b4",
  "barrier-reclaim+dies-before-waking:ab5c3a5cAd5",
];

for (const schedule of SCHEDULES) {
  test(`${schedule} fails every time in real threads`, async () => {
    const replay = await replayInThreads(schedule, 25);
    assert.equal(replay.reproduced, 25);
  });
}
