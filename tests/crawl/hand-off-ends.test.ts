import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BufferPlan } from "../../src/crawl/buffer-plan.ts";
import { BufferReader } from "../../src/crawl/hand-off/buffer-reader.ts";
import { BufferSender, type HandOffMode } from "../../src/crawl/hand-off/buffer-sender.ts";
import { FRAMES, frameHead } from "../../src/crawl/hand-off/frames.ts";
import { DOORBELL_WORDS, Doorbell } from "../../src/sync/doorbell.ts";
import { bufferBytes, HandOffBuffer } from "../../src/sync/hand-off-buffer.ts";

const LANE_BYTES = 256;

function ends(mode: HandOffMode, size: number, laneBytes = LANE_BYTES) {
  const bell = new Doorbell(new Int32Array(new SharedArrayBuffer(DOORBELL_WORDS * 4)), 0);
  const memory = new SharedArrayBuffer(bufferBytes(laneBytes));
  const buffer = new HandOffBuffer(memory, size, 2, bell);
  const stored = new Int32Array(2);
  const sender = (lane: number) => new BufferSender(buffer, lane, mode, stored, lane);
  const reader = new BufferReader(buffer);
  /** What the builder does when it is called; `most` is its turn. */
  const build = (most = 1000): string[] => {
    const got: string[] = [];
    if (!reader.isReading && buffer.takeCall() === 0) return got;
    if (!reader.take()) return got;
    const { counts } = reader.read(most, ({ kind, parts }, lane) => {
      got.push(`${lane}/${kind}:${parts.map(String).join("|")}`);
    });
    for (const [lane, count] of counts.entries()) Atomics.add(stored, lane, count);
    return got;
  };
  return { a: sender(0), b: sender(1), build, buffer, reader, sender };
}

test("full: nothing moves below N, everything at N, and the rest when both have nothing in flight", () => {
  const { a, b, build } = ends("full", 3);
  const done: string[] = [];
  a.send(1, [Buffer.from("x"), Buffer.from("y")], () => done.push("xy"));
  a.flush("still");
  b.send(2, [Buffer.from("z")]);
  b.flush("waiting");
  assert.deepEqual(build(), []);
  a.send(1, [Buffer.from("w")]);
  assert.deepEqual(build(), ["0/1:x|y", "0/1:w", "1/2:z"]);
  assert.ok(a.hasAnswers());
  assert.deepEqual([a.settle(), done, a.outstanding], [2, ["xy"], 0]);
  b.send(2, [Buffer.from("last")]);
  b.flush("still");
  assert.deepEqual(build(), ["1/2:last"]);
  a.send(2, [Buffer.from("put while both are still")]);
  a.flush("still");
  assert.deepEqual(build(), ["0/2:put while both are still"]);
  a.flush("busy");
  b.send(2, [Buffer.from("z")]);
  b.flush("still");
  assert.deepEqual(build(), [], "the other one brings more");
});

test("count-or-time: the builder is called when nothing is ready, not while there is more to come", () => {
  const { a, b, build, buffer } = ends("count-or-time", 100);
  a.send(1, [Buffer.from("x")]);
  a.flush("busy");
  assert.equal(buffer.isCalled(), false);
  a.flush("waiting");
  assert.deepEqual(build(), ["0/1:x"]);
  a.flush("waiting");
  assert.equal(buffer.isCalled(), false, "there is nothing new");
  b.send(1, [Buffer.from("y")]);
  b.flush("still");
  assert.deepEqual(build(), ["1/1:y"]);
});

/** A record of one part, with its head. */
function recordOf(kind: number, text: string): Buffer {
  const part = Buffer.from(text);
  return Buffer.concat([frameHead(kind, [part]), part]);
}

