import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { enqueueWaiting } from "../../../src/frontier/fold/recover-shard.ts";
import type { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import type { JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import { decodeLink, eachLink } from "../../../src/frontier/link/waiting-run.ts";
import { BulkAdd } from "../../../src/frontier/seen/bulk-add.ts";
import {
  batches,
  describe,
  fingerprintOf,
  fold,
  newState,
  pack,
  viewOf,
} from "../journal/plans.ts";

/** The URLs that wait, as recovery finds them in its second pass. */
function waitingOf(state: ShardState, all: readonly (readonly JournalEvent[])[]): Discovery[] {
  const queued: Discovery[] = [];
  const isWaiting = (low: number, high: number) => state.finished!.addFingerprint(low, high);
  const views = (function* () {
    for (const [i, events] of all.entries()) yield viewOf(pack(events), i + 1);
  })();
  enqueueWaiting(isWaiting, [], views, (run) => {
    eachLink(run, (link) => {
      const { low, high, ...found } = decodeLink(link);
      assert.deepEqual({ low, high }, fingerprintOf(found.url));
      queued.push(found);
    });
  });
  return queued;
}

/** The same rules said with Maps and arrays. */
function naive(all: readonly (readonly JournalEvent[])[]): unknown {
  const known = new Map<string, { outcome: number; found: Discovery | undefined }>();
  const received = new Map<string, number>();
  const sent = new Map<string, number>();
  let outbox: { target: number; epoch: number; number: number }[] = [];
  const counters = new Array(256).fill(0);
  const name = (e: { low: number; high: number }) => `${e.low} ${e.high}`;
  for (const e of all.flat()) {
    if (e.kind === "admit") {
      for (const found of e.found) {
        const key = name(fingerprintOf(found.url));
        if (!known.has(key)) known.set(key, { outcome: 0, found });
      }
    } else if (e.kind === "done") {
      const entry = known.get(name(e)) ?? { outcome: 0, found: undefined };
      if (entry.outcome === 0) known.set(name(e), { ...entry, outcome: e.outcome });
    } else if (e.kind === "received") {
      const key = `${e.shard} ${e.epoch}`;
      if (e.number === (received.get(key) ?? 0) + 1) received.set(key, e.number);
    } else if (e.kind === "confirmed") {
      outbox = outbox.filter(
        (b) => b.target !== e.shard || b.epoch !== e.epoch || b.number > e.number,
      );
    } else if (e.kind === "outbox") {
      const key = `${e.target} ${e.epoch}`;
      if (e.number <= (sent.get(key) ?? 0)) continue;
      sent.set(key, e.number);
      outbox.push(e);
    } else if (e.kind === "counted") counters[e.counter] += e.amount;
  }
  const queued = [...known.values()].filter((k) => k.outcome === 0).map((k) => k.found);
  const blocks = outbox.map((b) => `${b.epoch} ${b.target} ${b.number}`).sort();
  return { queued, known: known.size, received, sent, blocks, counters };
}

test("the fold agrees with a naive one", () => {
  fc.assert(
    fc.property(batches, (all) => {
      const state = fold(all);
      const blocks = state
        .unconfirmed()
        .map((b) => `${b.epoch} ${b.target} ${b.number}`)
        .sort();
      const { received, sent } = state;
      const { waiting } = state;
      const queued = waitingOf(state, all);
      const mine = {
        queued,
        known: state.seen.size,
        received,
        sent,
        blocks,
        counters: [...state.counters],
      };
      assert.deepEqual(mine, naive(all));
      assert.equal(waiting, queued.length);
    }),
  );
});

test("what is gathered and made known together gives the same state", () => {
  fc.assert(
    fc.property(batches, (all) => {
      const one = fold(all);
      const other = newState();
      other.gathered = new BulkAdd();
      fold(all, other);
      other.settle();
      const list = ({ contradictions, repeated }: ShardState) => [
        contradictions.map((each) => JSON.stringify(each)).sort(),
        repeated,
      ];
      assert.deepEqual(list(other), list(one));
      assert.deepEqual(describe(other), describe(one));
    }),
  );
});

test("a duplicate block changes nothing, a gap is answered with the number reached", () => {
  const state = fold([[{ kind: "received", shard: 3, epoch: 1, number: 1 }]]);
  const before = describe(state);
  assert.deepEqual(state.arrival(3, 1, 1), { kind: "duplicate", reached: 1 });
  assert.deepEqual(state.arrival(3, 1, 2), { kind: "next" });
  assert.deepEqual(state.arrival(3, 1, 4), { kind: "gap", reached: 1 });
  // Another run of the producer counts from the beginning.
  assert.deepEqual(state.arrival(3, 2, 1), { kind: "next" });
  state.apply(viewOf(pack([{ kind: "received", shard: 3, epoch: 1, number: 1 }]), 1));
  assert.deepEqual(describe(state), before);
  state.apply(viewOf(pack([{ kind: "received", shard: 3, epoch: 1, number: 4 }]), 1));
  assert.deepEqual(describe(state), before);
  assert.deepEqual(state.contradictions, [
    { kind: "gap", shard: 3, epoch: 1, number: 4, reached: 1 },
  ]);
});
