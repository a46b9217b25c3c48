import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreCorruptError } from "../../../src/errors.ts";
import type { Discovery } from "../../../src/frontier/frontier.ts";
import type { JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import { ShardState } from "../../../src/frontier/journal/fold.ts";
import { deserialiseState, serialiseState } from "../../../src/frontier/journal/state-bytes.ts";
import { batches, describe, fold, link, pack, printOf } from "./plans.ts";

function throughBytes(state: ShardState): ShardState {
  return deserialiseState(Buffer.concat([...serialiseState(state)]), "memory");
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
        const key = name(printOf(found.url));
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
      const queued = [...state.queued()];
      const mine = {
        queued,
        known: state.prints.size,
        received,
        sent,
        blocks,
        counters: [...state.counters],
      };
      assert.deepEqual(mine, naive(all));
      assert.equal(state.waiting, queued.length);
    }),
  );
});

test("a snapshot anywhere between changes nothing", () => {
  fc.assert(
    fc.property(batches, fc.array(fc.nat({ max: 12 })), (all, cuts) => {
      let state = new ShardState(0x1234, 0x9abcdef0);
      for (const [i, events] of all.entries()) {
        if (cuts.includes(i)) state = throughBytes(state);
        fold([events], state);
      }
      assert.deepEqual(describe(throughBytes(state)), describe(fold(all)));
      assert.deepEqual(describe(state), describe(fold(all)));
    }),
  );
});

test("a duplicate block changes nothing, a gap is answered with the number reached", () => {
  const state = fold([[{ kind: "received", shard: 3, epoch: 1, number: 1 }]]);
  const before = describe(state);
  assert.deepEqual(state.arrival(3, 1, 1), { kind: "duplicate" });
  assert.deepEqual(state.arrival(3, 1, 2), { kind: "next" });
  assert.deepEqual(state.arrival(3, 1, 4), { kind: "gap", reached: 1 });
  // Another run of the producer counts from the beginning.
  assert.deepEqual(state.arrival(3, 2, 1), { kind: "next" });
  state.apply(pack([{ kind: "received", shard: 3, epoch: 1, number: 1 }]).view(1));
  assert.deepEqual(describe(state), before);
  state.apply(pack([{ kind: "received", shard: 3, epoch: 1, number: 4 }]).view(1));
  assert.deepEqual(describe(state), before);
  assert.deepEqual(state.contradictions, [
    { kind: "gap", shard: 3, epoch: 1, number: 4, reached: 1 },
  ]);
});

test("the memory of URLs that are done is given back", () => {
  const state = new ShardState(0x1234, 0x9abcdef0);
  const urls = Array.from(
    { length: 20_000 },
    (_, i) => `http://example.org/${"x".repeat(50)}/${i}`,
  );
  fold([[{ kind: "admit", found: urls.map((url) => link(url)) }]], state);
  const full = state.queue.bytes;
  fold(
    [
      urls
        .slice(0, -1)
        .map((url) => ({ kind: "done", ...printOf(url), outcome: 1, where: undefined })),
    ],
    state,
  );
  assert.deepEqual(
    [...state.queued()].map((found) => found.url),
    urls.slice(-1),
  );
  assert.ok(state.queue.bytes < full / 3, `${state.queue.bytes} of ${full}`);
});

test("a flipped byte of a state is found", () => {
  const bytes = Buffer.concat([
    ...serialiseState(fold([[{ kind: "admit", found: [link("http://a/")] }]])),
  ]);
  for (let i = 0; i < bytes.length; i++) {
    const bad = Buffer.from(bytes);
    bad[i]! ^= 0x10;
    assert.throws(() => deserialiseState(bad, "f"), StoreCorruptError);
  }
});
