import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { inOrder } from "../../../src/fetch/route/route.ts";
import { dial } from "../../../src/fetch/wire/dial.ts";

const closing = new AbortController().signal;
const RULES = { staggerMs: 40, timeoutMs: 60_000, closing };

async function listener(t: TestContext, address: string, port = 0) {
  const seen: net.Socket[] = [];
  const server = net.createServer((socket) => seen.push(socket.on("error", () => {})));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, address, resolve);
  });
  t.after(() => {
    for (const socket of seen) socket.destroy();
    server.close();
  });
  return { port: (server.address() as net.AddressInfo).port, seen };
}

/** So long nobody answers before a caller counts as kept waiting; on loopback an answer takes microseconds. */
const SILENT_MS = 100;

/** An address whose thread sleeps and whose queue is full: the kernel answers nobody any more. */
async function silentListener(t: TestContext, address: string): Promise<number> {
  // It falls asleep in the turn in which it begins to listen, so that it never takes a caller from the queue.
  const code = `const { parentPort } = require("node:worker_threads");
    const server = require("node:net").createServer(() => {});
    server.listen({ host: "${address}", port: 0, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true });
  t.after(() => worker.terminate());
  const [port] = (await once(worker, "message")) as [number];
  // One after the other until one is kept waiting: how many a queue takes is the kernel's affair.
  for (let isAnswered = true; isAnswered; ) {
    const caller = net.connect(port, address).on("error", () => {});
    t.after(() => caller.destroy());
    const connected = new Promise<boolean>((resolve) => {
      caller.once("connect", () => resolve(true));
    });
    isAnswered = await Promise.race([connected, sleep(SILENT_MS, false)]);
    // A machine that was busy elsewhere may have an answer that was not read yet.
    if (!isAnswered) await setImmediate();
    isAnswered ||= !caller.connecting;
  }
  return port;
}

test("families take turns, IPv6 first, and keep their order", () => {
  const { address, addresses } = inOrder(["1.1.1.1", "2.2.2.2", "3.3.3.3", "::1", "::2"]);
  assert.equal(address, "::1");
  assert.deepEqual(addresses, ["::1", "1.1.1.1", "::2", "2.2.2.2", "3.3.3.3"]);
  assert.deepEqual(inOrder(["1.1.1.1"]), { address: "1.1.1.1", addresses: undefined });
});

test("an address that refuses hands over at once, not after the stagger", async (t) => {
  const { port } = await listener(t, "127.0.0.3");
  const start = performance.now();
  const rules = { staggerMs: 60_000, timeoutMs: 90_000, closing };
  const dialled = await dial(["127.0.0.1", "127.0.0.2", "127.0.0.3"], port, rules);
  assert.ok(dialled.kind === "connected");
  dialled.socket.destroy();
  assert.equal(dialled.address, "127.0.0.3");
  assert.ok(performance.now() - start < 10_000);
});

test("an address that keeps silent costs the stagger, and its attempt is destroyed", async (t) => {
  const port = await silentListener(t, "127.0.0.7");
  await listener(t, "127.0.0.1", port);
  const start = performance.now();
  const dialled = await dial(["127.0.0.7", "127.0.0.1"], port, RULES);
  assert.ok(dialled.kind === "connected");
  assert.ok(performance.now() - start >= RULES.staggerMs - 2, "the first had its chance");
  assert.equal(dialled.address, "127.0.0.1");
  assert.equal(dialled.socket.listenerCount("error"), 0, "the winner is handed over clean");
  dialled.socket.destroy();
});

test("when nobody answers the last reason is told; when nobody is there to ask, too", async (t) => {
  const { port } = await listener(t, "127.0.0.9");
  const refused = await dial(["127.0.0.1", "127.0.0.2"], port, RULES);
  assert.deepEqual(
    [refused.kind, "error" in refused && refused.error],
    ["failed", "connection_refused"],
  );
  const none = await dial([], 80, RULES);
  assert.equal(none.kind, "failed");
});