test("back-pressure: what the buffer does not take waits, in order, and is not lost", () => {
  const { a, build, buffer } = ends("full", 2);
  const sent: number[] = [];
  const numbers = ["p", "q", "r"].map((word, i) =>
    a.sendRecord([recordOf(word === "q" ? FRAMES.capture : FRAMES.page, word)], {
      release: () => sent.push(i),
    }),
  );
  assert.deepEqual(numbers, [0, 1, 2]);
  assert.deepEqual([a.congested, a.outstanding, a.pages, buffer.used()], [true, 3, 1, 2]);
  assert.deepEqual(sent, [0, 1], "the third is still read by its sender");
  assert.equal(a.retry(), false);
  assert.deepEqual(build(), ["0/8:p", "0/1:q"]);
  assert.equal(a.retry(), true);
  assert.deepEqual([a.congested, sent], [false, [0, 1, 2]]);
  a.flush("still");
  assert.deepEqual(build(), [], "the other crawler has not said that it is still");
  assert.equal(a.pages, 2, "what is no page is not counted");
});

test("room and permits come back turn by turn, and whoever waits for them is named", () => {
  const { a, buffer, reader } = ends("count-or-time", 4);
  for (const word of ["p", "q", "r", "s", "t"]) a.send(1, [Buffer.from(word)]);
  assert.ok(a.congested && reader.take());
  const { wanting } = reader.read(1, () => {});
  assert.deepEqual([wanting, buffer.used(), reader.isReading], [0b01, 3, true]);
  assert.ok(a.retry());
  assert.deepEqual([buffer.used(), reader.take()], [4, true]);
});

test("a record larger than the lane arrives in fragments, whole; a dead crawler's half record never was", () => {
  for (const mode of ["full", "count-or-time"] as const) {
    const { a, build } = ends(mode, 1);
    const large = "0123456789".repeat(100);
    a.send(7, [Buffer.from("head"), Buffer.from(large)]);
    const got: string[] = [];
    for (let round = 0; round < 100 && got.length === 0; round++) {
      got.push(...build());
      a.flush("waiting");
    }
    assert.deepEqual(got, [`0/7:head|${large}`]);
  }
  const { a, build, buffer, reader, sender } = ends("count-or-time", 1);
  a.send(7, [Buffer.alloc(1000)]);
  assert.deepEqual(build(), []);
  a.flush("still");
  buffer.reclaim(0);
  build();
  reader.forget(0);
  const successor = sender(0);
  successor.send(8, [Buffer.from("new")]);
  successor.flush("still");
  assert.deepEqual(build(), ["0/8:new"]);
});

test("records of any size come out as they went in, by lane, whatever the turns", () => {
  const record = fc.record({
    lane: fc.nat(1),
    bytes: fc.nat(700),
    turn: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      (all, size) => {
        const { a, b, build } = ends("count-or-time", size);
        const sent: string[][] = [[], []];
        const got: string[][] = [[], []];
        const take = (turn: number): void => {
          for (const line of build(turn)) got[Number(line[0])]!.push(line);
          for (const each of [a, b]) each.flush("waiting");
        };
        all.forEach(({ lane, bytes, turn }, i) => {
          const parts = [`${i}`, "x".repeat(bytes), ""];
          [a, b][lane]!.send(
            FRAMES.outcome,
            parts.map((part) => Buffer.from(part)),
          );
          sent[lane]!.push(`${lane}/${FRAMES.outcome}:${parts.join("|")}`);
          take(turn);
        });
        // A record of 700 bytes has up to six frames.
        for (let round = 0; round < 10 * all.length; round++) take(1);
        assert.deepEqual(got, sent);
      },
    ),
  );
});

test("every crawler has a lane of its own, every buffer a builder and at most two crawlers", () => {
  const any = fc.record({
    threads: fc.integer({ min: 1, max: 40 }),
    builders: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(any, ({ threads, builders }) => {
      const plan = new BufferPlan({ threads, builders });
      const assigned: string[] = [];
      for (let builder = 0; builder < builders; builder++) {
        for (const buffer of plan.buffersOf(builder)) {
          for (const [lane, thread] of plan.crawlersOf(buffer).entries()) {
            assert.deepEqual(
              [plan.bufferOf(thread), plan.laneOf(thread), plan.builderOf(thread)],
              [buffer, lane, builder],
            );
            assert.ok(lane < 2);
            assigned.push(`${thread}`);
          }
        }
      }
      assert.equal(new Set(assigned).size, threads);
      assert.equal(assigned.length, threads);
    }),
  );
  assert.equal(
    new BufferPlan({ threads: 12, builders: 6 }).count,
    6,
    "seed 001: 6 buffers, 12 crawlers",
  );
});
