import type { Expected, Family, HostileCase } from "../case.ts";
import { drip, headThen, page, pour, raw, rawThenEnd } from "../reply.ts";

const TYPE = "Content-Type: text/html\r\n";
const BODY = "<title>body</title>";
const BAD: Expected = { outcome: "failed", error: "bad_response" };
const CHUNKED = `HTTP/1.1 200 OK\r\n${TYPE}Transfer-Encoding: chunked\r\n\r\n`;
const FILLER = Buffer.alloc(0x10000, "x");
const BIG_CHUNK = Buffer.concat([Buffer.from("10000\r\n"), FILLER, Buffer.from("\r\n")]);
const TINY_CHUNKS = Buffer.from("1\r\nx\r\n".repeat(10_000));

function bad(row: string, name: string, serves: string, ...pieces: string[]): HostileCase {
  return { row, name, serves, expected: [BAD], closes: true, pages: { "/": raw(pieces.join("")) } };
}

/** R5 and R6: bodies that are not as long as announced. */
export const lengths: Family = () => {
  const head = (lines: string) => `HTTP/1.1 200 OK\r\n${TYPE}${lines}\r\n`;
  const fine = (name: string, serves: string, ...pieces: string[]): HostileCase => ({
    row: "R5",
    name,
    serves,
    expected: [{ outcome: "page", title: "body" }],
    pages: { "/": rawThenEnd(pieces.join("")) },
  });
  const endless = (
    name: string,
    serves: string,
    expected: Expected,
    run: (write: Parameters<NonNullable<HostileCase["pages"]>[string]>[0]["socket"]) => void,
    rest: Partial<HostileCase> = {},
  ): HostileCase => ({
    row: "R6",
    name,
    serves,
    expected: [expected],
    closes: true,
    ...rest,
    pages: {
      "/": ({ socket }) => {
        socket.write(CHUNKED);
        run(socket);
      },
    },
  });
  const cut: Expected = { outcome: "page", error: "body_too_large", truncated: "length" };
  const late: Expected = { outcome: "page", error: "total_timeout", truncated: "time" };
  return [
    {
      row: "R5",
      name: "larger",
      serves: "a Content-Length larger than the body",
      expected: [{ outcome: "page", error: "disconnect", truncated: "disconnect", title: "body" }],
      closes: true,
      pages: { "/": rawThenEnd(head("Content-Length: 1000\r\n"), BODY) },
    },
    bad(
      "R5",
      "smaller",
      "a Content-Length smaller than the body",
      head("Content-Length: 3\r\n"),
      BODY,
    ),
    bad("R5", "zero", "a Content-Length of 0 and a body", head("Content-Length: 0\r\n"), BODY),
    bad("R5", "negative", "a negative Content-Length", head("Content-Length: -1\r\n"), BODY),
    bad(
      "R5",
      "two",
      "two different Content-Length",
      head("Content-Length: 19\r\nContent-Length: 3\r\n"),
      BODY,
    ),
    bad(
      "R5",
      "two-in-one",
      "two different lengths in one line",
      head("Content-Length: 19, 3\r\n"),
      BODY,
    ),
    bad(
      "R5",
      "with-chunked",
      "Content-Length together with chunks",
      head("Content-Length: 19\r\nTransfer-Encoding: chunked\r\n"),
      `13\r\n${BODY}\r\n0\r\n\r\n`,
    ),
    bad(
      "R5",
      "unknown-coding",
      "a transfer coding nobody asked for",
      head("Transfer-Encoding: gzip, chunked\r\n"),
      BODY,
    ),
    fine(
      "two-equal",
      "the same Content-Length twice",
      head("Content-Length: 19\r\nContent-Length: 19\r\n"),
      BODY,
    ),
    fine("no-number", "a Content-Length that is no number", head("Content-Length: many\r\n"), BODY),
    endless("endless", "chunks for ever", cut, (socket) => pour(socket, () => BIG_CHUNK)),
    endless("huge-chunk", "a chunk of FFFFFFFFFFFFFFFF bytes, sent", cut, (socket) => {
      socket.write("FFFFFFFFFFFFFFFF\r\n");
      pour(socket, () => FILLER);
    }),
    endless(
      "huge-chunk-silence",
      "a chunk of FFFFFFFFFFFFFFFF bytes, announced",
      { outcome: "page", error: "too_slow", truncated: "time" },
      (socket) => void socket.write("FFFFFFFFFFFFFFFF\r\n"),
      { slow: true, seconds: [14, 17] },
    ),
    endless(
      "tiny-chunks",
      "chunks of one byte for ever",
      { outcome: "page", error: ["body_too_large", "total_timeout"] },
      (socket) => pour(socket, () => TINY_CHUNKS),
      { slow: true },
    ),
    endless(
      "slow-chunks",
      "1 KiB per second for ever: fast enough, and without an end",
      late,
      (socket) => drip(socket, 1000, () => `400\r\n${"x".repeat(0x400)}\r\n`),
      { slow: true, seconds: [59, 62] },
    ),
    {
      row: "R6",
      name: "slow-identity",
      serves: "the same without chunks",
      slow: true,
      expected: [late],
      closes: true,
      seconds: [59, 62],
      pages: {
        "/": headThen({ "Content-Length": 1e12 }, (socket) =>
          drip(socket, 1000, () => "y".repeat(1024)),
        ),
      },
    },
    endless("extension", "a chunk extension without an end", BAD, (socket) => {
      socket.write("5;");
      pour(socket, () => "x=y;".repeat(1000));
    }),
    endless("trailers", "trailers without an end", BAD, (socket) => {
      socket.write("0\r\n");
      pour(socket, (n) => `X-${n}: y\r\n`.repeat(100));
    }),
    endless(
      "no-size",
      "a chunk whose size is no number",
      BAD,
      (socket) => void socket.write("zz\r\nhi\r\n"),
    ),
    endless(
      "negative-size",
      "a chunk of -1 bytes",
      BAD,
      (socket) => void socket.write("-1\r\nhi\r\n"),
    ),
    endless("zeros", "a chunk size of leading zeros", BAD, (socket) =>
      pour(socket, () => "0".repeat(10_000)),
    ),
  ];
};

