import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { CapacityError } from "../../src/errors.ts";
import { DOORBELL_WORDS, Doorbell } from "../../src/sync/doorbell.ts";
import {
  bufferBytes,
  FIRST,
  FLUSH,
  FULL,
  framesOf,
  HandOffBuffer,
  LAST,
  MAX_BUFFER_SIZE,
  totalOf,
} from "../../src/sync/hand-off-buffer.ts";
import type { HandOffOrders } from "./hand-off-worker.ts";

const bells = (): Int32Array => new Int32Array(new SharedArrayBuffer(3 * DOORBELL_WORDS * 4));
const make = (size: number, laneBytes = 64, crawlers = 2): HandOffBuffer =>
  new HandOffBuffer(
    new SharedArrayBuffer(bufferBytes(laneBytes)),
    size,
    crawlers,
    new Doorbell(bells(), 0),
  );
const bytes = (...values: number[]): Uint8Array[] => [Uint8Array.from(values)];

/** Everything that waits, by lane, as arrays. */
function takeAll(buffer: HandOffBuffer): number[][][] {
  const batch = buffer.take();
  const frames = [0, 1].map((lane) =>
    Array.from({ length: framesOf(batch, lane) }, () => {
      buffer.next(lane);
      return [...buffer.read(lane)];
    }),
  );
  buffer.giveBack(totalOf(batch));
  return frames;
}

test("full means exactly N frames, and then nothing more goes in", () => {
  const buffer = make(3);
  assert.ok(buffer.tryPut(0, bytes(1), FIRST | LAST) && buffer.tryPut(1, bytes(2), FIRST | LAST));
  assert.equal(buffer.takeCall(), 0);
  assert.ok(buffer.tryPut(0, bytes(3, 4), FIRST | LAST));
  assert.deepEqual([buffer.takeCall(), buffer.takeCall()], [FULL, 0]);
  assert.equal(buffer.tryPut(1, bytes(5), FIRST | LAST), false);
  assert.equal(buffer.used(), 3);
  assert.deepEqual(takeAll(buffer), [[[1], [3, 4]], [[2]]]);
  assert.equal(buffer.used(), 0);
  assert.ok(buffer.tryPut(1, bytes(5), FIRST | LAST));
});

test("permits stay in use until the builder gives them back", () => {
  const buffer = make(1);
  assert.ok(buffer.tryPut(0, bytes(1), FIRST | LAST));
  const batch = buffer.take();
  assert.equal(buffer.tryPut(1, bytes(2), FIRST | LAST), false);
  buffer.next(0);
  buffer.read(0);
  buffer.giveBack(totalOf(batch));
  assert.ok(buffer.tryPut(1, bytes(2), FIRST | LAST));
});

test("giving back tells who waits, once", () => {
  const buffer = make(1);
  assert.ok(buffer.tryPut(0, bytes(1), FIRST | LAST));
  assert.equal(buffer.tryPut(1, bytes(2), FIRST | LAST), false);
  buffer.want(1);
  const batch = buffer.take();
  buffer.next(0);
  buffer.read(0);
  assert.deepEqual([buffer.giveBack(totalOf(batch)), buffer.giveBack(0)], [0b10, 0]);
});

test("below N the builder is called by a flush, or when the last crawler has become idle", () => {
  const buffer = make(5);
  assert.ok(buffer.tryPut(0, bytes(1), FIRST | LAST));
  buffer.idle(0);
  assert.equal(buffer.isCalled(), false);
  buffer.idle(1);
  assert.equal(buffer.takeCall(), FLUSH);
  buffer.busy(1);
  buffer.idle(0);
  assert.equal(buffer.isCalled(), false);
  buffer.flush();
  assert.equal(buffer.takeCall(), FLUSH);
  const alone = make(5, 64, 1);
  alone.idle(0);
  assert.equal(alone.takeCall(), FLUSH);
});

test("a frame without room is refused whole, and fits once the builder has made some", () => {
  const buffer = make(9, 32);
  const large = [new Uint8Array(buffer.maxFrameBytes)];
  assert.ok(buffer.tryPut(0, large, FIRST));
  assert.ok(buffer.tryPut(0, large, LAST));
  assert.equal(buffer.tryPut(0, large, FIRST), false);
  assert.equal(buffer.hasRoom(0, buffer.maxFrameBytes), false);
  assert.equal(buffer.used(), 2);
  assert.ok(buffer.tryPut(1, large, FIRST | LAST));
  const batch = buffer.take();
  assert.deepEqual([buffer.next(0), buffer.read(0).length], [FIRST, buffer.maxFrameBytes]);
  assert.deepEqual([buffer.next(0), buffer.read(0).length], [LAST, buffer.maxFrameBytes]);
  buffer.giveBack(totalOf(batch));
  assert.ok(buffer.tryPut(0, large, FIRST));
});

test("frames come out as they went in, where they lie, however they are cut and batched", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 28 }), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 6 }), (lengths, size) => {
      const buffer = make(size);
      const sent: number[][][] = [[], []];
      const got: number[][][] = [[], []];
      lengths.forEach((length, i) => {
        const lane = i % 2;
        const frame = Array.from({ length }, (_, at) => (i + at) & 255);
        const cut = length >> 1;
        const parts = [Uint8Array.from(frame.slice(0, cut)), Uint8Array.from(frame.slice(cut))];
        while (!buffer.tryPut(lane, parts, FIRST | LAST)) {
          takeAll(buffer).forEach((frames, of) => {
            got[of]!.push(...frames);
          });
        }
        sent[lane]!.push(frame);
        assert.ok(buffer.used() <= size);
      });
      takeAll(buffer).forEach((frames, of) => {
        got[of]!.push(...frames);
      });
      assert.deepEqual(got, sent);
    }),
  );
});

test("what a buffer cannot hold is refused", () => {
  for (const size of [0, 1.5, MAX_BUFFER_SIZE + 1]) assert.throws(() => make(size), CapacityError);
  for (const lane of [8, 24]) assert.throws(() => bufferBytes(lane), CapacityError);
});

test("two crawler threads, one builder, both hand-offs: everything arrives once and in order", async () => {
  for (const together of [true, false]) {
    const [count, size] = [2000, 7];
    const memory = new SharedArrayBuffer(bufferBytes(256));
    const rung = bells();
    const shared = { count, size, memory, rung, together };
    const ended = [0, 1, 2].map((role) => {
      const workerData: HandOffOrders = { ...shared, role };
      const worker = new Worker(new URL("./hand-off-worker.js", import.meta.url), { workerData });
      return new Promise<number[] | undefined>((resolve, reject) => {
        let answer: number[] | undefined;
        worker.on("message", (stored: number[]) => {
          answer = stored;
        });
        worker.once("error", reject);
        worker.once("exit", () => resolve(answer));
      });
    });
    const stored = (await Promise.all(ended))[2]!;
    for (const lane of [0, 1]) {
      const own = stored.filter((item) => item % 2 === lane);
      assert.deepEqual(
        own,
        Array.from({ length: count }, (_, n) => 2 * n + lane),
      );
    }
    assert.equal(new HandOffBuffer(memory, size, 2, new Doorbell(rung, 4)).used(), 0);
  }
});
