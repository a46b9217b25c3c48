import assert from "node:assert/strict";
import net from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type {
  BodyTap,
  Transport,
  TransportOptions,
  TransportResult,
} from "../../src/fetch/transport.ts";
import { TRANSPORT_ERRORS } from "../../src/fetch/transport-error.ts";
import { errorOf, get, rawServer, responseOf, turns, writePieces } from "./wire/raw-server.ts";

const page = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** What every transport promises to the polite client; run over real sockets. */
export function transportContract(name: string, open: (options: TransportOptions) => Transport) {
  const contract = (what: string, check: (t: TestContext) => Promise<void>) =>
    test(`${name}: ${what}`, check);
  const opened = (t: TestContext, options: TransportOptions = {}) => {
    const transport = open(options);
    t.after(() => transport.close());
    return transport;
  };

  contract("request, head and body are told as they went over the wire", async (t) => {
    const body = gzipSync("a page");
    const head = `HTTP/1.1 200 Fine\r\nX-ODD:  \xe9 \r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const server = await rawServer(t, (socket) =>
      writePieces(socket, [
        head,
        `${body.length.toString(16)}\r\n`,
        body.subarray(0, 5),
        body.subarray(5),
        "\r\n0\r\n\r\n",
      ]),
    );
    const headers = [["User-Agent", "test"]] as const;
    const response = responseOf(await get(opened(t), server, "/a?b=c", { headers }));
    assert.equal(response.requestText, server.requests[0]);
    assert.match(response.requestText, /^GET \/a\?b=c HTTP/);
    assert.match(response.requestText, new RegExp(`\r\nHost: site.test:${server.port}\r\n`));
    assert.match(response.requestText, /\r\nUser-Agent: test\r\n/);
    assert.equal(response.head.text, head);
    assert.deepEqual(response.body, body);
    assert.equal(response.truncated ?? response.flag, undefined);
    assert.ok(response.tookMs > 0 && Math.abs(Date.now() - response.date) < 60_000);
  });

  contract("no name is resolved: it connects to the addresses it is told", async (t) => {
    const server = await rawServer(t, (socket) => void socket.write(page("ok")));
    const hostname = "name.invalid";
    const one = { target: { ...server.target, hostname } };
    const transport = opened(t);
    assert.equal(responseOf(await get(transport, one)).address, "127.0.0.1");
    const addresses = ["127.0.0.9", "127.0.0.1"];
    const two = { target: { ...one.target, port: 1, address: "127.0.0.9", addresses } };
    assert.equal(responseOf(await get(transport, two)).address, "127.0.0.1");
  });

  contract("a redirect is a response like any other", async (t) => {
    const answer = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n";
    const server = await rawServer(t, (socket) => void socket.write(answer));
    const { head } = responseOf(await get(opened(t), server));
    assert.deepEqual([head.status, head.location, server.requests.length], [302, "/next", 1]);
  });

  contract("deadlines hold: without a head it fails, within the body it is cut", async (t) => {
    for (const pieces of [[], ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"]]) {
      let nowMs = 1000;
      let wasSent = () => {};
      const sent = new Promise<void>((resolve) => {
        wasSent = resolve;
      });
      const server = await rawServer(t, (socket) => writePieces(socket, pieces).then(wasSent));
      const limits = { connectMs: 100, firstByteMs: 200, totalMs: 600, minRateWindowMs: 150 };
      const result = get(opened(t, { limits, clock: () => nowMs }), server);
      await sent;
      await turns(3);
      nowMs += pieces.length === 0 ? 200 : 600;
      if (pieces.length === 0) assert.equal(errorOf(await result), "first_byte_timeout");
      else {
        const { body, truncated, flag } = responseOf(await result);
        assert.deepEqual([body.toString(), truncated, flag], ["abc", "time", "total_timeout"]);
      }
    }
  });

  contract("a body that is too long or breaks off is kept as far as it came", async (t) => {
    const server = await rawServer(t, async (socket, request) => {
      if (request.startsWith("GET /long ")) socket.write(page("0123456789"));
      else {
        await writePieces(socket, ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123"]);
        socket.end();
      }
    });
    const transport = opened(t, { limits: { maxBodyBytes: 8 } });
    const cut = async (path: string, maxBodyBytes?: number) => {
      const response = responseOf(await get(transport, server, path, { maxBodyBytes }));
      return [response.body.toString(), response.truncated, response.flag];
    };
    assert.deepEqual(await cut("/long"), ["01234567", "length", "body_too_large"]);
    assert.deepEqual(await cut("/long", 3), ["012", "length", "body_too_large"]);
    assert.deepEqual(await cut("/short"), ["0123", "disconnect", "disconnect"]);
  });

  contract("whatever a server does is a value with a stable code", async (t) => {
    const answers: Record<string, (socket: net.Socket) => void> = {
      reset: (socket) => socket.resetAndDestroy(),
      bad_response: (socket) => socket.end("SMTP ready\r\n\r\n"),
      headers_too_large: (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n`),
    };
    const server = await rawServer(t, (socket, request) =>
      answers[request.split(" ")[1]!.slice(1)]!(socket),
    );
    const transport = opened(t);
    for (const code of Object.keys(answers)) {
      assert.equal(errorOf(await get(transport, server, `/${code}`)), code);
      assert.ok(code in TRANSPORT_ERRORS);
    }
    const closed = net.createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as net.AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const nobody = { target: { ...server.target, connectPort: port } };
    assert.equal(errorOf(await get(transport, nobody)), "connection_refused");
  });

  contract("what could smuggle a second request is not sent", async (t) => {
    const server = await rawServer(t, (socket) => void socket.write(page("ok")));
    const transport = opened(t);
    const headers = [["X", "a\r\nb"]] as const;
    assert.equal(errorOf(await get(transport, server, "/a\r\nX: y")), "bad_request");
    assert.equal(errorOf(await get(transport, server, "/", { headers })), "bad_request");
    assert.deepEqual(server.requests, []);
  });

  contract("accept decides by the head, and its own fault is the caller's", async (t) => {
    const server = await rawServer(t, (socket) => void socket.write(page("body")));
    const transport = opened(t);
    const { aborted, body } = responseOf(
      await get(transport, server, "/", { accept: () => false }),
    );
    assert.deepEqual([aborted, body.length], [true, 0]);
    const fault = new Error("bug");
    const accept = () => {
      throw fault;
    };
    await assert.rejects(get(transport, server, "/", { accept }), fault);
  });

  contract("whoever waits without a promise is told once, and not before it waits", async (t) => {
    const server = await rawServer(t, (socket) => void socket.write(page("body")));
    const transport = opened(t);
    const ask = (path: string, accept?: () => boolean) => {
      let isSent = false;
      const told = new Promise<unknown>((resolve) => {
        const tell = (what: unknown) => resolve(isSent ? what : new Error("too early"));
        const { target } = server;
        transport.send({ target, path, headers: [], accept }, { settled: tell, threw: tell });
        isSent = true;
      });
      return told as Promise<TransportResult>;
    };
    for (let i = 0; i < 3; i++) assert.equal(responseOf(await ask("/")).body.toString(), "body");
    assert.equal(errorOf(await ask("/a b")), "bad_request");
    const fault = new Error("bug");
    const fails = () => {
      throw fault;
    };
    assert.equal(await ask("/", fails), fault);
    await transport.close();
    assert.equal(errorOf(await ask("/")), "aborted");
  });

  contract("a tap reads further than what is kept", async (t) => {
    const server = await rawServer(t, (socket) => writePieces(socket, [page("0123456789")]));
    let read = "";
    const tap: BodyTap = {
      maxBytes: 100,
      isDone: false,
      isBehind: false,
      begin: (head) => {
        read += `${head.status} `;
      },
      push: (piece) => {
        read += Buffer.from(piece).toString();
      },
      whenReady: () => {},
    };
    const response = responseOf(await get(opened(t), server, "/", { tap, maxBodyBytes: 3 }));
    assert.deepEqual([read, response.body.toString()], ["200 0123456789", "012"]);
    assert.deepEqual([response.truncated, response.tap], ["length", tap]);
  });

  contract("a body stays what it is until it is released", async (t) => {
    const server = await rawServer(t, (socket, request) => {
      socket.write(page(request.split(" ")[1]!.repeat(2000)));
    });
    const transport = opened(t, { largeBodies: 1 });
    const ask = (path: string) => get(transport, server, path, { releases: true });
    const responses = (await Promise.all(["/a", "/b", "/c"].map(ask))).map(responseOf);
    const bodies = responses.map(({ body }) => body.toString());
    assert.deepEqual(
      bodies,
      ["/a", "/b", "/c"].map((path) => path.repeat(2000)),
    );
    for (const response of responses) response.release();
  });

  contract("a kept connection that dies is tried again only where no delay is owed", async (t) => {
    for (const resend of [true, false]) {
      const server = await rawServer(t, (socket, _request, count) => {
        if (count === 2) socket.resetAndDestroy();
        else socket.write(page(String(count)));
      });
      const transport = opened(t, { resend });
      await get(transport, server);
      const second = await get(transport, server);
      if (resend) assert.equal(responseOf(second).body.toString(), "3");
      else assert.equal(errorOf(second), "connection_lost");
      assert.equal(server.requests.length, resend ? 3 : 2);
    }
  });

  contract("close ends what is under way, whatever it waits for", async (t) => {
    const server = await rawServer(t, (socket, request) => {
      if (request.startsWith("GET /kept ")) socket.write(page("ok"));
      if (request.startsWith("GET /body ")) socket.write("HTTP/1.1 200 OK\r\n\r\nbegin");
    });
    const transport = opened(t);
    await get(transport, server, "/kept");
    const secure = { ...server.target, secure: true };
    const waiting = [
      get(transport, server, "/head"),
      get(transport, server, "/body"),
      // Neither a TLS handshake nor a tunnel is ever answered.
      get(transport, { target: secure }),
      get(transport, { target: { ...secure, proxy: { authorization: undefined } } }),
    ];
    while (server.connections < 4 || server.requests.length < 4) await turns(1);
    const gone = [...server.sockets].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    );
    await transport.close();
    assert.deepEqual((await Promise.all(waiting)).map(errorOf), Array(4).fill("aborted"));
    await Promise.all(gone);
    assert.equal(errorOf(await get(transport, server)), "aborted");
  });
}
