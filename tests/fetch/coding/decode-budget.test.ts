import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { type ByteStep, DecodeStep } from "../../../src/fetch/coding/byte-steps.ts";
import {
  type Coding,
  type DecodeResult,
  decodeBody,
  decoderOf,
} from "../../../src/fetch/coding/decode.ts";
import { DecodeBudget } from "../../../src/fetch/coding/decode-budget.ts";
import { emptyBlocks, gzipOfEmptyBlocks } from "../../support/costly-deflate.ts";

const MIB = 1024 * 1024;
const CAPS = { maxBytes: 10 * MIB, maxRatio: 200, borrow: true };

/** What a body decodes to, and how often the event loop turned meanwhile. */
async function decode(body: Buffer, coding: string): Promise<DecodeResult & { turns: number }> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await decodeBody(body, coding, CAPS);
  isOver = true;
  return { ...result, turns };
}

test("empty blocks decode to nothing, and the event loop turns meanwhile", async () => {
  const inner = gzipOfEmptyBlocks(2 * MIB, Buffer.alloc(12_000, "c"));
  const bodies: [string, Buffer][] = [
    ["gzip", inner],
    ["deflate", emptyBlocks(2 * MIB)],
    ["gzip, gzip", gzipSync(Buffer.concat([inner]))],
    ["gzip, br", brotliCompressSync(inner)],
  ];
  for (const [coding, body] of bodies) {
    const { bytes, turns } = await decode(body, coding);
    assert.equal(bytes.length, 0, coding);
    assert.ok(turns > 2, `${coding}: ${turns} turns`);
  }
});

test("a budget ends decoding, and counts output against it", () => {
  let nowMs = 0;
  const budget = new DecodeBudget(0, () => nowMs);
  budget.start();
  nowMs += 9;
  budget.stop(MIB);
  assert.deepEqual([budget.takePause(), budget.isSpent], [false, false], "20 ms for the output");
  budget.start();
  nowMs += 1000;
  budget.stop(-1);
  assert.deepEqual([budget.takePause(), budget.takePause()], [true, false], "once");
  while (!budget.isSpent) performance.now(); // until the process has used as much CPU time
  assert.equal(budget.spentMs, 1009);
});

test("a step whose budget is spent passes on what it has, and says so", async () => {
  const text = Buffer.from("beginning ".repeat(100));
  for (const [coding, body] of [
    ["gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
  ] as const) {
    const { got, step } = run(coding, body, new DecodeBudget(-1));
    await got.ended;
    assert.deepEqual([step.fault, got.bytes], ["decode_budget", text.toString()]);
  }
});

test("a step pauses when decoding takes long, and goes on", async () => {
  const { got, step } = run(
    "gzip",
    gzipOfEmptyBlocks(2 * MIB, Buffer.alloc(0)),
    new DecodeBudget(Number.POSITIVE_INFINITY),
  );
  assert.equal(step.isBehind, true);
  let isReady = false;
  step.whenReady(() => {
    isReady = true;
  });
  await got.ended;
  // Its length and check sum are zero, as they are for nothing.
  assert.deepEqual([step.fault, got.bytes, isReady], [undefined, "", true]);
});

/** Feeds a whole body to one step. */
function run(coding: Coding, body: Buffer, budget: DecodeBudget) {
  const got = { bytes: "", ended: Promise.resolve() };
  let onEnd = (): void => {};
  got.ended = new Promise((resolve) => {
    onEnd = resolve;
  });
  const next: ByteStep = {
    isBehind: false,
    write: (piece) => {
      got.bytes += Buffer.from(piece).toString();
    },
    end: () => onEnd(),
    whenReady: () => {},
  };
  const caps = { maxBytes: 50 * MIB, maxRatio: 200 };
  const step = new DecodeStep(decoderOf(coding, body), caps, budget, next);
  step.write(body);
  step.end();
  return { got, step };
}
