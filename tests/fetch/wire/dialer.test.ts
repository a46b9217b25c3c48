import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { FetchOutcome } from "../../../src/fetch/outcome.ts";
import { PoliteClient } from "../../../src/fetch/polite-client.ts";
import { AddressPolicy } from "../../../src/fetch/route/address.ts";
import { NameResolver } from "../../../src/fetch/route/resolve.ts";
import { RouteFinder } from "../../../src/fetch/route/route.ts";
import { WireClient } from "../../../src/fetch/wire/client.ts";
import type { WireResponse } from "../../../src/fetch/wire/exchange.ts";
import { Gatekeeper } from "../../../src/frontier/gatekeeper.ts";
import { Host } from "../../../src/frontier/host.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { newGates } from "../../frontier/new-gates.ts";

async function webServer(t: TestContext, address: string, port = 0) {
  const requests: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      requests.push(data.toString("latin1"));
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return { port: (server.address() as net.AddressInfo).port, requests, sockets, close };
}

/** The crawler's own client, for names of a hosts file. */
function clientFor(t: TestContext, hosts: string, allow: string[], proxies: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-hosts-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "hosts"), hosts);
  const clock = () => performance.now();
  const transport = new WireClient({ limits: { connectMs: 2000 }, clock });
  t.after(() => transport.close());
  const client = new PoliteClient({
    transport,
    routes: new RouteFinder({
      resolver: new NameResolver({
        hostsFile: join(folder, "hosts"),
        askServers: false,
        clock,
      }),
      policy: new AddressPolicy({ consents: [], allow }),
      contact: true,
      proxies,
    }),
    gatekeeper: new Gatekeeper({
      ...newGates(1)(1),
      delayMs: 0,
      perHost: 8,
      spaceHosts: false,
    }),
    clock,
  });
  const host = new Host("h", 1, 0);
  return (url: string) => client.ask(url as CrawlUrl, host, { headers: [["A", "b"]] });
}

function brief(asked: FetchOutcome): unknown[] {
  if (asked.kind !== "response") return [asked.kind, "error" in asked ? asked.error : ""];
  const { head, address, reusedConnection } = asked.response as WireResponse;
  return [head.status, address, reusedConnection];
}

test("a host with a dead address is reached at its other one, which is then preferred and kept", async (t) => {
  const server = await webServer(t, "127.0.0.2");
  const ask = clientFor(t, "127.0.0.1 two.test\n127.0.0.2 two.test\n", ["127.0.0.0/8"]);
  const url = `http://two.test:${server.port}/`;
  assert.deepEqual(brief(await ask(url)), [200, "127.0.0.2", false]);
  assert.deepEqual(brief(await ask(url)), [200, "127.0.0.2", true]);
  for (const socket of server.sockets) socket.destroy();
  assert.deepEqual(brief(await ask(url)), [200, "127.0.0.2", false]);
  assert.match(server.requests[0]!, /^GET \/ HTTP\/1\.1\r\nHost: two\.test:/);
});

test("when the preferred address dies the next request races again", async (t) => {
  const first = await webServer(t, "127.0.0.2");
  const ask = clientFor(t, "127.0.0.1 two.test\n127.0.0.2 two.test\n", ["127.0.0.0/8"]);
  const url = `http://two.test:${first.port}/`;
  assert.deepEqual(brief(await ask(url)), [200, "127.0.0.2", false]);
  await first.close();
  await webServer(t, "127.0.0.1", first.port);
  assert.deepEqual(brief(await ask(url)), ["failed", "connection_refused"]);
  assert.deepEqual(brief(await ask(url)), [200, "127.0.0.1", false]);
});

test("one private address among several refuses the name, and nobody is connected to", async (t) => {
  const server = await webServer(t, "127.0.0.2");
  const ask = clientFor(t, "127.0.0.2 mixed.test\n10.0.0.1 mixed.test\n", ["127.0.0.0/8"]);
  const asked = await ask(`http://mixed.test:${server.port}/`);
  assert.deepEqual(brief(asked), ["refused", "blocked_private_address"]);
  assert.deepEqual(server.requests, []);
});
