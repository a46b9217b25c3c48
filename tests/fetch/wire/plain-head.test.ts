import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../../src/fetch/limits.ts";
import { HEAD_FACTS, ResponseHead } from "../../../src/fetch/response-head.ts";
import { framingOf } from "../../../src/fetch/wire/framing.ts";
import { HeadScanner } from "../../../src/fetch/wire/head-scanner.ts";
import { PlainHead } from "../../../src/fetch/wire/plain-head.ts";

const { maxHeadBytes, maxHeadLines } = DEFAULT_LIMITS;
const plain = new PlainHead(maxHeadBytes, maxHeadLines);

/** What the plain way reads; undefined when it leaves the head to the reader. */
function readPlainly(stream: string) {
  // What is behind the piece is left over from others.
  const bytes = Buffer.from(`${stream}\r\n\r\nContent-Length: 1`, "latin1");
  const length = plain.read(bytes, stream.length);
  if (length === 0) return undefined;
  const { bodyBytes, persistent } = plain;
  const framing =
    bodyBytes < 0
      ? { kind: "chunked", persistent }
      : { kind: "length", bytes: bodyBytes, persistent };
  return { length, framing, head: new ResponseHead(plain, bytes, length) };
}

/** The same, as the reader decides it. */
function readLeniently(stream: string) {
  const bytes = Buffer.from(stream, "latin1");
  const scanner = new HeadScanner(maxHeadBytes, maxHeadLines);
  const length = scanner.scan(bytes, 0, bytes.length);
  const head = length > 0 ? ResponseHead.parse(stream.slice(scanner.headStart, length)) : undefined;
  return head && { length, framing: framingOf(head), head };
}

const NAMES = [...HEAD_FACTS, "date", "x", "etag", "content-lengths", "cookie"];

/** Everything that can be asked of a head. */
function told(head: ResponseHead) {
  return {
    text: head.text,
    bytes: head.bytes.toString("latin1"),
    status: head.status,
    version: head.version,
    reason: head.reason,
    location: head.location,
    type: head.contentType,
    coding: head.contentCoding,
    length: head.length,
    values: NAMES.map((name) => [
      head.get(name),
      head.joined(name),
      head.all(name),
      head.find(name),
    ]),
    lines: [...head.lines()],
  };
}

/** True when it was read plainly; what that says must be what the reader says. */
function isSame(stream: string): boolean {
  const read = readPlainly(stream);
  if (read === undefined) return false;
  const reference = readLeniently(stream)!;
  assert.deepEqual([read.length, read.framing], [reference.length, reference.framing], stream);
  // Asked in both orders: once all lines are read they are read from the text.
  assert.deepEqual(told(read.head), told(reference.head), stream);
  const again = readPlainly(stream)!.head;
  again.keep();
  assert.deepEqual(told(again), told(reference.head), stream);
  return true;
}

const LENGTH = "Content-Length: 5\r\n";
const ok = (lines: string, status = "200 OK") => `HTTP/1.1 ${status}\r\n${lines}\r\nhello`;

test("heads that servers send are read plainly", () => {
  const nginx =
    "Server: nginx/1.22.1\r\nDate: Wed, 18 Nov 2026 20:22:23 GMT\r\nContent-Type: text/html; charset=utf-8\r\n" +
    'Content-Length: 5\r\nLast-Modified: x\r\nConnection: keep-alive\r\nETag: "6af"\r\nContent-Encoding: gzip\r\n';
  for (const stream of [
    ok(nginx),
    ok(LENGTH),
    ok("content-length:5\r\nCONTENT-TYPE:  \ttext/html \t\r\nX-Empty:\r\n"),
    ok("Transfer-Encoding: Chunked\r\nConnection: Close\r\n"),
    ok(
      `${LENGTH}Location: /next\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nLink: <x>\r\nLink: <y>\r\n`,
      "301 ",
    ),
    ok(`${LENGTH}Retry-After: 7\r\nX-Robots-Tag: none\r\nTDM-Reservation: 1\r\n`, "503 Not now"),
    ok(`${LENGTH}X: \xe9\x7f\r\n`, "404 Nicht da \xfc"),
  ])
    assert.ok(isSame(stream), stream);
});

