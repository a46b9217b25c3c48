import assert from "node:assert/strict";
import net from "node:net";
import { type TestContext, test } from "node:test";
import { writeRequest } from "../../../src/fetch/wire/write-request.ts";
import { turns } from "./raw-server.ts";

const MAX_TURNS = 100_000;

/** Both ends of a connection on loopback. */
async function connected(t: TestContext): Promise<[client: net.Socket, server: net.Socket]> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const accepted = new Promise<net.Socket>((resolve) => server.once("connection", resolve));
  const client = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
  await new Promise((resolve) => client.once("connect", resolve));
  const other = await accepted;
  t.after(() => {
    client.destroy();
    other.destroy();
    server.close();
  });
  return [client, other];
}

/** As a connection uses it; tells whether the stream was needed. */
function send(socket: net.Socket, text: string): boolean {
  const isDirect = writeRequest(socket, text);
  if (!isDirect) socket.write(text, "latin1");
  return isDirect;
}

async function received(socket: net.Socket, bytes: number): Promise<string> {
  let text = "";
  socket.on("data", (piece) => {
    text += piece.toString("latin1");
  });
  socket.resume();
  for (let i = 0; text.length < bytes && i < MAX_TURNS; i++) await turns(1);
  return text;
}

test("the first request teaches it, and all others go to the handle", async (t) => {
  const [client, server] = await connected(t);
  send(client, "one\xe9");
  assert.equal(await received(server, 4), "one\xe9");
  const [second, other] = await connected(t);
  let streamed = 0;
  second.write = (() => {
    streamed++;
    return true;
  }) as typeof second.write;
  assert.deepEqual([send(second, "two\xe9"), send(second, "three")], [true, true]);
  assert.equal(await received(other, 9), "two\xe9three");
  assert.equal(streamed, 0);
});

test("what the kernel does not take at once arrives whole and in order", async (t) => {
  const [first, peer] = await connected(t);
  send(first, "x");
  await received(peer, 1);
  const [client, server] = await connected(t);
  server.pause();
  const large = "0123456789".repeat(1_000_000);
  assert.deepEqual(
    [send(client, large), send(client, "behind"), send(client, "last")],
    [true, true, true],
  );
  assert.equal(await received(server, large.length + 10), `${large}behindlast`);
  const [next, end] = await connected(t);
  assert.equal(send(next, "after"), true);
  assert.equal(await received(end, 5), "after");
});

test("a socket that is gone is left to its stream, which reports it", async (t) => {
  const [client] = await connected(t);
  client.destroy();
  assert.equal(writeRequest(client, "x"), false);
});
