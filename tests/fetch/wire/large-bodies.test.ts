import assert from "node:assert/strict";
import { test } from "node:test";
import { LARGE_BYTES, LargeBodies } from "../../../src/fetch/wire/large-bodies.ts";
import { get, rawServer, responseOf, turns, wireClient } from "./raw-server.ts";

test("pieces are made once, handed to who waits first, and never more than there are", () => {
  const bodies = new LargeBodies(2, 10);
  const [one, two] = [bodies.take(), bodies.take()];
  assert.ok(one !== undefined && two !== undefined);
  assert.equal(bodies.take(), undefined);
  const got: (Buffer | undefined)[] = [];
  bodies.wait(() => {}); // has lost interest: the next in line is asked
  bodies.wait(() => got.push(bodies.take()));
  bodies.wait(() => got.push(bodies.take()));
  bodies.giveBack(one);
  assert.deepEqual(got, [one]);
  bodies.giveBack(two);
  assert.deepEqual(got, [one, two]);
});

test("a large body waits for memory, whatever its deadlines say, and small ones pass", async (t) => {
  let now = 0;
  const body = (path: string) => Buffer.alloc(3 * LARGE_BYTES, path);
  const server = await rawServer(t, (socket, request) => {
    const path = request.split(" ")[1]!;
    const bytes = path === "/small" ? Buffer.from("small") : body(path);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes);
  });
  const limits = { totalMs: 1000, minRateWindowMs: 500, maxBodyBytes: 4 * LARGE_BYTES };
  const client = wireClient(t, { largeBodies: 1, limits, clock: () => now });
  const first = responseOf(await get(client, server, "/first", { releases: true }));
  let settled = false;
  const second = get(client, server, "/second", { releases: true }).finally(() => {
    settled = true;
  });
  while (server.requests.length < 2) await turns(1);
  assert.equal(
    responseOf(await get(client, server, "/small", { releases: true })).body.toString(),
    "small",
  );
  await turns(20);
  now = 10_000;
  // Real ticks of the client's timer, which judges by the clock that was just turned.
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(settled, false);
  assert.ok(first.body.equals(body("/first")), "nobody wrote over it meanwhile");
  first.release();
  const response = responseOf(await second);
  assert.deepEqual([response.truncated, response.flag], [undefined, undefined]);
  assert.ok(response.body.equals(body("/second")));
  response.release();
  assert.ok(
    responseOf(await get(client, server, "/third", { releases: true })).body.equals(body("/third")),
  );
});

test("a response that fails gives its memory back", async (t) => {
  const server = await rawServer(t, (socket, request) => {
    const bad = request.startsWith("GET /bad");
    const head = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${(2 * LARGE_BYTES).toString(16)}\r\n`;
    socket.write(head);
    socket.write(Buffer.alloc(2 * LARGE_BYTES, "x"));
    socket.write(bad ? "\r\nno size\r\n" : "\r\n0\r\n\r\n");
  });
  const client = wireClient(t, { largeBodies: 1 });
  for (let i = 0; i < 3; i++)
    assert.equal((await get(client, server, "/bad", { releases: true })).kind, "failed");
  assert.equal(
    responseOf(await get(client, server, "/good", { releases: true })).body.length,
    2 * LARGE_BYTES,
  );
});
