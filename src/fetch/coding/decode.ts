import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { ZlibEngine } from "../../runtime/zlib-engine.ts";
import { DecodeBudget } from "./decode-budget.ts";
import { decodePrefix, inTurn } from "./decode-prefix.ts";

/** A body without its content coding, or the part of it that could be decoded. */
export interface DecodeResult {
  bytes: Buffer;
  flag?: "encoding_error" | "body_too_large" | "bad_encoding" | "decode_budget";
  /** CPU time that it took, where that was worth measuring. */
  costMs?: number;
}

/** How much a body may grow: `maxBytes` always, and `maxRatio` times its size once it is above 1 MiB. */
export interface DecodeCaps {
  maxBytes: number;
  maxRatio: number;
  /** The caller uses the bytes before it decodes another body and before the event loop turns, so they may lie in shared memory. */
  borrow?: boolean;
}

/** A content coding that can be removed. */
export type Coding = "gzip" | "deflate" | "br";

const MAX_CODINGS = 2;
const RATIO_FREE_BYTES = 1024 * 1024;
const DEFLATE_MAX_RATIO = 1032; // no deflate stream can grow more than this
const NAMES: Readonly<Record<string, Coding>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
};

/** The coding of nearly every body. */
const GZIP: readonly Coding[] = ["gzip"];

/** The codings to remove, the last one applied first; undefined when one is unknown or there are too many. */
export function codingsOf(contentEncoding: string): Coding[] | undefined {
  const codings: Coding[] = [];
  for (const member of contentEncoding.split(",")) {
    const name = member.trim().toLowerCase();
    if (name === "" || name === "identity") continue;
    const coding = NAMES[name];
    if (coding === undefined || codings.length === MAX_CODINGS) return undefined;
    codings.unshift(coding);
  }
  return codings;
}

