import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { PROFILES } from "../../../src/web/profile.ts";
import { type RunningWeb, startWeb } from "../../../src/web/server.ts";
import { VariedNames } from "../../../src/web/synthetic/page-names.ts";
import { rawExchange } from "../raw-exchange.ts";

let web: RunningWeb;
before(async () => {
  const profile = { ...PROFILES.tiny, errorRate: 0, robots: "none" as const };
  web = await startWeb({ profile, hostNames: 3 });
});
after(() => web.close());

async function status(request: string): Promise<string> {
  const answer = (await rawExchange(web.port, [request])).toString("latin1");
  return answer.slice(0, answer.indexOf("\r\n"));
}

test("pipelined requests are answered in order, however their bytes are cut", async () => {
  const names = new VariedNames(PROFILES.tiny.seed, false);
  const paths = [1, 2, 3, 4, 5].map((local) => names.path(local));
  const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: host0.test\r\n\r\n`;
  const single: Buffer[] = [];
  for (const path of paths) single.push(await rawExchange(web.port, [request(path)]));
  const expected = Buffer.concat(single);
  assert.equal(expected.toString("latin1").split("200 OK").length, 6);
  const all = paths.map(request).join("");
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: all.length - 1 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const ends = [...places.sort((a, b) => a - b), all.length];
      const pieces = ends.map((end, index) => all.slice(ends[index - 1] ?? 0, end));
      assert.deepEqual(await rawExchange(web.port, pieces), expected);
    }),
    { numRuns: 40 },
  );
});

test("what cannot be answered is refused with a status and a sentence", async () => {
  const host = "Host: host0.test\r\n";
  const cases: [string, string][] = [
    [`GET / HTTP/1.1\r\n${host}\r\n`, "HTTP/1.1 200 OK"],
    [`GET http://host1.test/ HTTP/1.1\r\n${host}\r\n`, "HTTP/1.1 200 OK"],
    ["GET / HTTP/1.1\r\nhOST:   HOST2.test:80 \r\n\r\n", "HTTP/1.1 200 OK"],
    [`GET / HTTP/1.0\r\n${host}\r\n`, "HTTP/1.1 200 OK"],
    ["GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", "HTTP/1.1 421 Misdirected Request"],
    ["GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    [`GET / HTTP/1.1\r\n${host}${host}\r\n`, "HTTP/1.1 400 Bad Request"],
    [`GET /\r\n${host}\r\n`, "HTTP/1.1 400 Bad Request"],
    [`GET / HTTP/1.1\r\n${host}no colon\r\n\r\n`, "HTTP/1.1 400 Bad Request"],
    [`GET / HTTP/1.1\r\n${host}bad name: 1\r\n\r\n`, "HTTP/1.1 400 Bad Request"],
    [`GET ftp://host0.test/ HTTP/1.1\r\n${host}\r\n`, "HTTP/1.1 400 Bad Request"],
    [`GET / HTTP/2.0\r\n${host}\r\n`, "HTTP/1.1 505 HTTP Version Not Supported"],
    [`POST / HTTP/1.1\r\n${host}\r\n`, "HTTP/1.1 405 Method Not Allowed"],
    [`GET / HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc`, "HTTP/1.1 413 Content Too Large"],
    [`GET / HTTP/1.1\r\n${host}Content-Length: x\r\n\r\n`, "HTTP/1.1 400 Bad Request"],
    [`GET / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`, "HTTP/1.1 501 Not Implemented"],
    [
      `GET / HTTP/1.1\r\n${host}X: ${"x".repeat(17_000)}\r\n\r\n`,
      "HTTP/1.1 431 Request Header Fields Too Large",
    ],
    [`GET /p/1.html/ HTTP/1.1\r\n${host}\r\n`, "HTTP/1.1 404 Not Found"],
  ];
  for (const [request, line] of cases)
    assert.equal(await status(request), line, request.slice(0, 80));
});

test("a connection stays open unless the client asks otherwise", async () => {
  const get = (more: string): string => `GET / HTTP/1.1\r\nHost: host0.test\r\n${more}\r\n`;
  const answers = async (first: string): Promise<number> => {
    const all = await rawExchange(web.port, [first + get("")]);
    return all.toString("latin1").split("HTTP/1.1 200").length - 1;
  };
  assert.equal(await answers(get("")), 2);
  assert.equal(await answers(get("Connection: close\r\n")), 1);
  assert.equal(await answers("GET / HTTP/1.0\r\nHost: host0.test\r\n\r\n"), 1);
});

test("any bytes at all end in an answer or a closed connection, and the web lives on", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const answer = await rawExchange(web.port, [Buffer.from(bytes), "\r\n\r\n"]);
      assert.match(answer.toString("latin1"), /^HTTP\/1\.1 [45]\d\d |^$/);
    }),
    { numRuns: 60 },
  );
  assert.equal(await status("GET / HTTP/1.1\r\nHost: host0.test\r\n\r\n"), "HTTP/1.1 200 OK");
});
