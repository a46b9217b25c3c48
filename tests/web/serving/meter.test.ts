import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { PROFILES } from "../../../src/web/profile.ts";
import { startWeb } from "../../../src/web/server.ts";
import { PolitenessMeter } from "../../../src/web/serving/meter.ts";
import { fetchUrl } from "../tiny-crawler.ts";

test("the gap runs from the end of a response to the next request of the same host", () => {
  const meter = new PolitenessMeter(["a", "b"], () => 100);
  meter.begin(0, 0);
  meter.end(0, 50);
  meter.begin(1, 60); // another host
  meter.end(1, 60);
  meter.begin(0, 150); // exactly the delay: polite
  meter.end(0, 151);
  assert.equal(meter.report().tooFastCount, 0);
  meter.begin(0, 250); // 99 after the end, 100 after the beginning
  meter.end(0, 260);
  assert.deepEqual(meter.report().tooFast, [{ host: "a", gapMs: 99 }]);
  assert.equal(meter.report().smallestGapMs, 99);
});

test("a request that overtakes the response before it has no gap", () => {
  const meter = new PolitenessMeter(["a"], () => 10);
  meter.begin(0, 1000);
  meter.begin(0, 2000);
  const { tooFast, maxInFlight, perHostMaxInFlight } = meter.report();
  assert.deepEqual(tooFast, [{ host: "a", gapMs: 0 }]);
  assert.deepEqual([maxInFlight, perHostMaxInFlight], [2, 2]);
});

test("in flight is counted over all hosts and per host, and the list of accusations is capped", () => {
  const meter = new PolitenessMeter(["a", "b", "c"], () => 1);
  for (const host of [0, 1, 2]) meter.begin(host, 0);
  for (const host of [0, 1, 2]) meter.end(host, 0);
  for (let i = 0; i < 150; i++) {
    meter.begin(0, 0);
    meter.end(0, 0);
  }
  const report = meter.report();
  assert.deepEqual([report.maxInFlight, report.perHostMaxInFlight], [3, 1]);
  assert.deepEqual([report.tooFastCount, report.tooFast.length, report.requests], [150, 100, 153]);
});

/** A web whose clock the test moves, with one host and no faults. */
async function webWithClock(latencyMs = 0) {
  const clock = { nowMs: 1000 };
  const web = await startWeb({
    profile: { ...PROFILES.tiny, errorRate: 0 },
    hostNames: 3,
    delayMs: 200,
    latencyMs,
    now: () => clock.nowMs,
  });
  return { web, clock };
}

test("the web reports a client that is too fast, robots.txt included, and no other", async () => {
  const { web, clock } = await webWithClock();
  try {
    const url = web.start[0]!;
    await fetchUrl(`${url}robots.txt`, web.port);
    clock.nowMs += 200;
    await fetchUrl(url, web.port);
    await fetchUrl(web.start[1]!, web.port); // another host, at the same time
    assert.equal(web.report().tooFastCount, 0);
    assert.equal(web.report().smallestGapMs, 200);
    clock.nowMs += 199;
    await fetchUrl(`${url}robots.txt`, web.port);
    assert.deepEqual(web.report().tooFast, [{ host: "host0.test", gapMs: 199 }]);
  } finally {
    await web.close();
  }
});

test("requests in flight at once are seen, over all hosts and per host", async (t) => {
  const { web } = await webWithClock(20);
  // Answers wait until the test lets time pass.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const askTogether = async (urls: readonly string[]) => {
    const expected = web.report().requests + urls.length;
    const answers = urls.map((url) => fetchUrl(url, web.port));
    while (web.report().requests < expected) await setImmediate();
    t.mock.timers.tick(20);
    await Promise.all(answers);
  };
  try {
    await askTogether(web.start);
    const report = web.report();
    assert.deepEqual([report.maxInFlight, report.perHostMaxInFlight], [3, 1]);
    assert.equal(report.tooFastCount, 0);
    await askTogether([web.start[0]!, web.start[0]!]);
    assert.equal(web.report().perHostMaxInFlight, 2);
    assert.equal(web.report().tooFastCount, 2);
  } finally {
    await web.close();
  }
});