/** True for more codings than anyone has a reason to apply. */
export function hasTooManyCodings(contentEncoding: string): boolean {
  const names = contentEncoding.split(",").map((member) => member.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity").length > MAX_CODINGS;
}

/** How each format is decoded: at once, and piece by piece. Raw is deflate without the zlib wrapper. */
const DECODERS = {
  gzip: [zlib.gunzipSync, zlib.createGunzip],
  br: [zlib.brotliDecompressSync, zlib.createBrotliDecompress],
  deflate: [zlib.inflateSync, zlib.createInflate],
  raw: [zlib.inflateRawSync, zlib.createInflateRaw],
} as const;

/** Servers send "deflate" with and without the zlib wrapper; its two bytes carry a check (RFC 1950, 2.2). */
function formatOf(coding: Coding, first: Buffer): keyof typeof DECODERS {
  if (coding !== "deflate") return coding;
  const wrapped = first.length >= 2 && (first[0]! & 0x0f) === 8 && first.readUInt16BE(0) % 31 === 0;
  return wrapped ? "deflate" : "raw";
}

/** Makes decoders for a body that begins with these bytes. */
export function decoderOf(coding: Coding, first: Buffer): (options: zlib.ZlibOptions) => Transform {
  return DECODERS[formatOf(coding, first)][1] as (options: zlib.ZlibOptions) => Transform;
}

/** Whether a body begins like gzip; of a body of one byte that byte decides. */
export function isGzip(first: Buffer): boolean {
  return first[0] === 0x1f && (first.length === 1 || first[1] === 0x8b);
}

/** Size of the output buffer: the length at the end of a gzip stream, if it is plausible. */
function chunkSizeFor(body: Buffer, format: string, cap: number): number {
  let bytes = body.length * 4;
  if (format === "gzip" && body.length >= 18) {
    const announced = body.readUInt32LE(body.length - 4);
    if (announced <= body.length * DEFLATE_MAX_RATIO) bytes = announced;
  }
  return Math.max(64, Math.min(bytes, cap, 4 * 1024 * 1024) + 1);
}

/** Missing from the type declarations: with `info` the synchronous calls also return their engine. */
interface WithEngine {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/** Input that is decoded without a look at the clock; what is longer is looked at in slices of this size. */
const QUICK_BYTES = { gzip: 64 * 1024, deflate: 64 * 1024, raw: 64 * 1024, br: 8 * 1024 } as const;
/** What takes longer does not keep the thread from its other requests: it is decoded again, slice by slice. */
const SYNC_MS = 20;
/** Less is not worth telling. */
const MIN_COST_MS = 100;

/** Decodes without a turn of the event loop; undefined when that fails or takes long. */
function decodeWhole(
  body: Buffer,
  format: keyof typeof DECODERS,
  cap: number,
  borrow: boolean,
): DecodeResult | undefined {
  const engine = borrow ? engineOf(format) : undefined;
  if (engine !== undefined) {
    into ??= Buffer.allocUnsafeSlow(SYNC_BYTES + 1);
    const isQuick = body.length <= QUICK_BYTES[format];
    const room = cap + 1;
    const length = isQuick
      ? engine.run(body, into, room)
      : runSliced(engine, body, into.subarray(0, room), QUICK_BYTES[format]);
    if (length >= 0) return resultOf(into.subarray(0, length), engine.unread > 0);
    if (engine.isSpoilt) engines.delete(format);
    return undefined;
  }
  if (body.length > QUICK_BYTES[format]) return undefined;
  try {
    const { buffer, engine } = DECODERS[format][0](body, {
      info: true,
      maxOutputLength: Math.max(cap, 1),
      chunkSize: chunkSizeFor(body, format, cap),
    } as zlib.ZlibOptions) as unknown as WithEngine;
    return buffer.length > cap ? undefined : resultOf(buffer, engine.bytesWritten !== body.length);
  } catch {
    return undefined;
  }
}

/** The same as `run` of the engine, with looks at the clock: -1 also when it takes long. */
function runSliced(engine: ZlibEngine, body: Buffer, room: Buffer, sliceBytes: number): number {
  const endMs = performance.now() + SYNC_MS;
  engine.reset();
  let length = 0;
  for (let at = 0; ; at += sliceBytes) {
    const isLast = at + sliceBytes >= body.length;
    const written = engine.push(body.subarray(at, at + sliceBytes), isLast, room, length);
    length += written;
    if (written < 0 || length === room.length) return -1;
    if (isLast || engine.unread > 0) return length;
    if (performance.now() > endMs) return -1;
  }
}

/** One engine of each kind and one buffer per thread, because nearly every body is small and is read before the next one. */
const engines = new Map<keyof typeof DECODERS, ZlibEngine | undefined>();
let into: Buffer | undefined;

/** From now on what is borrowed lies in this memory, if it is long enough: where it is read, so that nobody has to copy it. */
export function lendMemory(memory: Buffer): void {
  if (memory.length > SYNC_BYTES) into = memory;
}

function engineOf(format: keyof typeof DECODERS): ZlibEngine | undefined {
  if (!engines.has(format)) engines.set(format, ZlibEngine.of(DECODERS[format][1]({})));
  return engines.get(format);
}

/** What follows the end of the stream is not part of the page. */
function resultOf(bytes: Buffer, surplus: boolean): DecodeResult {
  return surplus ? { bytes, flag: "encoding_error" } : { bytes };
}

/** Larger bodies are decoded piece by piece and one at a time, so that bombs do not add up. */
const SYNC_BYTES = 1024 * 1024;

function decodeOnce(
  body: Buffer,
  coding: Coding,
  cap: number,
  borrow: boolean,
): DecodeResult | Promise<DecodeResult> {
  const quickly = decodeQuickly(body, coding, cap, borrow);
  if (quickly !== undefined) return quickly;
  const budget = new DecodeBudget();
  return inTurn(async () =>
    withCost(await decodeSlowly(body, coding, cap, borrow, budget), budget),
  );
}

/** Undefined when it cannot be done at once. */
function decodeQuickly(
  body: Buffer,
  coding: Coding,
  cap: number,
  borrow: boolean,
): DecodeResult | undefined {
  if (body.length === 0) return { bytes: body };
  // Announced as gzip, but it is not: use the body as it is.
  if (coding === "gzip" && !isGzip(body)) return { bytes: body, flag: "encoding_error" };
  const format = formatOf(coding, body);
  const syncCap = Math.min(cap, SYNC_BYTES);
  return (
    decodeWhole(body, format, syncCap, borrow) ??
    (format === "deflate" ? decodeWhole(body, "raw", syncCap, borrow) : undefined)
  );
}

/** With turns of the event loop in between, and a limit of what it may cost. */
async function decodeSlowly(
  body: Buffer,
  coding: Coding,
  cap: number,
  borrow: boolean,
  budget: DecodeBudget,
): Promise<DecodeResult> {
  const decode = (format: keyof typeof DECODERS) => {
    const create = DECODERS[format][1] as (options: zlib.ZlibOptions) => Transform;
    return decodePrefix(body, create, cap, borrow, budget);
  };
  const format = formatOf(coding, body);
  const result = await decode(format);
  // The two bytes of the wrapper may be there by chance.
  const isUnwrapped = result.flag === "encoding_error" && result.bytes.length === 0;
  return format === "deflate" && isUnwrapped ? decode("raw") : result;
}

/** Both layers in one turn, so that only one body at a time is there in between. */
async function decodeTwice(
  body: Buffer,
  [first, second]: readonly [Coding, Coding],
  cap: number,
  borrow: boolean,
): Promise<DecodeResult> {
  const budget = new DecodeBudget();
  // The outer layer is read while the inner one is written, and what is decoded at once must be used at once: not lent.
  const outer =
    decodeQuickly(body, first, cap, false) ?? (await decodeSlowly(body, first, cap, false, budget));
  const inner =
    decodeQuickly(outer.bytes, second, cap, false) ??
    (await decodeSlowly(outer.bytes, second, cap, borrow, budget));
  // The first fault explains the others.
  return withCost({ ...inner, ...outer, bytes: inner.bytes }, budget);
}

function withCost(result: DecodeResult, { spentMs }: DecodeBudget): DecodeResult {
  if (spentMs >= MIN_COST_MS) result.costMs = spentMs;
  return result;
}

/**
 * Removes the content coding of a body: synchronously when all is well and takes no time, otherwise by a second run that
 * saves the good beginning and lets the event loop turn. However codings are nested or forged, the result never exceeds
 * the caps, and its cost not the budget.
 */
export function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  caps: DecodeCaps,
): DecodeResult | Promise<DecodeResult> {
  if (contentEncoding === undefined) return { bytes: body };
  const codings = contentEncoding === "gzip" ? GZIP : codingsOf(contentEncoding);
  if (codings === undefined) return { bytes: body, flag: "bad_encoding" };
  const [first, second] = codings;
  if (first === undefined) return { bytes: body };
  const byRatio = Math.max(RATIO_FREE_BYTES, caps.maxRatio * body.length);
  const cap = Math.min(caps.maxBytes, byRatio);
  const { borrow = false } = caps;
  if (second === undefined) return decodeOnce(body, first, cap, borrow);
  return inTurn(() => decodeTwice(body, [first, second], cap, borrow));
}

/**
 * Removes the content coding of a body before it returns, within the same caps: for a caller who must have it now. What
 * is damaged or too large gives its beginning.
 */
export function decodeNow(
  body: Buffer,
  contentEncoding: string | undefined,
  { maxBytes, maxRatio }: Pick<DecodeCaps, "maxBytes" | "maxRatio">,
): Buffer {
  let bytes = body;
  for (const coding of codingsOf(contentEncoding ?? "") ?? []) {
    const cap = Math.min(maxBytes, Math.max(RATIO_FREE_BYTES, maxRatio * bytes.length));
    if (coding === "gzip" && !isGzip(bytes)) continue;
    bytes = decodeBeginning(bytes, formatOf(coding, bytes), cap);
  }
  return bytes;
}

/** Half of what decodes to too much is tried instead, and half of that. */
function decodeBeginning(body: Buffer, format: keyof typeof DECODERS, cap: number): Buffer {
  const finishFlush =
    format === "br" ? zlib.constants.BROTLI_OPERATION_FLUSH : zlib.constants.Z_SYNC_FLUSH;
  for (let length = body.length; length > 0; length >>>= 1) {
    try {
      const options = { maxOutputLength: cap, finishFlush } as zlib.ZlibOptions;
      return DECODERS[format][0](body.subarray(0, length), options);
    } catch {
      // Too much, or damaged.
    }
  }
  return Buffer.alloc(0);
}
