import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figures, NO_FIGURES } from "../../src/stats/crawl-figures.ts";
import { timeLeft } from "../../src/stats/estimate-end.ts";
import { limitingFactor } from "../../src/stats/limiting-factor.ts";

const RUNNING: Figures = {
  ...NO_FIGURES,
  state: "running",
  threads: 4,
  places: 256,
  runSeconds: 60,
};

const factorOf = (more: Partial<Figures>, before?: Partial<Figures>) =>
  limitingFactor({ ...RUNNING, ...more }, before && { ...RUNNING, ...before }, 2).factor;

test("what limits a crawl", () => {
  assert.equal(factorOf({ state: "paused", queued: 5 }), "paused");
  assert.equal(factorOf({ diskWaits: true, busy: 1 }), "disk");
  assert.equal(factorOf({ congested: 3, busy: 1 }), "disk");
  assert.equal(factorOf({ congested: 2, busy: 0.95 }), "cpu");
  assert.equal(factorOf({ busy: 0.5, cpuSeconds: 20 }, { runSeconds: 50, cpuSeconds: 0.1 }), "cpu");
  // The CPU of an earlier run is none of this one's.
  assert.equal(factorOf({ run: 2, cpuSeconds: 20, queued: 1 }, { runSeconds: 50 }), "few-hosts");
  assert.equal(factorOf({ inFlight: 250, queued: 9, hostsWaiting: 4 }), "network");
  assert.equal(factorOf({ inFlight: 3, queued: 9, hostsWaiting: 4 }), "delays");
  assert.equal(factorOf({ inFlight: 3, queued: 9 }), "few-hosts");
  assert.equal(factorOf({ inFlight: 3 }), "network");
  assert.equal(factorOf({}), "nothing-left");
});

test("it is said in words, with numbers", () => {
  const one = limitingFactor({ ...RUNNING, hostsWaiting: 1 }, undefined, 2).text;
  assert.equal(one, "politeness: 1 host waits for its delay");
  const two = limitingFactor({ ...RUNNING, hostsWaiting: 2 }, undefined, 2).text;
  assert.equal(two, "politeness: 2 hosts wait for their delay");
});

test("the time left is that of the nearest end, and says what it goes by", () => {
  const before = { ...RUNNING, runSeconds: 50, pages: 100, known: 500 };
  const now = { ...RUNNING, runSeconds: 60, pages: 200, known: 500, queued: 290, inFlight: 10 };
  assert.deepEqual(timeLeft(now, before), {
    seconds: 30,
    basis: "what is queued at the rate of the last 10 s, if nothing more is found",
  });
  const limits = { pages: 300, bytes: null, seconds: 65 };
  assert.deepEqual(timeLeft({ ...now, limits }, before), { seconds: 5, basis: "--max-time" });
  const pages = { ...limits, seconds: null };
  assert.equal(timeLeft({ ...now, limits: pages }, before)?.seconds, 10);
  // A queue that grows, a crawl that stands still, and one that has ended have none.
  assert.equal(timeLeft({ ...now, known: 5000 }, before), undefined);
  assert.equal(timeLeft({ ...now, pages: 100 }, before), undefined);
  assert.equal(timeLeft({ ...now, state: "finished" }, before), undefined);
  assert.equal(timeLeft(now, { ...before, run: 0 }), undefined);
});
