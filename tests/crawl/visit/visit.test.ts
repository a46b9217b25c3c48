import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadPage } from "../../../src/crawl/visit/read-page.ts";
import { TimedStages } from "../../../src/crawl/visit/timed-stages.ts";
import { type Stages, Visit } from "../../../src/crawl/visit/visit.ts";
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

/** Stages that note their calls; some can be replaced. */
function recorded(own: Partial<Stages> = {}) {
  const calls: string[] = [];
  let receiver: Receiver<FetchOutcome> | undefined;
  const notes: Stages = {
    fetch: (_lease, told) => {
      receiver = told;
      return undefined;
    },
    orTryLater: (_lease, outcome) => (outcome.kind === "postponed" ? undefined : outcome),
    requestEnded: () => {},
    read: () => page,
    handle: (_lease, _response, read) => read,
    triesAgain: () => false,
    follow: () => ({ found: [], redirect: undefined, links: 3 }),
    store: () => 7,
    log: () => {},
    commit: () => {},
    ...own,
  };
  const stages = {} as Record<string, unknown>;
  for (const [name, stage] of Object.entries(notes))
    stages[name] = (...given: unknown[]) => {
      calls.push(name);
      return (stage as (...given: unknown[]) => unknown)(...given);
    };
  return { stages: stages as unknown as Stages, calls, told: () => receiver! };
}

/** Begins a visit, and notes its end among the calls of its stages. */
function begin(stages: Stages, calls: string[]) {
  return new Promise<void>((resolve, reject) => {
    const settled = () => {
      calls.push("over");
      resolve();
    };
    new Visit(lease, stages, { settled, threw: reject }).begin();
  });
}

const ALL = ["fetch", "orTryLater", "requestEnded", "read", "handle", "follow", "store", "commit"];

test("a plain visit ends in the call that brings its response", () => {
  const { stages, calls, told } = recorded();
  void begin(stages, calls);
  assert.deepEqual(calls, ["fetch"]);
  told().settled({ kind: "response", response: response() });
  assert.deepEqual(calls, [...ALL, "over"]);
});

test("what takes longer is waited for, stage by stage", async () => {
  const { stages, calls, told } = recorded({
    read: () => Promise.resolve(page),
    handle: (_lease, _response, read) => Promise.resolve(read),
  });
  const over = begin(stages, calls);
  told().settled({ kind: "response", response: response() });
  assert.equal(calls.at(-1), "read");
  await over;
  assert.deepEqual(calls, [...ALL, "over"]);
});

test("an outcome that is known at once settles nothing before the round is over", async () => {
  const refused = { kind: "refused", error: "robots" } as const;
  const { stages, calls } = recorded({ fetch: () => refused });
  const over = begin(stages, calls);
  assert.deepEqual(calls, ["fetch"]);
  await over;
  assert.deepEqual(calls, ["fetch", "orTryLater", "requestEnded", "log", "commit", "over"]);
});

test("who has to wait is neither stored nor committed", async () => {
  const { stages, calls } = recorded({ fetch: () => ({ kind: "postponed", untilMs: 1 }) });
  await begin(stages, calls);
  assert.deepEqual(calls, ["fetch", "orTryLater", "over"]);
});

test("a fault in any stage is told once, and nothing goes on", async () => {
  const fault = new Error("bug");
  const fails = () => {
    throw fault;
  };
  for (const name of ["read", "handle", "follow", "store", "commit"] as const) {
    const { stages, calls, told } = recorded({ [name]: fails });
    const over = begin(stages, calls);
    told().settled({ kind: "response", response: response() });
    await assert.rejects(over, fault);
    assert.equal(calls.at(-1), name);
  }
  const late = recorded({ read: () => Promise.reject(fault) });
  const over = begin(late.stages, late.calls);
  late.told().settled({ kind: "response", response: response() });
  await assert.rejects(over, fault);
});

test("stages are timed from the end of the one before, and waits in flight count", async (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const takes = <Result>(ms: number, result: Result) => {
    nowMs += ms;
    return result;
  };
  const counters = new CounterRow(new SharedArrayBuffer(counterBytes(1)), 0);
  const of = () =>
    (["networkWaitMs", "readMs", "followMs", "storeMs"] as const).map((name) => counters.get(name));
  let isSlow = false;
  const { stages, calls, told } = recorded({
    read: () => (isSlow ? Promise.resolve(page) : takes(2, page)),
    follow: () => takes(3, { found: [], redirect: undefined, links: 0 }),
    store: () => takes(5, 1),
  });
  const timed = new TimedStages(stages, counters);
  void begin(timed, calls);
  const first = told();
  nowMs += 100;
  void begin(timed, calls);
  nowMs += 10;
  first.settled({ kind: "response", response: response() });
  assert.deepEqual(of(), [120, 2, 3, 5]);
  isSlow = true;
  const second = told();
  const slow = begin(timed, calls);
  told().settled({ kind: "response", response: response() });
  nowMs += 1000;
  await slow;
  // What passed while it was read in turns is nobody's work.
  assert.deepEqual(of().slice(1), [2, 6, 10]);
  second.settled({ kind: "refused", error: "robots" });
  assert.equal(of()[0], 100 + 10 + 20 + 1000 + 8);
});