test("whatever takes a rule of leniency, or is not all there, is left to the reader", () => {
  const many = "X: y\r\n".repeat(maxHeadLines);
  for (const stream of [
    ok(LENGTH).replaceAll("\r\n", "\n"),
    ok(LENGTH, "200"),
    ok(LENGTH, "2000 OK"),
    ok(LENGTH, "204 None"),
    ok(LENGTH, "304 Same"),
    ok(LENGTH, "101 Switch"),
    ok(LENGTH).replace("1.1", "1.0"),
    ok(LENGTH).replace("HTTP", "http"),
    `\r\n${ok(LENGTH)}`,
    ok(""),
    ok(`${LENGTH}${LENGTH}`),
    ok(`${LENGTH}Transfer-Encoding: chunked\r\n`),
    ok("Transfer-Encoding: gzip, chunked\r\n"),
    ok("Content-Length: 5, 5\r\n"),
    ok("Content-Length: -1\r\n"),
    ok("Content-Length:\r\n"),
    ok("Content-Length: 0000000000000005\r\n"),
    ok(`${LENGTH}Connection: keep-alive, x\r\n`),
    ok(`${LENGTH} folded\r\n`),
    ok(`${LENGTH}X : y\r\n`),
    ok(`${LENGTH}no colon\r\n`),
    ok(`${LENGTH}: no name\r\n`),
    ok(`${LENGTH}X: a\rb\r\n`),
    ok(`${LENGTH}X: a\0b\r\n`),
    ok(`${LENGTH}Content-Type: a\r\nContent-Type: b\r\n`),
    ok(`${LENGTH}X: ${"x".repeat(maxHeadBytes)}\r\n`),
    ok(`${LENGTH}${many}`),
  ])
    assert.equal(readPlainly(stream), undefined, stream);
  const whole = ok(LENGTH).slice(0, -"hello".length);
  assert.ok(isSame(whole));
  for (let end = 0; end < whole.length; end++)
    assert.equal(readPlainly(whole.slice(0, end)), undefined);
});

test("as many lines and bytes as the reader accepts, and no more", () => {
  const lines = (count: number) => ok(`${LENGTH}${"X: y\r\n".repeat(count - 1)}`);
  assert.ok(isSame(lines(maxHeadLines)));
  assert.equal(readPlainly(lines(maxHeadLines + 1)), undefined);
  assert.equal(readLeniently(lines(maxHeadLines + 1)), undefined);
});

test("made-up heads mean what the reader says", () => {
  const name = fc.constantFrom(
    ...NAMES,
    "Content-Length",
    "Content\rLength",
    "Content-Length ",
    "",
  );
  const value = fc.oneof(
    fc.constantFrom("5", "0", "close", "Keep-Alive", "chunked", "gzip", "", "a, b", " 7 ", "\t"),
    fc.string({ unit: "binary", maxLength: 8 }).map((text) => text.replace(/[^\0-\xff]/g, "?")),
  );
  const end = fc.constantFrom("\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\n ");
  const line = fc
    .tuple(name, fc.constantFrom(":", ": ", " :"), value, end)
    .map((parts) => parts.join(""));
  const status = fc.constantFrom("200 OK", "404 ", "301 x", "204 x", "100 c", "99 x", "200");
  let plainly = 0;
  fc.assert(
    fc.property(status, fc.array(line, { maxLength: 4 }), fc.boolean(), (first, lines, framed) => {
      if (isSame(ok((framed ? LENGTH : "") + lines.join(""), first))) plainly++;
    }),
    { seed: 1, numRuns: 2000 },
  );
  assert.ok(plainly > 100, `${plainly}`);
});

test("a value that was the same last time is the same string, and another one is not", () => {
  const typeOf = (type: string) => readPlainly(ok(`${LENGTH}Content-Type: ${type}\r\n`))!.head;
  for (const type of ["text/html", "text/html", "text/htmk", "text/htm", "text/htmll", ""])
    assert.equal(typeOf(type).get("content-type"), type);
});
