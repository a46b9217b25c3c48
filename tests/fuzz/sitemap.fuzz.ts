import assert from "node:assert/strict";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { ListReader } from "../../src/crawl/visit/list-reader.ts";
import { ResponseHead } from "../../src/fetch/response-head.ts";
import { parseLinkHeader } from "../../src/parse/link-header.ts";
import { SitemapReader } from "../../src/parse/lists/sitemap-reader.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { parseSitemap } from "../parse/lists/parse-sitemap.ts";
import { goodSitemap, PADDING, sitemapText } from "../parse/lists/sitemap-cases.ts";
import { distinct } from "../parse/reference.ts";
import { claim, type FuzzTarget, linear } from "./target.ts";

const url = canonicalize("http://h/sitemap.xml")!;

function readInPieces(bytes: Uint8Array, sizes: readonly number[]) {
  const reader = new SitemapReader(url);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    // The beginning is looked at as a whole anyway; small pieces there would only cost time.
    const size = at + 64 < PADDING.length ? PADDING.length - 32 : (sizes[i % sizes.length] ?? 1);
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    reader.push(piece);
    piece.fill(0x2a);
    at += size;
  }
  return reader.finish();
}

const CODINGS: [coding: string, code: (bytes: Buffer) => Buffer][] = [
  ["identity", (bytes) => Buffer.from(bytes)],
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["br, gzip", (bytes) => gzipSync(brotliCompressSync(bytes))],
];

/** As a connection hands it over: piece by piece, and not while the reader is behind. */
async function readStream(body: Buffer, coding: string, pieceBytes: number) {
  const reader = new ListReader(url);
  reader.begin(ResponseHead.parse(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`)!);
  for (let at = 0; at < body.length; at += pieceBytes) {
    reader.push(body.subarray(at, at + pieceBytes));
    if (reader.isBehind) await new Promise<void>((resolve) => reader.whenReady(resolve));
  }
  return reader.finish();
}

const document = fc.oneof(
  { weight: 4, arbitrary: sitemapText.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: sitemapText.map((text) => Buffer.from(`\ufeff${text}`, "utf16le")) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
);

/** Sitemaps and feeds: no cutting and no coding matters, any bytes, what is well formed is read in full, linear. */
export const sitemapTarget: FuzzTarget = {
  name: "sitemap",
  open: () => ({
    parts: [
      {
        name: "splits",
        property: claim(
          fc.property(document, fc.array(fc.integer({ min: 1, max: 60 })), (bytes, sizes) => {
            // The reader is given what was unzipped; whoever calls `parseSitemap` need not have done that.
            fc.pre(!(bytes[0] === 0x1f && bytes[1] === 0x8b));
            for (const body of [bytes, Buffer.concat([Buffer.from(PADDING), bytes])])
              assert.deepEqual(readInPieces(body, sizes), parseSitemap(body, url));
          }),
        ),
      },
      {
        name: "good",
        property: claim(
          fc.property(goodSitemap, fc.boolean(), ({ text, urls }, zip) => {
            const { error, ...found } = parseSitemap(zip ? gzipSync(text) : Buffer.from(text), url);
            assert.equal(error, undefined);
            assert.deepEqual(found.urls, distinct(urls.map((link) => canonicalize(link)!)));
          }),
        ),
      },
      {
        name: "any-bytes",
        property: claim(
          fc.property(document, fc.boolean(), fc.nat(), fc.nat(), (bytes, zip, cut, flip) => {
            const body = Buffer.from(zip ? gzipSync(bytes) : bytes);
            if (body.length > 0) body[flip % body.length]! ^= 1 << (flip & 7);
            const { urls, sitemaps } = parseSitemap(body.subarray(0, 10 + (cut % 500)), url);
            for (const link of [...urls, ...sitemaps]) assert.equal(canonicalize(link), link);
            assert.equal(new Set(urls).size, urls.length);
          }),
        ),
      },
      {
        name: "stream",
        slow: true,
        property: claim(
          fc.asyncProperty(
            document,
            fc.constantFrom(...CODINGS),
            fc.boolean(),
            fc.integer({ min: 1, max: 5000 }),
            async (bytes, [coding, code], zip, pieceBytes) => {
              // Of a broken file the two read the good beginning to within a piece of each other.
              fc.pre(!(bytes[0] === 0x1f && bytes[1] === 0x8b));
              const file = zip ? gzipSync(bytes) : Buffer.from(bytes);
              const { listed, flag } = await readStream(code(file), coding, pieceBytes);
              assert.deepEqual(listed, parseSitemap(file, url));
              assert.equal(flag, undefined);
            },
          ),
        ),
      },
      {
        name: "damaged-stream",
        slow: true,
        property: claim(
          fc.asyncProperty(
            sitemapText,
            fc.constantFrom(...CODINGS),
            fc.nat(),
            fc.nat(),
            async (text, [coding, code], cut, flip) => {
              const body = code(gzipSync(text));
              body[flip % body.length]! ^= 1 << (flip & 7);
              const part = body.subarray(0, 1 + (cut % (2 * body.length)));
              const { listed } = await readStream(part, coding, 1 + (cut % 100));
              for (const link of listed.urls) assert.equal(canonicalize(link), link);
            },
          ),
        ),
      },
      {
        name: "link-header",
        quick: true,
        property: claim(
          fc.property(
            fc.string({ unit: fc.constantFrom(...'<>;,="\\ aré/'.split("")) }),
            (value) => {
              for (const { target } of parseLinkHeader(value, url))
                assert.ok(value.includes(target));
            },
          ),
        ),
      },
      {
        name: "linear",
        timed: true,
        property: linear(sitemapText, (text) => parseSitemap(Buffer.from(text), url), {
          characters: 500_000,
          cpuMs: 2000,
        }),
      },
    ],
  }),
};
