import assert from "node:assert/strict";
import { test } from "node:test";
import { BufferReader } from "../../src/crawl/buffer-reader.ts";
import {
  BufferSender,
  HAND_OVER_AFTER_MS,
  type HandOffMode,
} from "../../src/crawl/buffer-sender.ts";
import { DOORBELL_WORDS, Doorbell } from "../../src/sync/doorbell.ts";
import { bufferBytes, HandOffBuffer } from "../../src/sync/hand-off-buffer.ts";

const LANE_BYTES = 256;

function ends(mode: HandOffMode, size: number) {
  const bell = new Doorbell(new Int32Array(new SharedArrayBuffer(DOORBELL_WORDS * 4)), 0);
  const buffer = new HandOffBuffer(new SharedArrayBuffer(bufferBytes(LANE_BYTES)), size, 2, bell);
  const stored = new Int32Array(2);
  const senders = [0, 1].map((lane) => new BufferSender(buffer, lane, mode, stored, lane));
  const reader = new BufferReader(buffer);
  /** What the builder does when it is called. */
  const build = (): string[] => {
    const got: string[] = [];
    if (buffer.takeCall() === 0) return got;
    const counts = reader.take(({ kind, parts }, lane) => {
      got.push(`${lane}/${kind}:${parts.map(String).join("|")}`);
    });
    reader.giveBack();
    for (const [lane, count] of counts.entries()) Atomics.add(stored, lane, count);
    return got;
  };
  return { a: senders[0]!, b: senders[1]!, build, buffer };
}

test("full: nothing moves below N, everything at N, and the rest when both have nothing left", () => {
  const { a, b, build } = ends("full", 3);
  const done: string[] = [];
  a.send(1, [Buffer.from("x"), Buffer.from("y")], () => done.push("xy"));
  a.flush(true);
  b.send(2, [Buffer.from("z")]);
  b.flush(false);
  assert.deepEqual(build(), []);
  a.send(1, [Buffer.from("w")]);
  assert.deepEqual(build(), ["0/1:x|y", "0/1:w", "1/2:z"]);
  assert.ok(a.hasAnswers());
  assert.deepEqual([a.settle(), done, a.outstanding], [2, ["xy"], 0]);
  b.send(2, [Buffer.from("last")]);
  b.flush(true);
  assert.deepEqual(build(), ["1/2:last"]);
});

test("count-or-time: at once when nothing is ready, otherwise after 200 ms", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { a, b, build } = ends("count-or-time", 100);
  a.send(1, [Buffer.from("x")]);
  a.flush(false);
  t.mock.timers.tick(HAND_OVER_AFTER_MS - 1);
  assert.deepEqual(build(), []);
  t.mock.timers.tick(1);
  assert.deepEqual(build(), ["0/1:x"]);
  b.send(1, [Buffer.from("y")]);
  b.flush(true);
  assert.deepEqual(build(), ["1/1:y"]);
});

test("back-pressure: what the buffer does not take waits, in order, and is not lost", () => {
  const { a, build, buffer } = ends("full", 2);
  for (const word of ["p", "q", "r"]) a.send(1, [Buffer.from(word)]);
  assert.deepEqual([a.congested, a.outstanding, buffer.used()], [true, 3, 2]);
  assert.deepEqual(build(), ["0/1:p", "0/1:q"]);
  a.flush(true);
  assert.equal(a.congested, false);
  a.close();
  assert.deepEqual(build(), ["0/1:r"]);
});

test("a record larger than the lane arrives in fragments, whole; a dead crawler's half record never was", () => {
  for (const mode of ["full", "count-or-time"] as const) {
    const { a, build } = ends(mode, 1);
    const large = "0123456789".repeat(100);
    a.send(7, [Buffer.from("head"), Buffer.from(large)]);
    const got: string[] = [];
    for (let round = 0; round < 100 && got.length === 0; round++) {
      got.push(...build());
      a.flush(true);
    }
    assert.deepEqual(got, [`0/7:head|${large}`]);
    a.close();
  }
  const { a, build, buffer } = ends("count-or-time", 1);
  a.send(7, [Buffer.alloc(1000)]);
  assert.deepEqual(build(), []);
  a.close();
  buffer.reclaim(0);
  const successor = new BufferSender(buffer, 0, "count-or-time", new Int32Array(2), 0);
  successor.send(8, [Buffer.from("new")]);
  successor.close();
  assert.deepEqual(build(), ["0/8:new"]);
});
