import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../../src/fetch/limits.ts";
import { ResponseHead } from "../../../src/fetch/response-head.ts";
import { type ReaderOptions, ResponseReader } from "../../../src/fetch/wire/response-reader.ts";
import { conformanceJson, noConformance } from "../../support/conformance.ts";

const OPTIONS: ReaderOptions = {
  limits: DEFAULT_LIMITS,
  maxBodyBytes: 1000,
  conditional: false,
  accept: undefined,
};

/** Feeds the bytes cut at the given places, then the end of the connection, and tells everything that came out. */
function read(bytes: string | Buffer, cuts: readonly number[] = [], options = OPTIONS) {
  const stream = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
  const reader = new ResponseReader(options);
  const ends = [...cuts.filter((cut) => cut < stream.length), stream.length].sort((a, b) => a - b);
  // The receive buffer is shared and overwritten, as on real connections.
  const receive = Buffer.alloc(stream.length + 1);
  let at = 0;
  for (const end of ends) {
    if (reader.done) break;
    receive.fill(0xee);
    stream.copy(receive, 0, at, end);
    reader.push(receive, end - at);
    at = end;
  }
  reader.end(true, "closed");
  return {
    error: reader.error,
    message: reader.message,
    head: reader.head?.text,
    body: reader.takeBody().toString("latin1"),
    truncated: reader.truncated,
    flag: reader.flag,
    reusable: reader.reusable,
  };
}

const page = (headers: string, body: string, status = "HTTP/1.1 200 OK") =>
  `${status}\r\n${headers}\r\n${body}`;

const everyCut = (length: number) => Array.from({ length }, (_, i) => i + 1);

test("a body ends by its length, its chunks or the connection", () => {
  assert.equal(read(page("Content-Length: 5\r\n", "hello")).body, "hello");
  const chunked = "Transfer-Encoding: chunked\r\n";
  assert.equal(read(page(chunked, "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: 1\r\n\r\n")).body, "hello");
  const open = read(page("", "hello"));
  assert.deepEqual([open.body, open.truncated, open.reusable], ["hello", undefined, false]);
});

test("only a complete, persistent response leaves a reusable connection", () => {
  const length = "Content-Length: 2\r\n";
  assert.equal(read(page(length, "ok")).reusable, true);
  assert.equal(read(page(`${length}Connection: Close\r\n`, "ok")).reusable, false);
  assert.equal(read(page(`${length}Connection: foo, close\r\n`, "ok")).reusable, false);
  assert.equal(read(page(length, "ok", "HTTP/1.0 200 OK")).reusable, false);
  assert.equal(
    read(page(`${length}Connection: keep-alive\r\n`, "ok", "HTTP/1.0 200 OK")).reusable,
    true,
  );
  assert.equal(read(page(length, "o")).reusable, false);
  const twice = "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n";
  const doubled = read(page(twice, "1\r\na\r\n0\r\n\r\n"));
  assert.deepEqual([doubled.body, doubled.reusable], ["a", false]);
});

test("is as lenient as browsers where that is safe", () => {
  const bodies = [
    "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", // bare LF
    "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", // no reason phrase
    "http/1.1 200 OK\r\ncontent-length:2\r\n\r\nok", // letter case, no space
    "\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", // line ends left over
    "HTTP/1.1  200   Fine  \r\nContent-Length \t:  2  \r\n\r\nok", // white space
    "HTTP/1.1 200 OK\r\nno colon here\r\n: no name\r\nCont\xe9nt@: \xff\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\n Content-Length: 9\r\nContent-Length: 2\r\n\r\nok", // white space before the first field
    "HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok", // folded
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2  \nok\n0\n\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n", // line end after the body
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nok", // 1.0 knows no chunks
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n", // closed before the last line end
  ];
  for (const bytes of bodies) {
    const { error, body, truncated } = read(bytes);
    assert.deepEqual([error, body, truncated], [undefined, "ok", undefined], JSON.stringify(bytes));
  }
});

