import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { request as undiciRequest } from "undici";
import {
  errorOf,
  get,
  rawServer,
  responseOf,
  turns,
  wireClient,
  writePieces,
} from "./raw-server.ts";

const page = (body: string, headers = "") =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`;

test("sends one GET and keeps request, head and body as they were", async (t) => {
  const head = "HTTP/1.1 200 Fine by me\r\nX-ODD:  \xe9 \r\ncontent-LENGTH: 5\r\n\r\n";
  const server = await rawServer(t, (socket) =>
    writePieces(socket, [head.slice(0, 30), head.slice(30), "hel", "lo"]),
  );
  const client = wireClient(t);
  const headers = [["User-Agent", "test"]] as const;
  const response = responseOf(await get(client, server, "/a?b=c", { headers }));
  assert.equal(response.head.bytes.toString("latin1"), head);
  assert.equal(response.head.get("x-odd"), "\xe9");
  assert.deepEqual(
    [...response.head.lines()],
    [
      ["X-ODD", "\xe9"],
      ["content-LENGTH", "5"],
    ],
  );
  assert.deepEqual(
    [response.head.version, response.head.status, response.head.reason],
    ["1.1", 200, "Fine by me"],
  );
  assert.equal(response.body.toString(), "hello");
  const sent = `GET /a?b=c HTTP/1.1\r\nHost: site.test:${server.port}\r\nUser-Agent: test\r\n\r\n`;
  assert.deepEqual([server.requests[0], response.requestText], [sent, sent]);
  assert.equal(response.address, "127.0.0.1");
  assert.ok(response.tookMs > 0 && Math.abs(Date.now() - response.date) < 60_000);
});

test("the usual port is not named in Host", async (t) => {
  const server = await rawServer(t, (socket) => void socket.write(page("ok")));
  const target = { ...server.target, port: 80, hostname: "[::1]" };
  await get(wireClient(t), { target });
  assert.match(server.requests[0]!, /\r\nHost: \[::1\]\r\n/);
});

test("reuses a connection after complete responses only", async (t) => {
  const answers = [page("1"), page("2"), page("3", "Connection: close\r\n"), page("4")];
  const server = await rawServer(
    t,
    (socket, _request, count) => void socket.write(answers[count - 1]!),
  );
  const client = wireClient(t);
  const reused: boolean[] = [];
  for (const _ of answers) reused.push(responseOf(await get(client, server)).reusedConnection);
  assert.deepEqual(reused, [false, true, true, false]);
  assert.equal(server.connections, 2);
});

test("connections are kept apart by TLS name, and idle ones are capped", async (t) => {
  const server = await rawServer(t, (socket) => void socket.write(page("ok")));
  const client = wireClient(t, { maxIdle: 2 });
  await Promise.all(["/1", "/2", "/3", "/4"].map((path) => get(client, server, path)));
  assert.equal(server.connections, 4);
  await turns(10);
  assert.equal(client.openSockets, 2);
});

test("an idle connection is closed in time", async (t) => {
  let now = 0;
  const server = await rawServer(t, (socket) => void socket.write(page("ok")));
  const client = wireClient(t, { idleMs: 80, clock: () => now });
  await get(client, server);
  assert.equal(client.openSockets, 1);
  const [socket] = server.sockets;
  const closed = new Promise((resolve) => socket!.once("close", resolve));
  now = 81;
  await closed;
  await turns(10);
  assert.equal(client.openSockets, 0);
});

test("a kept connection that died is replaced without a trace", async (t) => {
  const server = await rawServer(t, (socket, _request, count) => {
    if (count === 2) socket.resetAndDestroy();
    else socket.write(page(String(count)));
  });
  const client = wireClient(t);
  await get(client, server);
  const response = responseOf(await get(client, server));
  assert.deepEqual(
    [response.body.toString(), response.reusedConnection, server.connections],
    ["3", false, 2],
  );
});

test("where a delay is owed, a kept connection that died is an outcome and nothing is sent twice", async (t) => {
  const server = await rawServer(t, (socket, _request, count) => {
    if (count === 2) socket.resetAndDestroy();
    else socket.write(page(String(count)));
  });
  const client = wireClient(t, { resend: false });
  await get(client, server);
  assert.equal(errorOf(await get(client, server)), "connection_lost");
  assert.equal(server.connections, 1);
  assert.equal(responseOf(await get(client, server)).body.toString(), "3");
});

test("a fresh connection that dies is not retried here", async (t) => {
  const server = await rawServer(t, (socket) => void socket.resetAndDestroy());
  assert.equal(errorOf(await get(wireClient(t), server)), "reset");
  const polite = await rawServer(t, (socket) => void socket.end());
  assert.equal(errorOf(await get(wireClient(t), polite)), "reset");
  assert.deepEqual([server.connections, polite.connections], [1, 1]);
});

test("a reused connection that breaks after the first byte is not retried", async (t) => {
  const server = await rawServer(t, async (socket, _request, count) => {
    if (count === 1) return void socket.write(page("1"));
    await writePieces(socket, ["HTTP/1.1 200"]);
    socket.destroy();
  });
  const client = wireClient(t);
  await get(client, server);
  assert.deepEqual([errorOf(await get(client, server)), server.requests.length], ["reset", 2]);
});

test("surplus bytes never reach the next URL (HOSTILE R15)", async (t) => {
  const evil = page("EVIL");
  const answers: ((socket: net.Socket) => void)[] = [
    (socket) => void socket.write(page("first") + evil), // in one piece
    (socket) => {
      // In a piece of its own, sent when the client has just read the first: it must rest before it sends again.
      socket.write(page("first"));
      setImmediate(() => setImmediate(() => socket.write(evil)));
    },
  ];
  for (const answer of answers) {
    const server = await rawServer(t, (socket, request) => {
      if (request.startsWith("GET /1 ")) answer(socket);
      else socket.write(page("second"));
    });
    const client = wireClient(t);
    const first = await get(client, server, "/1");
    assert.equal(errorOf(first), answer === answers[0] ? "bad_response" : "response");
    const second = responseOf(await get(client, server, "/2"));
    assert.deepEqual([second.body.toString(), second.reusedConnection], ["second", false]);
  }
});

test("who answers unasked once gets one request per connection from then on (HOSTILE R15)", async (t) => {
  const server = await rawServer(t, async (socket, request) => {
    socket.write(page(request.split(" ")[1]!));
    if (!request.startsWith("GET /2 ")) return;
    await turns(20);
    socket.write(page("EVIL"));
  });
  const client = wireClient(t);
  const answers: [string, boolean][] = [];
  for (const path of ["/1", "/2", "/3", "/4"]) {
    const { body, reusedConnection } = responseOf(await get(client, server, path));
    answers.push([body.toString(), reusedConnection]);
    await turns(60);
  }
  assert.deepEqual(answers, [
    ["/1", false],
    ["/2", true],
    ["/3", false],
    ["/4", false],
  ]);
  assert.equal(client.openSockets, 0);
});

test("a response that comes before the first request is nobody's (HOSTILE R15)", async (t) => {
  const { target } = await rawServer(t, (socket) => void socket.write(page("asked")));
  let calls = 0;
  // The first connection answers as soon as it stands; both ends share this event loop, so the bytes are there.
  const greeter = net.createServer((socket) => {
    socket.on("error", () => {});
    if (calls++ === 0) socket.write(page("EVIL"));
    else socket.on("data", () => socket.write(page("asked")));
  });
  await new Promise<void>((resolve) => greeter.listen(0, "127.0.0.1", resolve));
  t.after(() => greeter.close());
  const connectPort = (greeter.address() as net.AddressInfo).port;
  const early = { target: { ...target, connectPort } };
  const { body } = responseOf(await get(wireClient(t), early));
  assert.deepEqual([body.toString(), calls], ["asked", 2]);
});

test("a connection speaks for one host, though others have the same address", async (t) => {
  const server = await rawServer(t, (socket) => void socket.write(page("x")));
  const client = wireClient(t);
  for (const hostname of ["a.test", "b.test", "a.test", "b.test"]) {
    await get(client, { target: { ...server.target, hostname } });
    await turns(5);
  }
  assert.equal(server.connections, 2);
});

test("accept decides after the head: no body, connection closed", async (t) => {
  const server = await rawServer(
    t,
    (socket) => void socket.write(page("video", "Content-Type: video/mp4\r\n")),
  );
  const client = wireClient(t);
  const accept = (head: { get(name: string): string | undefined }) =>
    head.get("content-type") === "text/html";
  const response = responseOf(await get(client, server, "/", { accept }));
  assert.deepEqual(
    [response.aborted, response.body.length, response.truncated],
    [true, 0, undefined],
  );
  await turns(10);
  assert.equal(client.openSockets, 0);
  const fault = new Error("bug in accept");
  const throwing = () => {
    throw fault;
  };
  await assert.rejects(get(client, server, "/", { accept: throwing }), fault);
});

test("the limit of a request stands before the client's", async (t) => {
  const server = await rawServer(t, (socket) => void socket.write(page("x".repeat(100))));
  const response = responseOf(await get(wireClient(t), server, "/", { maxBodyBytes: 10 }));
  assert.deepEqual(
    [response.body.length, response.truncated, response.flag],
    [10, "length", "body_too_large"],
  );
});

test("an unbelievable Content-Length costs no memory", async (t) => {
  const server = await rawServer(
    t,
    (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\nabc"),
  );
  const before = process.memoryUsage().arrayBuffers;
  const response = responseOf(await get(wireClient(t), server));
  assert.deepEqual([response.body.toString(), response.truncated], ["abc", "disconnect"]);
  assert.ok(process.memoryUsage().arrayBuffers - before < 4 * 1024 * 1024);
});

test("nothing listens: refused; requests that could smuggle are not sent", async (t) => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const target = {
    secure: false,
    hostname: "a.test",
    port,
    address: "127.0.0.1",
    connectPort: port,
  };
  const client = wireClient(t);
  assert.equal(errorOf(await get(client, { target })), "connection_refused");
  const bad: [string, [string, string][]][] = [
    ["/a b", []],
    ["/a\r\nX: y", []],
    ["/\u010a", []], // U+010A would be sent as LF
    ["", []],
    ["/", [["X", "a\nb"]]],
    ["/", [["X", "\u010d"]]],
    ["/", [["X: y", "z"]]],
  ];
  for (const [path, headers] of bad) {
    assert.equal(errorOf(await get(client, { target }, path, { headers })), "bad_request");
  }
  assert.equal(
    errorOf(await get(client, { target: { ...target, hostname: "a\r\nb" } })),
    "bad_request",
  );
});

test("close ends what is under way and leaves no handle", async (t) => {
  const server = await rawServer(t, (socket, request) => {
    if (request.startsWith("GET /idle")) socket.write(page("ok"));
  });
  const client = wireClient(t);
  await get(client, server, "/idle");
  const pending = [get(client, server, "/1"), get(client, server, "/2")];
  await turns(5);
  assert.equal(client.openSockets, 2);
  await client.close();
  assert.deepEqual((await Promise.all(pending)).map(errorOf), ["aborted", "aborted"]);
  assert.equal(errorOf(await get(client, server)), "aborted");
  assert.equal(client.openSockets, 0);
  // What is left belongs to the server: accepted sockets end by themselves.
  for (const socket of server.sockets) socket.destroy();
  await turns(5);
  const left = process
    .getActiveResourcesInfo()
    .filter((name) => /^(TCPSocketWrap|Timeout|Immediate)$/.test(name));
  assert.deepEqual(left, []);
});

test("agrees with undici on valid responses, whatever the pieces", async (t) => {
  let pieces: Buffer[] = [];
  const server = await rawServer(t, async (socket) => {
    await writePieces(socket, pieces);
    if (/Connection: close/.test(pieces.map(String).join(""))) socket.end();
  });
  const client = wireClient(t);
  const scenario = fc.record({
    status: fc.constantFrom(200, 206, 301, 404, 503),
    fields: fc.array(
      fc.tuple(
        fc.stringMatching(/^X-[a-zA-Z0-9]{1,8}$/),
        fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/),
      ),
      { maxLength: 5 },
    ),
    chunks: fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 4 }),
    framing: fc.constantFrom("length", "chunked", "close"),
    cuts: fc.array(fc.nat(600), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ status, fields, chunks, framing, cuts }) => {
      const body = Buffer.concat(chunks);
      let head = `HTTP/1.1 ${status} Some Reason\r\n`;
      for (const [name, value] of fields) head += `${name}: ${value}\r\n`;
      const frames = chunks.flatMap((chunk) => [
        Buffer.from(`${chunk.length.toString(16)}\r\n`),
        chunk,
        Buffer.from("\r\n"),
      ]);
      if (framing === "length") head += `Content-Length: ${body.length}\r\n`;
      else if (framing === "chunked") head += "Transfer-Encoding: chunked\r\n";
      else head += "Connection: close\r\n";
      const payload =
        framing === "chunked" ? Buffer.concat([...frames, Buffer.from("0\r\n\r\n")]) : body;
      const stream = Buffer.concat([Buffer.from(`${head}\r\n`), payload]);
      const ends = [...cuts.filter((cut) => cut < stream.length), stream.length].sort(
        (a, b) => a - b,
      );
      pieces = ends.map((end, i) => stream.subarray(ends[i - 1] ?? 0, end));
      const ours = responseOf(await get(client, server));
      const theirs = await undiciRequest(`http://127.0.0.1:${server.port}/`, {
        responseHeaders: "raw",
      });
      const raw = theirs.headers as unknown as Buffer[];
      assert.equal(ours.head.status, theirs.statusCode);
      assert.deepEqual(
        [...ours.head.lines()].flat(),
        raw.map((text) => text.toString("latin1")),
      );
      assert.deepEqual(ours.body, Buffer.from(await theirs.body.arrayBuffer()));
    }),
    { numRuns: 100 },
  );
});
