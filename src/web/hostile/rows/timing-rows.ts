import type { Socket } from "node:net";
import type { Expected, Family, HostileCase, Serve } from "../case.ts";
import { drip, type Headers, headOf, headThen, page, respond } from "../reply.ts";

const SLOW: Expected = { outcome: "page", error: "too_slow", truncated: "time" };
const RATE_SECONDS = [14.5, 17] as const;
const HEAD_SECONDS = [19.5, 21.5] as const;

const LONG: Headers = { "Content-Length": 100_000 };
const CHUNKED: Headers = { "Transfer-Encoding": "chunked" };

/** R7 to R9: servers that are slow, or close the connection. */
export const slowness: Family = () => {
  const body = (
    name: string,
    serves: string,
    headers: Headers,
    run: (socket: Socket) => void,
  ): HostileCase => ({
    row: "R7",
    name,
    serves,
    slow: true,
    expected: [SLOW],
    closes: true,
    seconds: RATE_SECONDS,
    pages: { "/": headThen(headers, run) },
  });
  const head = (name: string, serves: string, run: Serve): HostileCase => ({
    row: "R8",
    name,
    serves,
    slow: true,
    expected: [{ outcome: "failed", error: "header_timeout" }],
    closes: true,
    seconds: HEAD_SECONDS,
    requests: 3,
    pages: { "/": run },
  });
  const gone = (name: string, serves: string, run: Serve): HostileCase => ({
    row: "R9",
    name,
    serves,
    expected: [{ outcome: "failed", error: "reset" }],
    requests: 3,
    pages: { "/": run },
  });
  return [
    body("drip", "one byte of body per 5 s", LONG, (socket) => drip(socket, 5000, () => "x")),
    body("drip-chunks", "one chunk of one byte per 5 s", CHUNKED, (socket) =>
      drip(socket, 5000, () => "1\r\nx\r\n"),
    ),
    body(
      "drip-until-close",
      "the same, until the connection ends",
      { Connection: "close" },
      (socket) => drip(socket, 5000, () => "x"),
    ),
    body("silence", "a head, and then nothing", LONG, () => {}),
    body("below-rate", "100 bytes per second", LONG, (socket) =>
      drip(socket, 1000, () => "x".repeat(100)),
    ),
    head("drip", "one byte of head per second", ({ socket }) => {
      const text = headOf(200, { "Content-Type": "text/html", "Content-Length": 5 });
      drip(socket, 1000, (n) => text[n] ?? "x");
    }),
    head("endless-fields", "one header line per second, for ever", ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      drip(socket, 1000, (n) => `X-${n}: y\r\n`);
    }),
    head("interim", "one 103 per two seconds, and never a response", ({ socket }) =>
      drip(socket, 2000, () => "HTTP/1.1 103 Early Hints\r\n\r\n"),
    ),
    {
      row: "R9",
      name: "silence",
      serves: "a connection that is never answered",
      slow: true,
      expected: [{ outcome: "failed", error: "first_byte_timeout" }],
      seconds: HEAD_SECONDS,
      closes: true,
      requests: 3,
      pages: { "/": () => {} },
    },
    gone("rst", "a reset instead of an answer", ({ socket }) => socket.resetAndDestroy()),
    gone("half-close", "the end of the connection instead of an answer", ({ socket }) =>
      socket.end(),
    ),
    gone("half-head", "a reset in the middle of the head", ({ socket }) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-", () =>
        setTimeout(() => socket.resetAndDestroy(), 20),
      ),
    ),
    {
      row: "R9",
      name: "rst-on-accept",
      serves: "a reset as soon as somebody connects",
      expected: [{ outcome: "failed", error: "reset" }],
      onConnect: (socket) => void socket.resetAndDestroy(),
      pages: { "/": page() },
    },
    {
      row: "R9",
      name: "rst-in-body",
      serves: "a reset in the middle of the body",
      expected: [{ outcome: "page", error: "disconnect", truncated: "disconnect" }],
      pages: {
        "/": headThen({ "Content-Length": 1000 }, (socket) =>
          socket.write("<p>half", () => setTimeout(() => socket.resetAndDestroy(), 20)),
        ),
      },
    },
    {
      row: "R9",
      name: "second-time",
      serves: "a reset, then a page",
      expected: [{ outcome: "page" }],
      requests: 2,
      pages: {
        "/": (visit) => (visit.before === 0 ? visit.socket.resetAndDestroy() : page()(visit)),
      },
    },
  ];
};

/** R18: servers that ask to be retried later. */
export const busy: Family = () => {
  const asks = (
    name: string,
    serves: string,
    status: number,
    retryAfter: string,
    expected: Expected,
    requests: number,
  ): HostileCase => ({
    row: "R18",
    name,
    serves,
    expected: [expected],
    requests,
    pages: {
      "/": (visit) => respond(visit, status, { "Retry-After": retryAfter }, "not now"),
    },
  });
  const waits: Expected = { outcome: "unavailable", error: "host_unavailable" };
  const past = "Sun, 06 Nov 1994 08:49:37 GMT";
  const far = "Fri, 31 Dec 9999 23:59:59 GMT";
  const gaveUp = (status: number): Expected => ({ outcome: "failed", error: `http_${status}` });
  return [
    asks("long", "503, Retry-After: 999999999", 503, "999999999", waits, 1),
    asks("long-429", "429, Retry-After: 999999999", 429, "999999999", waits, 1),
    asks("longer", "503, Retry-After with 400 digits", 503, "9".repeat(400), waits, 1),
    asks("far-date", "503, Retry-After: a date in the year 9999", 503, far, waits, 1),
    asks("negative", "503, Retry-After: -5", 503, "-5", gaveUp(503), 3),
    asks("past-date", "429, Retry-After: a date in 1994", 429, past, gaveUp(429), 3),
    asks("nonsense", "503, Retry-After: soon", 503, "soon", gaveUp(503), 3),
    asks("fraction", "503, Retry-After: 1e9", 503, "1e9", gaveUp(503), 3),
  ];
};