test("refuses what cannot be trusted (HOSTILE R5, R13, R14, R15)", () => {
  const chunked = "Transfer-Encoding: chunked\r\n";
  const refused = [
    page("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"),
    page("Content-Length: 5, 6\r\n", "hello!"),
    page("Content-Length: -1\r\n", "hello"),
    page(`Content-Length: 5\r\n${chunked}`, "5\r\nhello\r\n0\r\n\r\n"),
    page("Content-Length: 5\r\n", "hello and more"),
    page("Content-Length: 5\r\n", `hello${page("Content-Length: 3\r\n", "bad")}`),
    page(chunked, "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
    page("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
    page("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
    page(chunked, "x\r\n"),
    page(chunked, "\r\n"),
    page(chunked, "2\r\nokX"),
    page(chunked, "-2\r\nok\r\n0\r\n\r\n"),
    page(chunked, "0x2\r\nok\r\n0\r\n\r\n"),
    page(chunked, `${"0".repeat(40)}2\r\nok`),
    page(chunked, `2;${"e".repeat(17_000)}\r\nok`),
    page(chunked, `0\r\n${"T: 1\r\n".repeat(102)}\r\n`),
    page("", "", "HTTP/1.1 101 Switching Protocols"),
    page("Content-Length: 5\r\n", "hello", "HTTP/1.1 204 No Content"),
    page(chunked, "", "HTTP/1.1 204 No Content"),
    page("", "hello", "HTTP/1.1 204 No Content"),
    page("", "", "HTTP/1.1 304 Not Modified"),
    page("Content-Length: 0\r\n", "", "HTTP/1.1 999 Denied"),
    page("Content-Length: 0\r\n", "", "HTTP/1.1 099 Low"),
    page("Content-Length: 0\r\n", "", "HTTP/1.1 2000 Long"),
    page("Content-Length: 0\r\n", "", "HTTP/1.1 20 Short"),
    page("Content-Length: 0\r\n", "", "HTTP/1.1 OK"),
    page("Content-Length: 0\r\n", "", "HTTP/0.9 200 OK"),
    page("Content-Length: 0\r\nX: a\0b\r\n", ""),
    "<html>hello</html>",
    "ICY 200 OK\r\n\r\n",
    "HTTQ/1.1 200 OK\r\n\r\n",
    `${"\r\n".repeat(3)}HTTP/1.1 200 OK\r\n\r\n`,
    page("", "", "HTTP/1.1 103 Early Hints").repeat(17) + page("Content-Length: 0\r\n", ""),
  ];
  for (const bytes of refused) {
    const { error, reusable } = read(bytes);
    assert.deepEqual(
      [error, reusable],
      ["bad_response", false],
      JSON.stringify(bytes.slice(0, 99)),
    );
  }
});

test("sixteen informational heads are skipped", () => {
  const early = page("Link: </a.css>\r\n", "", "HTTP/1.1 103 Early Hints");
  const bytes = early.repeat(16) + page("Content-Length: 2\r\n", "ok");
  for (const cuts of [[], everyCut(bytes.length)]) {
    const { body, head, reusable } = read(bytes, cuts);
    assert.deepEqual([body, head, reusable], ["ok", page("Content-Length: 2\r\n", ""), true]);
  }
});

test("304 answers a conditional request and has no body whatever it declares", () => {
  const options = { ...OPTIONS, conditional: true };
  const bytes = page("Content-Length: 500\r\n", "", "HTTP/1.1 304 Not Modified");
  assert.deepEqual(
    [read(bytes, [], options).error, read(bytes, [], options).reusable],
    [undefined, true],
  );
});

test("a head is bounded in bytes and lines (HOSTILE R10)", () => {
  const { maxHeadBytes, maxHeadLines } = DEFAULT_LIMITS;
  const exact = (bytes: number) => {
    const start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ";
    return `${start}${"a".repeat(bytes - start.length - 4)}\r\n\r\n`;
  };
  const lines = (count: number) => page(`${"X: y\r\n".repeat(count - 1)}Content-Length: 0\r\n`, "");
  for (const cut of [[], [1], [maxHeadBytes - 1], [maxHeadBytes], everyCut(30)]) {
    assert.equal(read(exact(maxHeadBytes), cut).error, undefined);
    assert.equal(read(exact(maxHeadBytes + 1), cut).error, "headers_too_large");
    assert.equal(read(lines(maxHeadLines), cut).error, undefined);
    assert.equal(read(lines(maxHeadLines + 1), cut).error, "headers_too_large");
    assert.equal(
      read(`HTTP/1.1 200 OK\r\nX: ${"a".repeat(1 << 20)}`, cut).error,
      "headers_too_large",
    );
  }
});

test("a body over the limit keeps its beginning", () => {
  const long = "b".repeat(1500);
  const streams = [
    page("Content-Length: 1500\r\n", long),
    page("Content-Length: 99999999999999999999\r\n", long),
    page("Transfer-Encoding: chunked\r\n", `5dc\r\n${long}\r\n0\r\n\r\n`),
    page("Transfer-Encoding: chunked\r\n", `FFFFFFFFFFFFFFFF\r\n${long}`),
    page("Transfer-Encoding: chunked\r\n", `1\r\nb\r\n`.repeat(1500)),
    page("", long),
  ];
  for (const bytes of streams) {
    for (const cuts of [[], [700], everyCut(bytes.length)]) {
      const { body, truncated, flag, error, reusable } = read(bytes, cuts);
      assert.deepEqual(
        [body.length, truncated, flag, error, reusable],
        [1000, "length", "body_too_large", undefined, false],
      );
    }
  }
  for (const bytes of [
    page("Content-Length: 1000\r\n", long.slice(0, 1000)),
    page("", long.slice(0, 1000)),
  ]) {
    assert.deepEqual([read(bytes).body.length, read(bytes).truncated], [1000, undefined]);
  }
});

test("a connection that ends too early: reset before the body, truncated within it", () => {
  assert.equal(read("").error, "reset");
  assert.equal(read("HTTP/1.1 200 OK\r\nContent-").error, "reset");
  for (const bytes of [
    page("Content-Length: 9\r\n", "half"),
    page("Transfer-Encoding: chunked\r\n", "4\r\nhalf"),
    page("Transfer-Encoding: chunked\r\n", "9\r\nhalf"),
  ]) {
    const { body, truncated, flag } = read(bytes);
    assert.deepEqual([body, truncated, flag], ["half", "disconnect", "disconnect"]);
  }
});

test("Content-Length as browsers read it", { skip: noConformance }, () => {
  const cases = conformanceJson<{ input: string; output: number | null }[]>(
    "html/wpt_content_length_headers.json",
  );
  // One deviation, on purpose: RFC 9112 (6.3) and HOSTILE R5 make a negative length fatal.
  const deviations = new Set(["Content-Length: -1"]);
  for (const { input, output } of cases) {
    // 42 stands for a length that is not used: the body then ends with the connection.
    const bytes = page(`${input}\r\n`, "x".repeat(output ?? 42));
    const { error, body } = read(bytes);
    const got = error === undefined ? body.length : null;
    assert.equal(got, deviations.has(input) ? null : output, input);
  }
});

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/);
const fieldValue = fc.stringMatching(/^[ -~\u00a0-\u00ff]{0,20}$/);
const eol = fc.constantFrom("\r\n", "\n");
const bodyText = fc.string({ maxLength: 60, unit: "binary-ascii" });

/** Responses of every framing with odd but acceptable heads, and what their body is. */
const response = fc
  .record({
    early: fc.nat(2),
    eol,
    version: fc.constantFrom("HTTP/1.1", "http/1.1"),
    status: fc.constantFrom("200 OK", "404", "301  Moved ", "500 \xe9"),
    fields: fc.array(fc.tuple(token, fieldValue), { maxLength: 4 }),
    framing: fc.constantFrom("length", "chunked", "close"),
    chunks: fc.array(fc.tuple(bodyText, fc.constantFrom("", ";a=b", "  ", ';q="x"')), {
      maxLength: 4,
    }),
    trailer: fc.constantFrom("", "X-Sum: 1"),
  })
  .map((r) => {
    const reserved = /^(content-length|transfer-encoding|connection)$/i;
    const fields = r.fields.filter(([name]) => !reserved.test(name));
    const body = r.chunks.map(([text]) => text).join("");
    let head = `HTTP/1.1 103 Early${r.eol}${r.eol}`.repeat(r.early);
    head += `${r.version} ${r.status}${r.eol}`;
    for (const [name, value] of fields) head += `${name}: ${value}${r.eol}`;
    if (r.framing === "length")
      return { body, bytes: `${head}Content-Length: ${body.length}${r.eol}${r.eol}${body}` };
    if (r.framing === "close") return { body, bytes: `${head}${r.eol}${body}` };
    let bytes = `${head}Transfer-Encoding: chunked${r.eol}${r.eol}`;
    for (const [text, extension] of r.chunks) {
      if (text !== "") bytes += `${text.length.toString(16)}${extension}${r.eol}${text}${r.eol}`;
    }
    const trailer = r.trailer === "" ? "" : r.trailer + r.eol;
    return { body, bytes: `${bytes}0${r.eol}${trailer}${r.eol}` };
  });

const cutPoints = fc.array(fc.nat(400), { maxLength: 12 });

test("every split of the stream gives the same result", () => {
  fc.assert(
    fc.property(response, cutPoints, ({ body, bytes }, cuts) => {
      const whole = read(bytes);
      assert.equal(whole.error, undefined, whole.message);
      assert.equal(whole.body, body);
      assert.deepEqual(read(bytes, cuts), whole);
      assert.deepEqual(read(bytes, everyCut(bytes.length)), whole);
    }),
    { numRuns: 500 },
  );
});

test("every split of a damaged stream gives the same result and never throws", () => {
  const damage = fc.array(
    fc.tuple(fc.nat(400), fc.constantFrom("", "\n", "\r", "\0", ":", " ", "0", "f", "\xff")),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  fc.assert(
    fc.property(response, damage, fc.nat(500), cutPoints, ({ bytes }, changes, keep, cuts) => {
      let stream = bytes;
      for (const [at, text] of changes) stream = stream.slice(0, at) + text + stream.slice(at + 1);
      stream = stream.slice(0, Math.max(keep, 40));
      const whole = read(stream);
      for (const split of [read(stream, cuts), read(stream, everyCut(stream.length))]) {
        // Bytes after the end are only seen when they come together with it.
        const surplus = /after the end/.test(whole.message) && split.error === undefined;
        if (surplus) continue;
        assert.deepEqual({ ...split, reusable: 0 }, { ...whole, reusable: 0 });
      }
    }),
    { numRuns: 1000 },
  );
});

test("thousands of codings are named as such, however the stream is cut (HOSTILE R3)", () => {
  const limits = { ...DEFAULT_LIMITS, maxHeadBytes: 200, maxHeadLines: 5 };
  const options = { ...OPTIONS, limits };
  const streams: [string, string][] = [
    [page(`Content-Encoding: ${Array(50).fill("gzip").join(", ")}\r\n`, ""), "bad_encoding"],
    [page("Content-Encoding: gzip\r\n".repeat(9), ""), "bad_encoding"],
    [page(`X: ${"y".repeat(300)}\r\nContent-Encoding: a, b, c\r\n`, ""), "headers_too_large"],
    [page(`${"X: y\r\n".repeat(6)}Content-Encoding: a, b, c\r\n`, ""), "headers_too_large"],
    [
      page(`Content-Encoding: gzip, identity, br\r\n${"X: y\r\n".repeat(9)}`, ""),
      "headers_too_large",
    ],
  ];
  for (const [stream, error] of streams) {
    assert.equal(read(stream, [], options).error, error);
    assert.equal(read(stream, everyCut(stream.length), options).error, error, "byte by byte");
  }
});

test("a Location that is broken over lines, or holds a bare CR, leads nowhere (HOSTILE R12)", () => {
  const location = (line: string) => ResponseHead.parse(`HTTP/1.1 302 X\r\n${line}\r\n`)?.location;
  assert.equal(location("Location: /a\r\n"), "/a");
  assert.equal(location("Location: /a b \r\n"), "/a b");
  assert.equal(location("Location: /a\rX: y\r\n"), "");
  assert.equal(location("Location: /a\r\n /b\r\n"), "");
  assert.equal(location("X: y\r\n"), undefined);
});
