import assert from "node:assert/strict";
import { test } from "node:test";
import { Drain } from "../../../src/crawl/ending/drain.ts";

/** When a drain that is asked four times a second is over; `inFlight` tells what is in flight after so many ms. */
function endOf(inFlight: (ms: number) => number, knownUrls = 0): number {
  const drain = new Drain();
  const startMs = 1000;
  drain.isOver(0, 7);
  drain.begin(startMs, knownUrls);
  for (let ms = 0; ; ms += 250) {
    drain.begin(startMs + ms, 0);
    if (drain.isOver(startMs + ms, inFlight(ms))) return ms;
  }
}

test("servers that are silent get 5 s, those that answer 7 s, and so does our own disk", () => {
  assert.equal(
    endOf(() => 7),
    5250,
  );
  assert.equal(
    endOf((ms) => 60 - Math.floor(ms / 1000)),
    7250,
  );
  assert.equal(
    endOf((ms) => (ms < 4000 ? 2 : 1)),
    6750,
  );
  assert.equal(
    endOf((ms) => (ms < 1000 ? 3 : 0)),
    7250,
  );
});

test("the more URLs have to be listed the less time servers get, but never less than 2 s", () => {
  const answering = (ms: number) => 60 - Math.floor(ms / 1000);
  assert.deepEqual(
    [1e4, 1e6, 5e6, 1e8].map((known) => endOf(answering, known)),
    [7000, 6500, 4250, 2250],
  );
  assert.equal(
    endOf(() => 7, 8e6),
    2250,
  );
});
