import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { ListReader } from "../../../src/crawl/visit/list-reader.ts";
import { ResponseHead } from "../../../src/fetch/response-head.ts";
import { canonicalize } from "../../../src/url/crawl-url.ts";
import { get, rawServer, responseOf, wireClient } from "../../fetch/wire/raw-server.ts";
import { parseSitemap } from "../../parse/lists/parse-sitemap.ts";
import { sitemapText } from "../../parse/lists/sitemap-cases.ts";

const url = canonicalize("http://h/sitemap.xml")!;
const MIB = 1024 * 1024;

function headOf(encoding?: string, status = 200): ResponseHead {
  const line = encoding === undefined ? "" : `Content-Encoding: ${encoding}\r\n`;
  return ResponseHead.parse(`HTTP/1.1 ${status} OK\r\n${line}\r\n`)!;
}

/** Hands a body over as a connection does: in pieces that are overwritten afterwards, and stopping when told to. */
async function read(body: Uint8Array, encoding: string | undefined, pieceBytes: number) {
  const reader = new ListReader(url);
  reader.begin(headOf(encoding));
  let waits = 0;
  for (let at = 0; at < body.length; at += pieceBytes) {
    const piece = Uint8Array.from(body.subarray(at, at + pieceBytes));
    reader.push(piece);
    piece.fill(0x2a);
    if (!reader.isBehind) continue;
    waits++;
    await new Promise<void>((resolve) => reader.whenReady(resolve));
  }
  return { ...(await reader.finish()), waits };
}

const CODINGS: [name: string | undefined, code: (bytes: Buffer) => Buffer][] = [
  [undefined, (bytes) => bytes],
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["gzip, br", (bytes) => brotliCompressSync(gzipSync(bytes))],
];

test("any list in any coding and any pieces is read as when it comes whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      sitemapText,
      fc.constantFrom(...CODINGS),
      fc.boolean(),
      fc.integer({ min: 1, max: 200 }),
      async (text, [name, code], zipped, pieceBytes) => {
        const file = zipped ? gzipSync(text) : Buffer.from(text);
        const { listed, flag } = await read(code(file), name, pieceBytes);
        assert.deepEqual(listed, parseSitemap(file, url));
        assert.equal(flag, undefined);
      },
    ),
    { numRuns: 150 },
  );
});

function urlset(entries: number): Buffer {
  const all = Array.from({ length: entries }, (_, i) => `<url><loc>/${i * 7919}</loc></url>`);
  return Buffer.from(`<urlset>${all.join("")}</urlset>`);
}

test("bombs are cut while they unpack, and what stood before the cut is read", async () => {
  const bomb = Buffer.concat([urlset(400), Buffer.alloc(6 * MIB, " ")]);
  // The same growth as a coding of the transfer, as the file itself, and as both.
  for (const [body, name] of [
    [gzipSync(bomb), "gzip"],
    [gzipSync(bomb), undefined],
    [brotliCompressSync(bomb), "br"],
    [gzipSync(gzipSync(bomb)), "gzip"],
  ] as const) {
    const { listed } = await read(body, name, 1000);
    assert.deepEqual([listed.urls.length, listed.error], [400, "sitemap_too_large"], name);
  }
});

test("a list of 50 MiB is read whole, one byte more is too large", async () => {
  const list = urlset(49_000);
  const filled = (bytes: number) => Buffer.concat([list, Buffer.alloc(bytes - list.length, " ")]);
  for (const [bytes, error] of [
    [50 * MIB, undefined],
    [50 * MIB + 1, "sitemap_too_large"],
  ] as const) {
    const { listed } = await read(filled(bytes), undefined, 128 * 1024);
    assert.deepEqual([listed.urls.length, listed.error], [49_000, error]);
  }
});

test("of what is damaged or cut short the good beginning is read", async () => {
  const list = urlset(20_000);
  const zipped = gzipSync(list);
  const flipped = Buffer.from(zipped);
  flipped.fill(0xff, flipped.length >> 1, (flipped.length >> 1) + 40);
  for (const [body, name, error, flag] of [
    [zipped.subarray(0, zipped.length / 2), undefined, "sitemap_bad_gzip", undefined],
    [flipped, undefined, "sitemap_bad_gzip", undefined],
    [zipped.subarray(0, zipped.length / 2), "gzip", undefined, "encoding_error"],
    [flipped, "gzip", undefined, "encoding_error"],
  ] as const) {
    const found = await read(body, name, 1000);
    assert.deepEqual([found.listed.error, found.flag], [error, flag]);
    const { length } = found.listed.urls;
    assert.ok(length > 7000 && length <= 20_000, `${length}`);
  }
  const plain = await read(list, "gzip", 1000);
  assert.deepEqual([plain.listed.urls.length, plain.flag], [20_000, "encoding_error"]);
  const strange = await read(list, "gzip, gzip, gzip", 1000);
  assert.deepEqual([strange.listed.urls.length, strange.flag], [0, "bad_encoding"]);
});

test("who falls behind says so, and is ready again later", async () => {
  const { listed, waits } = await read(gzipSync(urlset(50_000)), "gzip", 64 * 1024);
  assert.equal(listed.urls.length, 50_000);
  assert.ok(waits > 0);
});

test("a body is kept up to the client's limit and read to its end", async (t) => {
  const list = Buffer.concat([urlset(1000), Buffer.alloc(3 * MIB, " "), urlset(2000)]);
  for (const zipped of [false, true]) {
    const bytes = zipped ? gzipSync(list, { level: 0 }) : list;
    const coding = zipped ? "Content-Encoding: gzip\r\n" : "";
    const server = await rawServer(t, (socket, request) => {
      const isChunked = request.startsWith("GET /chunked");
      const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes.length}`;
      socket.write(`HTTP/1.1 200 OK\r\n${coding}${framing}\r\n\r\n`);
      if (isChunked) socket.write(`${bytes.length.toString(16)}\r\n`);
      socket.write(bytes);
      if (isChunked) socket.write("\r\n0\r\n\r\n");
    });
    const client = wireClient(t, { largeBodies: 1, limits: { maxBodyBytes: MIB } });
    for (const path of ["/length", "/chunked"]) {
      const tap = new ListReader(url);
      const response = responseOf(await get(client, server, path, { releases: true, tap }));
      assert.deepEqual([response.truncated, response.flag], ["length", undefined]);
      assert.ok(response.body.equals(bytes.subarray(0, MIB)), "the beginning is kept");
      assert.equal((await tap.finish()).listed.urls.length, 2000);
      response.release();
    }
    assert.equal(server.connections, 1, "the connection is clean and used again");
  }
});

test("a list that is done is not read to its end", async (t) => {
  let sent = 0;
  const server = await rawServer(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<!DOCTYPE x><urlset>");
    const pour = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024, " "))) sent += 64 * 1024;
    };
    socket.on("drain", pour);
    pour();
  });
  const client = wireClient(t, { largeBodies: 1, limits: { maxBodyBytes: MIB } });
  const tap = new ListReader(url);
  const response = responseOf(await get(client, server, "/", { releases: true, tap }));
  assert.deepEqual([response.body.length, response.flag], [MIB, "body_too_large"]);
  assert.equal((await tap.finish()).listed.error, "sitemap_dtd");
  assert.ok(sent < 20 * MIB, `${sent} bytes were sent`);
});

test("an answer that is no list is not read", async () => {
  const reader = new ListReader(url);
  reader.begin(headOf("gzip", 404));
  reader.push(gzipSync(urlset(10)));
  assert.equal(reader.isDone, true);
  assert.deepEqual((await reader.finish()).listed.urls, []);
});
