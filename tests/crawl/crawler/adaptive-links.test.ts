import assert from "node:assert/strict";
import { test } from "node:test";
import { AdaptiveLinks, type PaceReason } from "../../../src/crawl/crawler/adaptive-links.ts";

/** A web, by what a thread with so many requests in flight gets from it. */
interface Web {
  /** Answers per second, before the CPU bounds them. */
  readonly perSecond: (links: number) => number;
  /** Pages per second that the thread can read. */
  readonly cpu?: number;
  /** Share of requests that fail. */
  readonly failing?: (links: number) => number;
  /** Requests that ready hosts allow. */
  readonly ready?: number;
}

const STEP_MS = 50;

/** Lets a thread work on a web for some seconds, and then perhaps on another one; returns where it ends, and the pages it read. */
function run(first: Web, seconds = 20, pace = new AdaptiveLinks(64, 1024), then?: Web) {
  let [completed, failed, waitedMs, busyMs, idleMs, most] = [0, 0, 0, 0, 0, 0];
  const reasons = new Set<PaceReason>();
  const all = (then === undefined ? 1 : 2) * 1000 * seconds;
  for (let nowMs = 0; nowMs < all; nowMs += STEP_MS) {
    const web = nowMs < 1000 * seconds ? first : then!;
    const used = Math.min(pace.links, web.ready ?? pace.links);
    const answers = (web.perSecond(used) * STEP_MS) / 1000;
    const done = Math.min(answers, ((web.cpu ?? 1e6) * STEP_MS) / 1000);
    completed += done;
    failed += done * (web.failing?.(used) ?? 0);
    // Every place that is in use waits all the time; what the CPU leaves waiting is not the server's.
    waitedMs += used * STEP_MS * Math.min(1, done / answers);
    const busy = Math.min(1, answers / (((web.cpu ?? 1e6) * STEP_MS) / 1000));
    busyMs += busy * STEP_MS;
    idleMs += (1 - busy) * STEP_MS;
    pace.round(used === pace.links);
    if (pace.isDue(nowMs)) pace.look({ nowMs, completed, failed, waitedMs, busyMs, idleMs });
    most = Math.max(most, pace.links);
    reasons.add(pace.reason);
  }
  return { links: pace.links, pages: completed, most, reasons };
}

/** What the best fixed number of places reads in the same time. */
function bestFixed(web: Web, seconds = 20): number {
  return Math.max(
    ...[16, 64, 256, 512, 1024].map(
      (links) => run(web, seconds, new AdaptiveLinks(links, links)).pages,
    ),
  );
}

const slow: Web = { perSecond: (links) => links / 0.1, cpu: 4000 };
const timeouts: Web = { perSecond: (links) => links / (0.95 * 0.02 + 0.05 * 2), cpu: 4000 };
const fast: Web = { perSecond: (links) => links / 0.002, cpu: 4000 };

for (const [name, web] of Object.entries({ slow, timeouts, fast })) {
  test(`a ${name} web is crawled at 95 % of the best fixed speed`, () => {
    const share = run(web).pages / bestFixed(web);
    assert.ok(share >= 0.95, `${share.toFixed(3)} of the best`);
  });
}

test("a thread that is busy gets no more places", () => {
  const { links, most, reasons } = run(fast);
  assert.deepEqual([links, most, reasons.has("cpu")], [64, 64, true]);
});

test("servers that answer no faster are not asked more at once", () => {
  const { links, reasons } = run({ perSecond: (links) => Math.min(links / 0.1, 1500) });
  assert.ok(links >= 128 && links <= 256, `${links} places for 1,500 answers of 100 ms`);
  assert.ok(reasons.has("latency"));
});

test("places that make requests fail are given back", () => {
  const failing = (links: number) => (links > 200 ? 0.3 : 0.02);
  const { links, reasons } = run({ ...slow, failing });
  assert.ok(links <= 200, `${links} places`);
  assert.ok(reasons.has("errors"));
});

test("few ready hosts need no more places", () => {
  assert.deepEqual(run({ ...slow, ready: 20 }).most, 64);
});

test("places are given back when the CPU becomes the limit", () => {
  const { most, links } = run(slow, 20, new AdaptiveLinks(64, 1024), fast);
  assert.ok(most >= 256);
  assert.equal(links, 64);
});

test("never more than there are files for, and never fewer than one", () => {
  assert.equal(run(slow, 20, new AdaptiveLinks(64, 100)).most, 100);
  assert.equal(run(slow, 20, new AdaptiveLinks(64, 1)).links, 1);
});

test("a look when all places wait and nothing happens", () => {
  const pace = new AdaptiveLinks(64, 1024);
  assert.equal(pace.lookMs(0), Number.POSITIVE_INFINITY);
  pace.round(true);
  assert.ok(pace.lookMs(0) <= 1000);
});
