import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import fc from "fast-check";
import { type DecodeResult, decodeBody } from "../../../src/fetch/coding/decode.ts";

const CAPS = { maxBytes: 10 * 1024 * 1024, maxRatio: 200 };
const MIB = 1024 * 1024;
const text = Buffer.from(
  Array.from({ length: 400 }, (_, i) => `<a href="/p/${(i * 7919) % 1000}">${i}</a>`).join("\n"),
);

const ENCODERS: Record<string, (body: Buffer) => Buffer> = {
  gzip: (body) => zlib.gzipSync(body),
  "x-gzip": (body) => zlib.gzipSync(body),
  deflate: (body) => zlib.deflateSync(body),
  br: (body) =>
    zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
};

/** Decodes twice: into memory of its own, and into borrowed memory, with the engine that all bodies share. The cost is time. */
async function decode(
  body: Buffer,
  coding: string | undefined,
  caps = CAPS,
): Promise<DecodeResult> {
  const { costMs: _, ...own } = await decodeBody(body, coding, caps);
  const { costMs: __, ...borrowed } = await decodeBody(body, coding, { ...caps, borrow: true });
  assert.deepEqual({ ...borrowed, bytes: Buffer.from(borrowed.bytes) }, own);
  return own;
}

test("borrowed memory is one piece that the next body is written to", () => {
  const caps = { ...CAPS, borrow: true };
  const decoded = ["first", "other"].map((word) => {
    const { bytes } = decodeBody(zlib.gzipSync(Buffer.from(word)), "gzip", caps) as DecodeResult;
    assert.equal(bytes.toString(), word);
    return bytes;
  });
  assert.equal(decoded[0]!.toString(), "other");
});

test("takes off every coding, in pairs too, whatever the bytes", async () => {
  const names = fc.constantFrom(...Object.keys(ENCODERS));
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 3000 }),
      fc.array(names, { maxLength: 2 }),
      async (bytes, codings) => {
        let body: Buffer = Buffer.from(bytes);
        for (const coding of codings) body = ENCODERS[coding]!(body);
        assert.deepEqual(await decode(body, codings.join(" ,")), { bytes: Buffer.from(bytes) });
      },
    ),
    { numRuns: 150 },
  );
});

test("an intact body is decoded synchronously", () => {
  for (const [coding, encode] of Object.entries(ENCODERS)) {
    const result = decodeBody(encode(text), coding.toUpperCase(), CAPS);
    assert.ok(!(result instanceof Promise));
    assert.deepEqual(result, { bytes: text });
  }
});

test("deflate comes with and without its wrapper", async () => {
  assert.deepEqual(await decode(zlib.deflateRawSync(text), "deflate"), { bytes: text });
});

test("identity, nothing and an empty body change nothing", async () => {
  for (const coding of [undefined, "", "identity", "Identity, ,"]) {
    assert.deepEqual(await decode(text, coding), { bytes: text });
  }
  assert.deepEqual(await decode(Buffer.alloc(0), "gzip"), { bytes: Buffer.alloc(0) });
});

test("unknown codings and more than two are left alone (HOSTILE R3)", async () => {
  for (const coding of [
    "zstd",
    "gzip, exi",
    "gzip, gzip, gzip",
    Array(5000).fill("gzip").join(","),
  ]) {
    assert.deepEqual(decodeBody(text, coding, CAPS), { bytes: text, flag: "bad_encoding" });
  }
});

test("a damaged stream keeps its good beginning (HOSTILE R4)", async () => {
  for (const [coding, encode] of Object.entries(ENCODERS)) {
    const whole = encode(text);
    const garbage = await decode(Buffer.concat([whole, Buffer.from("trailing garbage")]), coding);
    assert.deepEqual(garbage, { bytes: text, flag: "encoding_error" }, coding);
    const half = await decode(whole.subarray(0, whole.length >> 1), coding);
    assert.equal(half.flag, "encoding_error");
    assert.ok(half.bytes.length > text.length / 4, `${coding}: ${half.bytes.length}`);
    assert.deepEqual(half.bytes, text.subarray(0, half.bytes.length));
  }
  const wrongSum = zlib.gzipSync(text);
  wrongSum[wrongSum.length - 6]! ^= 1;
  assert.deepEqual(await decode(wrongSum, "gzip"), { bytes: text, flag: "encoding_error" });
});

test("a damaged body costs later ones nothing", () => {
  for (const [coding, encode] of Object.entries(ENCODERS)) {
    const whole = encode(text);
    const damaged = Buffer.from(whole);
    damaged[whole.length >> 1]! ^= 0xff;
    decodeBody(damaged, coding, { ...CAPS, borrow: true });
    const result = decodeBody(whole, coding, { ...CAPS, borrow: true });
    assert.ok(!(result instanceof Promise), `${coding} takes the slow way from now on`);
  }
});

test("garbage behind a body that is decoded piece by piece is noticed", async () => {
  const long = Buffer.alloc(3 * MIB, text);
  for (const [coding, encode] of Object.entries(ENCODERS)) {
    const body = Buffer.concat([encode(long), Buffer.from("trailing garbage")]);
    const result = await decode(body, coding, { maxBytes: 4 * MIB, maxRatio: 10_000 });
    assert.deepEqual(result, { bytes: long, flag: "encoding_error" }, coding);
  }
});

test("a body announced as gzip that is none is kept as it is", async () => {
  assert.deepEqual(await decode(text, "gzip"), { bytes: text, flag: "encoding_error" });
});

test("any damage gives a result and never more than the cap", async () => {
  const body = fc
    .constantFrom(...Object.keys(ENCODERS))
    .map((coding) => ({ coding, body: ENCODERS[coding]!(text) }));
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.nat(5000),
      fc.nat(255),
      fc.integer({ min: 0, max: 20_000 }),
      async (b, at, xor, maxBytes) => {
        const damaged = Buffer.from(b.body);
        damaged[at % damaged.length]! ^= xor;
        const { bytes, flag } = await decode(damaged, b.coding, {
          maxBytes,
          maxRatio: 200,
        });
        const asIs = flag === "encoding_error" && bytes.equals(damaged);
        assert.ok(asIs || bytes.length <= maxBytes);
        if (xor === 0) assert.equal(flag, text.length > maxBytes ? "body_too_large" : undefined);
      },
    ),
    { numRuns: 120 },
  );
});

test("bombs stop at the cap, nested ones too (HOSTILE R1, R2)", async () => {
  const zeros = Buffer.alloc(64 * MIB);
  const gzip = zlib.gzipSync(zeros);
  const before = process.memoryUsage().rss;
  for (const [bomb, coding, bytes] of [
    [gzip, "gzip", 10 * MIB],
    [ENCODERS.br!(zeros), "br", 1 * MIB], // by the ratio: the body is tiny
    [zlib.gzipSync(gzip), "gzip, gzip", 1 * MIB],
  ] as const) {
    const result = await decode(bomb, coding);
    assert.deepEqual([result.bytes.length, result.flag], [bytes, "body_too_large"]);
  }
  assert.ok(process.memoryUsage().rss - before < 64 * MIB);
});
