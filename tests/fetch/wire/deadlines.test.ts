import assert from "node:assert/strict";
import type net from "node:net";
import { test } from "node:test";
import { RateWindow } from "../../../src/fetch/wire/rate-window.ts";
import {
  errorOf,
  get,
  rawServer,
  responseOf,
  turns,
  wireClient,
  writePieces,
} from "./raw-server.ts";

// Deadlines follow a clock that the tests turn; the small figures only make the real tick short.
const limits = { connectMs: 100, firstByteMs: 200, totalMs: 600, minRateWindowMs: 150 };

/** Starts a request, lets the server send its pieces, then turns the clock. */
async function stalled(t: Parameters<typeof rawServer>[0], pieces: string[], toMs: number) {
  let now = 1000;
  let sent: (socket: net.Socket) => void = () => {};
  const socket = new Promise<net.Socket>((resolve) => (sent = resolve));
  const server = await rawServer(t, async (peer) => {
    await writePieces(peer, pieces);
    sent(peer);
  });
  const client = wireClient(t, { limits, clock: () => now });
  const result = get(client, server);
  await socket;
  await turns(3);
  now += toMs;
  return { result: await result, client };
}

test("never answering ends as first_byte_timeout (HOSTILE R9)", async (t) => {
  const { result, client } = await stalled(t, [], 200);
  assert.equal(errorOf(result), "first_byte_timeout");
  await turns(5);
  assert.equal(client.openSockets, 0);
});

test("a head that drips ends as header_timeout (HOSTILE R8)", async (t) => {
  assert.equal(errorOf((await stalled(t, ["HTTP/1.1 2", "00"], 200)).result), "header_timeout");
  const early = "HTTP/1.1 103 Early\r\n\r\n";
  assert.equal(errorOf((await stalled(t, [early, early], 200)).result), "header_timeout");
});

test("the whole exchange has a deadline: failed before the body, truncated within it (HOSTILE R6)", async (t) => {
  assert.equal(errorOf((await stalled(t, ["HTTP/1.1 2"], 600)).result), "total_timeout");
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const response = responseOf((await stalled(t, [head, "1\r\na\r\n", "1\r\nb\r\n"], 600)).result);
  assert.deepEqual(
    [response.body.toString(), response.truncated, response.flag],
    ["ab", "time", "total_timeout"],
  );
});

test("a deadline not yet reached changes nothing, however often the timer fires", async (t) => {
  let now = 0;
  const server = await rawServer(t, async (socket) => {
    now = 199;
    await new Promise((resolve) => setTimeout(resolve, 30)); // a dozen ticks of the client's timer
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const client = wireClient(t, { limits, clock: () => now });
  assert.equal(responseOf(await get(client, server)).body.toString(), "ok");
});

test("a body that drips ends as too_slow and keeps what came (HOSTILE R7)", async (t) => {
  const server = await rawServer(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
  });
  const client = wireClient(t, { limits: { minRateWindowMs: 60 } });
  const response = responseOf(await get(client, server));
  assert.deepEqual(
    [response.body.toString(), response.truncated, response.flag],
    ["abc", "time", "too_slow"],
  );
});

test("the rate is judged over every window, not only from the start", () => {
  const window = new RateWindow(256, 15_000, 0);
  const slowAt = (bytesAt: (ms: number) => number) => {
    const fresh = new RateWindow(256, 15_000, 0);
    for (let ms = 0; ms <= 60_000; ms += 250) if (fresh.tooSlow(ms, bytesAt(ms))) return ms;
    return undefined;
  };
  assert.equal(
    slowAt((ms) => ms / 5000),
    15_000,
  ); // one byte in five seconds
  assert.equal(
    slowAt((ms) => (ms * 256) / 1000),
    undefined,
  ); // just fast enough
  assert.equal(
    slowAt((ms) => 3840 * Math.ceil(ms / 15_000)),
    undefined,
  ); // in bursts
  const burst = slowAt((ms) => (ms < 5000 ? ms * 100 : 500_000)); // stalls after five seconds
  assert.ok(burst !== undefined && burst > 19_000 && burst <= 21_000, String(burst));
  // This thread was away for a minute: the peer gets the benefit of the doubt.
  assert.equal(window.tooSlow(60_000, 0), false);
});
