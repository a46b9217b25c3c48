import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { Expected, Family, HostileCase } from "../case.ts";
import { bytes, headOf, headThen, once, pour, raw } from "../reply.ts";

const MIB = 1024 * 1024;
const HTML = "text/html; charset=utf-8";
const CUT: Expected = { outcome: "page", error: "body_too_large", truncated: "length" };

function brotli(body: Buffer): Buffer {
  const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_QUALITY: quality } = constants;
  return brotliCompressSync(body, { params: { [window]: 24, [quality]: 4 } });
}

function bomb(
  row: string,
  name: string,
  serves: string,
  coding: string,
  make: () => Buffer,
): HostileCase {
  const made = once(make);
  return {
    row,
    name,
    serves,
    // Received and stored whole; only the rest of what it decodes to is not read.
    expected: [{ outcome: "page", error: "body_too_large" }],
    pages: { "/": bytes(made, { "Content-Encoding": coding }) },
  };
}

const filler = Buffer.alloc(65_536, "<p>and so on</p>\n");

const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * MIB);

/** R1, R2 and R16: small bodies that become large, and large ones that are not what they claim to be. */
export const bombs: Family = () => [
  bomb("R1", "gzip", "256 MiB of zeros as 256 KiB of gzip", "gzip", () => gzipSync(zeros(256))),
  bomb("R1", "deflate", "256 MiB of zeros, deflated", "deflate", () => deflateSync(zeros(256))),
  bomb("R1", "raw-deflate", "the same without the zlib wrapper", "deflate", () =>
    deflateRawSync(zeros(64)),
  ),
  bomb("R1", "ratio", "8 MiB of zeros: below the size limit, far above 200:1", "gzip", () =>
    gzipSync(zeros(8)),
  ),
  bomb("R1", "twice", "64 MiB of zeros, gzipped twice", "gzip, gzip", () =>
    gzipSync(gzipSync(zeros(64))),
  ),
  bomb("R1", "members", "200 gzip members of 1 MiB each", "x-gzip", () => {
    const member = gzipSync(zeros(1));
    return Buffer.concat(Array.from({ length: 200 }, () => member));
  }),
  {
    row: "R1",
    name: "endless",
    serves: "a page without a coding and without an end",
    expected: [CUT],
    pages: {
      "/": headThen({ "Content-Type": HTML, Connection: "close" }, (socket) =>
        pour(socket, () => filler),
      ),
    },
  },
  {
    row: "R1",
    name: "length",
    serves: "a Content-Length of 8 EiB, and bytes to go with it",
    expected: [CUT],
    pages: {
      "/": headThen({ "Content-Type": HTML, "Content-Length": "9223372036854775807" }, (socket) =>
        pour(socket, () => filler),
      ),
    },
  },
  bomb("R2", "brotli", "256 MiB of zeros in about 200 bytes", "br", () => brotli(zeros(256))),
  bomb("R2", "brotli-in-gzip", "the same, gzipped", "br, gzip", () => gzipSync(brotli(zeros(256)))),
  bomb("R2", "text", "64 MiB of the same link", "br", () =>
    brotli(Buffer.alloc(64 * MIB, '<a href="/same">x</a>\n')),
  ),
  ...[
    { name: "video", type: "a video", start: "\0\0\0\x18ftypisom", limit: true },
    { name: "webm", type: "a WebM video", start: "\x1aE\xdf\xa3", limit: true },
    { name: "zip", type: "a zip file", start: "PK\x03\x04", limit: false },
    { name: "gzip-file", type: "a gzip file", start: "\x1f\x8b\x08\0", limit: false },
    { name: "picture", type: "a picture", start: "\x89PNG\r\n\x1a\n", limit: false },
    { name: "program", type: "a program", start: "\x7fELF", limit: false },
  ].map(
    ({ name, type, start, limit }): HostileCase => ({
      row: "R16",
      name,
      serves: `${type} of ${limit ? "100 MB" : "64 KiB"} under the name of HTML, links inside`,
      expected: [
        limit
          ? { outcome: "page", error: ["body_too_large", "not_html"], truncated: "length" }
          : { outcome: "page", error: "not_html" },
        { at: "/inside", outcome: "absent" },
      ],
      pages: {
        "/": ({ socket }) => {
          const size = limit ? 100_000_000 : 65_536;
          socket.write(headOf(200, { "Content-Type": HTML, "Content-Length": size }));
          const first = Buffer.concat([
            Buffer.from(`${start}<a href=/inside>x</a>`, "latin1"),
            randomBytes(65_536),
          ]).subarray(0, 65_536);
          pour(socket, () => first, Math.ceil(size / first.length));
        },
      },
    }),
  ),
  {
    row: "R16",
    name: "zip-of-zips",
    serves: "a gzip file inside gzip, announced as one coding",
    expected: [
      { outcome: "page", error: "not_html" },
      { at: "/inside", outcome: "absent" },
    ],
    pages: {
      "/": bytes(gzipSync(gzipSync("<a href=/inside>x</a>")), { "Content-Encoding": "gzip" }),
    },
  },
];

