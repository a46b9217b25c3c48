import assert from "node:assert/strict";
import { test } from "node:test";
import { Drain } from "../../src/crawl/drain.ts";

/** When a drain that is asked four times a second is over; `inFlight` tells what is in flight after so many ms. */
function endOf(inFlight: (ms: number) => number): number {
  const drain = new Drain();
  const startMs = 1000;
  drain.isOver(0, 7);
  drain.begin(startMs);
  for (let ms = 0; ; ms += 250) {
    drain.begin(startMs + ms);
    if (drain.isOver(startMs + ms, inFlight(ms))) return ms;
  }
}

test("servers that are silent get 5 s, those that answer 8 s, and so does our own disk", () => {
  assert.equal(
    endOf(() => 7),
    5250,
  );
  assert.equal(
    endOf((ms) => 60 - Math.floor(ms / 1000)),
    8250,
  );
  assert.equal(
    endOf((ms) => (ms < 4000 ? 2 : 1)),
    6750,
  );
  assert.equal(
    endOf((ms) => (ms < 1000 ? 3 : 0)),
    8250,
  );
});
