import type { Transform } from "node:stream";
import type zlib from "node:zlib";
import { ZlibEngine } from "../../runtime/zlib-engine.ts";
import type { DecodeResult } from "./decode.ts";
import type { DecodeBudget } from "./decode-budget.ts";
import { afterTurn } from "./decode-slices.ts";

const PIECES = 256;
const MAX_SCRATCH = 16 * 1024 * 1024;
/** Input between two looks at the clock: a few milliseconds even where it is made to cost as much as possible. */
const SLICE_BYTES = 4096;

interface Pass {
  /** Bytes decoded, at the start of the scratch memory. */
  length: number;
  /** Bytes of input decoded without an error. */
  goodBytes: number;
  /** A surplus is input after the end of the stream. */
  outcome: "whole" | "surplus" | "full" | "error" | "spent";
}

/** Output of the decoding under way; one per thread. It shrinks again after a huge body. */
let scratch = Buffer.alloc(0);

/** Copies a part into the scratch memory, which grows up to `cap`. */
function keep(part: Buffer, at: number, count: number, cap: number): number {
  if (at + count > scratch.length) {
    // Large from the start: untouched memory costs nothing, but large buffers that come and go are never given back.
    const wanted = Math.min(cap, Math.max(MAX_SCRATCH, 2 * (at + count)));
    const larger = Buffer.allocUnsafeSlow(wanted);
    scratch.copy(larger, 0, 0, at);
    scratch = larger;
  }
  part.copy(scratch, at, 0, count);
  return count;
}

/**
 * Feeds `body` to a decoder: up to `from` at once, then in pieces. The pieces matter because zlib drops the output of
 * the one in which it finds an error.
 */
function feed(
  decoder: Transform,
  body: Buffer,
  from: number,
  pieceBytes: number,
  cap: number,
): Promise<Pass> {
  return new Promise((resolve) => {
    const pass: Pass = { length: 0, goodBytes: 0, outcome: "whole" };
    let room = cap;
    const settle = (outcome: Pass["outcome"]) => {
      pass.outcome = outcome;
      decoder.destroy();
      resolve(pass);
    };
    decoder.on("data", (part: Buffer) => {
      if (room < 0) return;
      pass.length += keep(part, pass.length, Math.min(part.length, room), cap);
      room -= part.length;
      if (room < 0) settle("full");
    });
    decoder.on("error", () => settle("error"));
    decoder.on("end", () => {
      const { bytesWritten } = decoder as Transform & zlib.Zlib;
      settle(bytesWritten < body.length ? "surplus" : "whole");
    });
    const next = (start: number, end: number) => {
      decoder.write(body.subarray(start, end), (error) => {
        if (error || room < 0) return;
        pass.goodBytes = end;
        if (end === body.length) decoder.end();
        else next(end, Math.min(end + pieceBytes, body.length));
      });
    };
    next(0, from > 0 ? from : Math.min(pieceBytes, body.length));
  });
}

/**
 * The same with the engine inside a stream, where it can be reached: it writes straight into the scratch memory, while
 * a stream allocates a buffer for every piece of output. The event loop turns as often as the budget says.
 */
async function feedEngine(
  engine: ZlibEngine,
  body: Buffer,
  from: number,
  pieceBytes: number,
  cap: number,
  budget: DecodeBudget,
): Promise<Pass> {
  // One byte more than may be kept, to tell a body of exactly that size from a larger one.
  if (scratch.length <= cap) scratch = Buffer.allocUnsafeSlow(Math.max(cap, MAX_SCRATCH) + 1);
  const into = scratch.subarray(0, cap + 1);
  const pass: Pass = { length: 0, goodBytes: 0, outcome: "whole" };
  for (let start = 0, end = 0; ; start = end) {
    // What was good in an earlier pass needs no small pieces.
    const bytes = start < from ? Math.min(SLICE_BYTES, from - start) : pieceBytes;
    end = Math.min(start + Math.min(bytes, SLICE_BYTES), body.length);
    const isLast = start === body.length;
    budget.start();
    const written = engine.push(body.subarray(start, end), isLast, into, pass.length);
    budget.stop(written);
    if (written < 0) return { ...pass, outcome: "error" };
    pass.length += written;
    if (pass.length > cap) return { ...pass, length: cap, outcome: "full" };
    // What follows the end of the stream is not part of the page.
    if (engine.unread > 0) return { ...pass, outcome: "surplus" };
    if (isLast) return pass;
    pass.goodBytes = end;
    if (budget.isSpent) return { ...pass, outcome: "spent" };
    if (budget.takePause()) await new Promise<void>(afterTurn);
  }
}

/** One run over the body, with the engine or with the stream. */
async function runOnce(
  decoder: Transform,
  body: Buffer,
  from: number,
  pieceBytes: number,
  cap: number,
  budget: DecodeBudget,
): Promise<Pass> {
  const engine = ZlibEngine.of(decoder);
  if (engine === undefined) return feed(decoder, body, from, pieceBytes, cap);
  const result = await feedEngine(engine, body, from, pieceBytes, cap, budget);
  decoder.destroy();
  return result;
}

/** The decoding under way in this thread; the next one waits for it, so that their memory does not add up. */
let last: Promise<unknown> = Promise.resolve();

/** Runs one slow decoding at a time, with all its codings. What it borrowed from here is valid until the event loop turns. */
export function inTurn<T>(decode: () => Promise<T>): Promise<T> {
  const result = last.then(decode);
  // A turn of the loop in between: whoever borrowed the bytes has used them by then, and other requests go on.
  last = result.then(
    () => new Promise<void>(afterTurn),
    () => {},
  );
  return result;
}

/**
 * Decodes the longest good beginning of a damaged or costly body; `inTurn` has to call it. It finds the end of the good
 * part to the byte, in a few passes with smaller and smaller pieces.
 */
export async function decodePrefix(
  body: Buffer,
  create: (options: zlib.ZlibOptions) => Transform,
  cap: number,
  borrow: boolean,
  budget: DecodeBudget,
): Promise<DecodeResult> {
  if (scratch.length > MAX_SCRATCH + 1) scratch = Buffer.alloc(0);
  let goodBytes = 0;
  let pieceBytes = Math.max(1, Math.ceil(body.length / PIECES));
  for (;;) {
    const decoder = create({ chunkSize: 64 * 1024 });
    const pass = await runOnce(decoder, body, goodBytes, pieceBytes, cap, budget);
    const { length, outcome, ...good } = pass;
    const used = scratch.subarray(0, length);
    const bytes = borrow ? used : Buffer.from(used);
    if (outcome === "spent") return { bytes, flag: "decode_budget" };
    if (outcome === "full") return { bytes, flag: "body_too_large" };
    if (outcome === "whole") return { bytes };
    // An error at the very end means that the stream is cut off: there is nothing to narrow down.
    if (outcome === "surplus" || pieceBytes === 1 || good.goodBytes === body.length)
      return { bytes, flag: "encoding_error" };
    goodBytes = good.goodBytes;
    pieceBytes = Math.ceil(pieceBytes / PIECES);
  }
}