const cut = (body: Buffer, share: number) => body.subarray(0, Math.floor(body.length * share));

const CODED = "<!doctype html><title>decoded</title><p>good beginning</p>";

/** R3 and R4: codings that are too many, unknown or damaged. */
export const codings: Family = () => {
  const damaged = (name: string, serves: string, body: () => Buffer, coding = "gzip") =>
    ({
      row: "R4",
      name,
      serves,
      expected: [{ outcome: "page", error: "encoding_error", title: "decoded" }],
      pages: { "/": bytes(body, { "Content-Encoding": coding }) },
    }) satisfies HostileCase;
  const long = `${CODED}${"<p>words, many words</p>".repeat(2000)}${randomBytes(20_000).toString("hex")}`;
  const broken = (change: (body: Buffer) => void) => {
    const body = gzipSync(long);
    change(body);
    return body;
  };
  return [
    {
      row: "R3",
      name: "three",
      serves: "three codings",
      expected: [{ outcome: "page", error: "bad_encoding" }],
      pages: {
        "/": bytes(() => gzipSync(gzipSync(gzipSync(CODED))), {
          "Content-Encoding": "gzip, gzip, gzip",
        }),
      },
    },
    {
      row: "R3",
      name: "three-lines",
      serves: "three codings on three lines",
      expected: [{ outcome: "page", error: "bad_encoding" }],
      pages: {
        "/": raw(
          `HTTP/1.1 200 OK\r\nContent-Type: ${HTML}\r\nContent-Length: 2\r\n${"Content-Encoding: gzip\r\n".repeat(3)}\r\nhi`,
        ),
      },
    },
    {
      row: "R3",
      name: "five-thousand",
      serves: "Content-Encoding: gzip, five thousand times in one line",
      expected: [{ outcome: "failed", error: "bad_encoding" }],
      pages: {
        "/": raw(
          `HTTP/1.1 200 OK\r\nContent-Type: ${HTML}\r\nContent-Length: 2\r\nContent-Encoding: ${Array(5000).fill("gzip").join(", ")}\r\n\r\nhi`,
        ),
      },
    },
    {
      row: "R3",
      name: "five-thousand-lines",
      serves: "Content-Encoding: gzip, five thousand lines",
      expected: [{ outcome: "failed", error: "bad_encoding" }],
      pages: {
        "/": raw(
          `HTTP/1.1 200 OK\r\nContent-Type: ${HTML}\r\nContent-Length: 2\r\n${"Content-Encoding: gzip\r\n".repeat(5000)}\r\nhi`,
        ),
      },
    },
    {
      row: "R3",
      name: "unknown",
      serves: "a coding nobody asked for",
      expected: [{ outcome: "page", error: "bad_encoding" }],
      pages: { "/": bytes(CODED, { "Content-Encoding": "rot13" }) },
    },
    damaged("trailing", "gzip with garbage behind its end", () =>
      Buffer.concat([gzipSync(long), randomBytes(1000)]),
    ),
    damaged("truncated", "gzip that stops in the middle", () => cut(gzipSync(long), 0.5)),
    damaged("wrong-crc", "gzip with a wrong checksum", () =>
      broken((body) => body.writeUInt32LE(0xdeadbeef, body.length - 8)),
    ),
    damaged("wrong-length", "gzip with a wrong length", () =>
      broken((body) => body.writeUInt32LE(1, body.length - 4)),
    ),
    damaged("flipped", "gzip with damaged bytes in its second half", () =>
      broken((body) =>
        body.fill(0xff, Math.floor(body.length * 0.7), Math.floor(body.length * 0.8)),
      ),
    ),
    damaged("not-gzip", "plain HTML announced as gzip", () => Buffer.from(CODED)),
    damaged(
      "brotli-cut",
      "brotli that stops in the middle",
      () => cut(brotli(Buffer.from(long)), 0.8),
      "br",
    ),
  ];
};