const OK = (title: string) => {
  const text = `<title>${title}</title>`;
  return `HTTP/1.1 200 OK\r\n${TYPE}Content-Length: ${text.length}\r\n\r\n${text}`;
};

/** R13 to R15: no valid response, or more than one. */
export const answers: Family = () => {
  const early = (n: number) =>
    "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n".repeat(n);
  const next: Expected = { at: "/next", outcome: "page", title: "/next" };
  const more = '<a href="/next">x</a>';
  return [
    bad("R13", "flood", "10,000 times 103", early(10_000), OK("late")),
    bad("R13", "seventeen", "17 times 103, one more than allowed", early(17), OK("late")),
    bad(
      "R13",
      "continue",
      "10,000 times 100 Continue",
      "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000),
    ),
    {
      row: "R13",
      name: "sixteen",
      serves: "16 times 103, then a page",
      expected: [{ outcome: "page", title: "body" }],
      pages: { "/": raw(early(16), OK("body")) },
    },
    bad(
      "R14",
      "switching",
      "101 Switching Protocols",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nsecret",
    ),
    bad(
      "R14",
      "no-content",
      "204 with a body",
      "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
    ),
    bad(
      "R14",
      "no-content-surprise",
      "204 and bytes behind it",
      "HTTP/1.1 204 No Content\r\n\r\nhello",
    ),
    bad("R14", "not-modified", "304 that nobody asked for", "HTTP/1.1 304 Not Modified\r\n\r\n"),
    bad("R14", "status-999", "status 999", `HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n`),
    bad("R14", "status-600", "status 600", `HTTP/1.1 600 What\r\nContent-Length: 0\r\n\r\n`),
    bad("R14", "status-000", "status 000", `HTTP/1.1 000 What\r\nContent-Length: 0\r\n\r\n`),
    bad("R14", "status-2000", "status 2000", `HTTP/1.1 2000 What\r\nContent-Length: 0\r\n\r\n`),
    bad("R14", "http-09", "HTTP/0.9: a page without a head", "<html><title>old</title></html>\r\n"),
    bad("R14", "banner", "the greeting of a mail server", "220 mail.hostile.test ESMTP\r\n"),
    bad(
      "R14",
      "nul",
      "a NUL in the head",
      "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n",
    ),
    bad("R15", "two-at-once", "two responses in one piece", OK("first"), OK("smuggled")),
    {
      row: "R15",
      name: "second-late",
      apart: true,
      serves: "a second response shortly after the first",
      // The second may arrive with the first, or after it; no other URL may get it.
      expected: [{ outcome: "page" }, next],
      pages: {
        "/": page('<a href="/two">x</a><a href="/next">y</a>'),
        "/two": (visit) => {
          page()(visit);
          setTimeout(() => visit.socket.write(OK("smuggled")), 20);
        },
        "/next": page(),
      },
    },
    {
      row: "R15",
      name: "inside",
      serves: "a second response hidden behind chunks",
      expected: [BAD],
      closes: true,
      pages: { "/": raw(CHUNKED, `13\r\n${BODY}\r\n0\r\n\r\n`, OK("smuggled")) },
    },
    unasked(next, more),
  ];
};

/** Only the first connection misbehaves: it carries robots.txt, and its real answer must not reach the page. */
function unasked(next: Expected, more: string): HostileCase {
  let connections = 0;
  return {
    row: "R15",
    name: "before",
    serves: "a response before the first request, and the real one after it",
    // A client that sends its next request before the real answer has come cannot tell them apart: it needs a pause.
    apart: true,
    expected: [{ outcome: "page", title: "/" }, next],
    onConnect: (socket) => {
      if (connections++ === 0) socket.write(OK("unasked"));
    },
    pages: { "/": page(more), "/next": page() },
  };
}
