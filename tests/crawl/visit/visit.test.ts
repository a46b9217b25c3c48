import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadPage } from "../../../src/crawl/visit/read-page.ts";
import { type Stages, Visit } from "../../../src/crawl/visit/visit.ts";
import { VisitTimes } from "../../../src/crawl/visit/visit-times.ts";
import type { FetchOutcome } from "../../../src/fetch/outcome.ts";
import type { Receiver } from "../../../src/fetch/receiver.ts";
import type { Response } from "../../../src/fetch/transport.ts";
import type { Lease } from "../../../src/frontier/frontier.ts";
import { CounterRow, counterBytes } from "../../../src/stats/counters.ts";

const lease = { url: "http://a.test/", depth: 0, via: "link", attempt: 0 } as Lease;
const page = { isPage: true, mime: "text/html", robots: {} } as ReadPage;

const response = () =>
  ({
    head: { status: 200 },
    body: Buffer.from("body"),
    date: 0,
    tookMs: 1,
    release: () => {},
  }) as unknown as Response;

const countersOfOne = () => new CounterRow(new SharedArrayBuffer(counterBytes(1)), 0);

/** Stages that note their calls; some can be replaced. */
function recorded(own: Partial<Stages> = {}, counters = countersOfOne()) {
  const calls: string[] = [];
  let receiver: Receiver<FetchOutcome> | undefined;
  const notes: Omit<Stages, "times"> = {
    fetch: (_lease, told) => {
      receiver = told;
      return undefined;
    },
    orTryLater: (_lease, outcome) => (outcome.kind === "postponed" ? undefined : outcome),
    read: () => page,
    triesAgain: () => false,
    follow: () => ({ found: [], redirect: undefined, links: 3 }),
    store: () => 7,
    log: () => {},
    commit: () => {},
    threw: () => {},
    ...own,
  };
  const stages: Record<string, unknown> = { times: new VisitTimes(counters) };
  for (const [name, stage] of Object.entries(notes))
    stages[name] = (...given: unknown[]) => {
      calls.push(name);
      return (stage as (...given: unknown[]) => unknown)(...given);
    };
  return { stages: stages as unknown as Stages, calls, told: () => receiver! };
}

/** When nothing is left to do at once. */
const whenStill = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a plain visit ends in the call that brings its response", () => {
  const { stages, calls, told } = recorded();
  new Visit(lease, stages).begin();
  assert.deepEqual(calls, ["fetch"]);
  told().settled({ kind: "response", response: response() });
  assert.deepEqual(calls, ["fetch", "orTryLater", "read", "follow", "store", "commit"]);
});

test("what takes longer is waited for, stage by stage", async () => {
  const { stages, calls, told } = recorded({
    read: () => Promise.resolve(page),
    handle: (_lease, _response, read) => Promise.resolve(read),
  });
  new Visit(lease, stages).begin();
  told().settled({ kind: "response", response: response() });
  assert.equal(calls.at(-1), "read");
  await whenStill();
  assert.deepEqual(calls, ["fetch", "orTryLater", "read", "handle", "follow", "store", "commit"]);
});

test("an outcome that is known at once settles nothing before the round is over", async () => {
  const refused = { kind: "refused", error: "robots" } as const;
  const { stages, calls } = recorded({ fetch: () => refused });
  new Visit(lease, stages).begin();
  assert.deepEqual(calls, ["fetch"]);
  await whenStill();
  assert.deepEqual(calls, ["fetch", "orTryLater", "log", "commit"]);
});

test("who has to wait is neither stored nor committed", async () => {
  const { stages, calls } = recorded({ fetch: () => ({ kind: "postponed", untilMs: 1 }) });
  new Visit(lease, stages).begin();
  await whenStill();
  assert.deepEqual(calls, ["fetch", "orTryLater"]);
});

test("a fault in any stage is told once, and nothing goes on", async () => {
  const fault = new Error("bug");
  const fails = () => {
    throw fault;
  };
  const faultsOf = async (own: Partial<Stages>) => {
    const faults: unknown[] = [];
    const { stages, calls, told } = recorded({ ...own, threw: (thrown) => faults.push(thrown) });
    new Visit(lease, stages).begin();
    told().settled({ kind: "response", response: response() });
    await whenStill();
    assert.deepEqual(faults, [fault]);
    return calls.slice(-2);
  };
  for (const name of ["read", "handle", "follow", "store", "commit"] as const)
    assert.deepEqual(await faultsOf({ [name]: fails }), [name, "threw"]);
  const slow = { read: () => Promise.resolve(page), follow: fails };
  assert.deepEqual(await faultsOf(slow), ["follow", "threw"]);
  assert.deepEqual(await faultsOf({ read: () => Promise.reject(fault) }), ["read", "threw"]);
});

test("stages are timed from the end of the one before, and waits in flight count", async (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const takes = <Result>(ms: number, result: Result) => {
    nowMs += ms;
    return result;
  };
  const counters = countersOfOne();
  const of = () =>
    (["networkWaitMs", "readMs", "followMs", "storeMs"] as const).map((name) => counters.get(name));
  let isSlow = false;
  const slowly = {
    read: () => (isSlow ? Promise.resolve(page) : takes(2, page)),
    follow: () => takes(3, { found: [], redirect: undefined, links: 0 }),
    store: () => takes(5, 1),
  };
  const { stages, told } = recorded(slowly, counters);
  new Visit(lease, stages).begin();
  const first = told();
  nowMs += 100;
  new Visit(lease, stages).begin();
  nowMs += 10;
  first.settled({ kind: "response", response: response() });
  assert.deepEqual(of(), [120, 2, 3, 5]);
  isSlow = true;
  const second = told();
  new Visit(lease, stages).begin();
  told().settled({ kind: "response", response: response() });
  nowMs += 1000;
  await whenStill();
  // What passed while it was read in turns is nobody's work.
  assert.deepEqual(of().slice(1), [2, 6, 10]);
  second.settled({ kind: "refused", error: "robots" });
  assert.equal(of()[0], 100 + 10 + 20 + 1000 + 8);
});
