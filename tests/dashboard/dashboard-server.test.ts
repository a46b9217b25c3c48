import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Controls } from "../../src/dashboard/controls.ts";
import type { DashboardSource } from "../../src/dashboard/dashboard-source.ts";
import { LogView } from "../../src/dashboard/log-view.ts";
import {
  checkListen,
  runningDashboard,
  serveDashboard,
} from "../../src/dashboard/serve-dashboard.ts";
import { EXIT, OrbweaverError, UsageError } from "../../src/errors.ts";
import { type Figures, NO_FIGURES } from "../../src/stats/crawl-figures.ts";
import { tempFolder } from "../support/orbweaver.ts";

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const RUNNING: Figures = { ...NO_FIGURES, state: "running", pages: 7, errors: { http_404: 2 } };

async function serve(t: TestContext, isOpen = false) {
  const dir = tempFolder(t);
  for (const folder of ["state", "logs", "pages"]) mkdirSync(join(dir, folder));
  const calls: unknown[] = [];
  const controls: Controls = {
    pause: async () => void calls.push("pause"),
    goOn: async () => void calls.push("goOn"),
    stop: async () => void calls.push("stop"),
    addSeeds: async (urls) => ({ added: urls.length, known: 0, refused: [] }),
    blockHost: async (host) => {
      if (host === "") throw new UsageError("not the name of a host");
      calls.push(["block", host]);
    },
    setHost: async (host, setting) => void calls.push(["set", host, setting]),
    setLinksPerThread: async (links) => void calls.push(["links", links]),
    state: () => ({ isPaused: false }),
  };
  const listeners = new Set<(figures: Figures) => void>();
  const source: DashboardSource = {
    dir,
    controls,
    lines: () => [RUNNING],
    onFigures: (use) => {
      listeners.add(use);
      return () => listeners.delete(use);
    },
    hosts: async ({ search }) => ({ total: search.length, hosts: [] }),
  };
  const token = isOpen ? "a-token-of-the-test-0" : undefined;
  const rules = { port: 0, address: isOpen ? "0.0.0.0" : "127.0.0.1", token };
  const dashboard = await serveDashboard(source, new LogView(dir), rules, "1.2.3");
  t.after(() => dashboard.close());
  const { port, searchParams } = new URL(dashboard.url);
  const key = searchParams.get("token")!;
  const ask = (path: string, asked: Asked = {}) => send(Number(port), path, asked);
  const change = (action: string, body: object, headers: Record<string, string> = {}) =>
    ask(`/api/control/${action}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Origin: `http://127.0.0.1:${port}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const tell = () => {
    for (const use of listeners) use(RUNNING);
  };
  return { dir, calls, dashboard, port: Number(port), key, ask, change, tell };
}

/** The path goes out as it is, dots and all. */
function send(port: number, path: string, { method = "GET", headers = {}, body }: Asked) {
  return new Promise<Answer>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, headers, agent: false };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("W2: a name that is not this machine's own is refused, everywhere", async (t) => {
  const { ask, port } = await serve(t);
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1:1", `10.0.0.1:${port}`])
    for (const path of ["/", "/metrics", "/healthz", "/api/status"])
      assert.equal((await ask(path, { headers: { Host: host } })).status, 421, `${host} ${path}`);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
    assert.equal((await ask("/healthz", { headers: { Host: host } })).status, 200, host);
});

test("an open dashboard is reached by any address and still by no name", async (t) => {
  const { ask, port } = await serve(t, true);
  assert.equal((await ask("/healthz", { headers: { Host: `10.0.0.1:${port}` } })).status, 200);
  assert.equal((await ask("/healthz", { headers: { Host: `evil.example:${port}` } })).status, 421);
});

test("W3: another origin, a form, or no token changes nothing; neither does reading", async (t) => {
  const { ask, change, calls, key } = await serve(t);
  const bearer = { Authorization: `Bearer ${key}` };
  const json = { ...bearer, "Content-Type": "application/json" };
  const post = (headers: Record<string, string>, path = "/api/control/stop") =>
    ask(path, { method: "POST", headers, body: "{}" });
  assert.equal((await post({ "Content-Type": "application/json" })).status, 403);
  assert.equal((await post({ ...json, Authorization: "Bearer wrong" })).status, 403);
  assert.equal((await post({ ...json, Origin: "http://evil.example" })).status, 403);
  assert.equal((await post({ ...json, Origin: "null" })).status, 403);
  assert.equal((await post({ ...json, "Sec-Fetch-Site": "cross-site" })).status, 403);
  const form = { ...bearer, "Content-Type": "application/x-www-form-urlencoded" };
  assert.equal((await post(form)).status, 415);
  // In an address a token may be seen and repeated by others: it only reads.
  const query = `/api/control/stop?token=${key}`;
  assert.equal((await post({ "Content-Type": "application/json" }, query)).status, 403);
  for (const path of ["/api/control/stop", "/stop", query])
    assert.equal((await ask(path, { headers: bearer })).status, 404, path);
  for (const method of ["PUT", "DELETE", "OPTIONS"])
    assert.equal((await ask("/api/control/stop", { method, headers: bearer })).status, 405);
  assert.deepEqual(calls, []);
  assert.equal((await change("stop", {})).status, 200);
  assert.deepEqual(calls, ["stop"]);
});

test("controls pass on what was asked for, and what the crawl refuses", async (t) => {
  const { change, calls } = await serve(t);
  await change("pause", {});
  await change("go-on", {});
  await change("block-host", { host: "a.example" });
  await change("set-host", { host: "a.example", delayMs: 50, budget: null });
  await change("set-links", { links: 9 });
  assert.deepEqual(calls, [
    ...["pause", "goOn", ["block", "a.example"]],
    ["set", "a.example", { delayMs: 50, connections: undefined, budget: undefined }],
    ["links", 9],
  ]);
  const seeds = await change("add-seeds", { urls: ["http://a.example/"] });
  assert.deepEqual(JSON.parse(seeds.body).result, { added: 1, known: 0, refused: [] });
  const refused = await change("block-host", { host: 3 });
  assert.equal(refused.status, 409);
  assert.match(refused.body, /not the name of a host/);
  assert.equal((await change("explode", {})).status, 404);
  assert.equal((await change("add-seeds", { urls: ["x".repeat(300_000)] })).status, 413);
});

test("W5: nothing outside the page's own files is served", async (t) => {
  const { ask, key } = await serve(t);
  for (const path of [
    ...["/../dashboard-server.js", "/vendor/../../check-request.js", "/%2e%2e/%2e%2e/package.json"],
    ...["/..%2f..%2fetc/passwd", "//etc/passwd", "/vendor/", "/public/app.js", "/__proto__"],
    `/api/files?path=../../&token=${key}`,
    `/api/constructor?token=${key}`,
  ])
    assert.equal((await ask(path)).status, 404, path);
  for (const path of ["/", "/app.js", "/style.css", "/vendor/uPlot.esm.js", "/icon.svg"])
    assert.equal((await ask(path)).status, 200, path);
});

test("W1: everything is sent with a policy that runs our own files only, and the page has no inline script", async (t) => {
  const { ask } = await serve(t);
  for (const path of ["/", "/app.js", "/metrics", "/nothing"]) {
    const { headers } = await ask(path);
    assert.match(String(headers["content-security-policy"]), /^default-src 'self';/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
  }
  const { body } = await ask("/");
  assert.doesNotMatch(body, /<script(?![^>]*src=)|<style|\son\w+=|\sstyle=/);
});

test("status needs the token; metrics and health do not", async (t) => {
  const { ask, key } = await serve(t);
  assert.equal((await ask("/api/status")).status, 403);
  assert.equal((await ask(`/api/status?token=${key}x`)).status, 403);
  const { body } = await ask(`/api/status?token=${key}`);
  const status = JSON.parse(body);
  assert.equal(status.version, 1);
  assert.equal(status.figures.pages, 7);
  const metrics = await ask("/metrics");
  assert.match(metrics.body, /^orbweaver_pages_total 7$/m);
  assert.match(metrics.body, /^orbweaver_errors_total\{code="http_404"\} 2$/m);
  assert.equal((await ask("/healthz")).body, "ok\n");
});

function listenTo(port: number, key: string): Promise<{ socket: Socket; head: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET /api/events?token=${key} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
    );
    socket.once("error", reject);
    socket.once("data", (data) => resolve({ socket, head: data.toString("latin1") }));
  });
}

test("W4: a hundred clients listen, the next one is told so", async (t) => {
  const { port, key, tell } = await serve(t);
  const clients = await Promise.all(Array.from({ length: 100 }, () => listenTo(port, key)));
  t.after(() => {
    for (const { socket } of clients) socket.destroy();
  });
  for (const { head } of clients) assert.match(head, /^HTTP\/1.1 200 /);
  const late = await listenTo(port, key);
  assert.match(late.head, /^HTTP\/1.1 503 /);
  late.socket.destroy();
  const next = new Promise((resolve) => clients[99]!.socket.once("data", resolve));
  tell();
  assert.match(String(await next), /event: status/);
});

test("W4: a client that never reads is dropped, and what waits for it stays small", async (t) => {
  const { port, key, tell } = await serve(t);
  const { socket } = await listenTo(port, key);
  socket.pause();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const before = process.memoryUsage().rss;
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  // More than the limit below, if they were all kept; buffers of the system take a few MB.
  for (let events = 0; events < 80_000; events++) {
    tell();
    if (events % 100 === 0) await new Promise(setImmediate);
  }
  const after = process.memoryUsage().rss;
  assert.ok(after - before < 64 * 2 ** 20, `${Math.round((after - before) / 2 ** 20)} MiB more`);
  socket.resume();
  await closed;
  assert.ok(isClosed);
});

test("W4: a connection that asks a hundred times is closed, however many requests it has sent", async (t) => {
  const { port } = await serve(t);
  const text = await new Promise<string>((resolve, reject) => {
    const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const socket = connect(port, "127.0.0.1", () => socket.write(request.repeat(500)));
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received += chunk;
    });
    // What was still to be read when it was closed may reset the connection.
    socket.on("error", (fault: NodeJS.ErrnoException) => {
      if (fault.code !== "ECONNRESET") reject(fault);
    });
    socket.once("close", () => resolve(received));
  });
  const answers = text.match(/HTTP\/1\.1 \d+/g) ?? [];
  assert.ok(answers.length <= 100, `${answers.length} answers`);
  assert.ok(answers.every((answer) => answer === "HTTP/1.1 200"));
});

test("what threads exchanged is told of the end of its file, a cut line left out", async (t) => {
  const { ask, key, dir } = await serve(t);
  const exchanges = async () => JSON.parse((await ask(`/api/exchanges?token=${key}`)).body);
  assert.equal((await ask("/api/exchanges")).status, 403);
  mkdirSync(join(dir, "reports"));
  const line = { seconds: 1, exchanges: 2, visits: 30, blocks: 4, lateOwn: 5, lateForeign: 6 };
  const lines = [0, 1, 0].map((thread) =>
    JSON.stringify({ ...line, thread, q: 7, pivot: 8 }).concat("\n"),
  );
  writeFileSync(join(dir, "reports", "exchanges.jsonl"), `${lines.join("")}{"seconds":2,`);
  const { isWhole, threads } = await exchanges();
  assert.equal(isWhole, true);
  assert.deepEqual(
    threads.map(({ thread, visits, lateOwn }: Record<string, number>) => [thread, visits, lateOwn]),
    [
      [0, 60, 10],
      [1, 30, 5],
    ],
  );
});

test("address and token are in the folder, for this user alone, until the end", async (t) => {
  const { dir, dashboard } = await serve(t);
  const file = join(dir, "state", "dashboard.json");
  assert.equal(existsSync(file), false);
  dashboard.note();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { url, token } = JSON.parse(readFileSync(file, "utf8"));
  assert.equal(`${url}/?token=${token}`, dashboard.url);
  assert.equal(runningDashboard(dir), dashboard.url);
  await dashboard.close();
  assert.equal(existsSync(file), false);
  assert.equal(runningDashboard(dir), undefined);
});

test("W6: an address that others reach needs a token of one's own, and a long one", () => {
  const refused = (address: string, token?: string) =>
    assert.throws(
      () => checkListen({ port: 0, address, token }),
      (fault) => fault instanceof UsageError && fault.exitCode === EXIT.usage,
      address,
    );
  refused("0.0.0.0");
  refused("::");
  refused("192.0.2.1");
  refused("0.0.0.0", "short");
  refused("0.0.0.0", "sixteen letters but spaces");
  refused("evil.example", "0123456789abcdef");
  checkListen({ port: 0, address: "0.0.0.0", token: "0123456789abcdef" });
  checkListen({ port: 0, address: "127.0.0.1", token: undefined });
});

test("a port that is taken is a sentence", async (t) => {
  const { port, dir } = await serve(t);
  const source = { dir, lines: () => [], onFigures: () => () => {}, controls: undefined };
  const rules = { port, address: "127.0.0.1", token: undefined };
  const nobody = { ...source, hosts: async () => ({ total: 0, hosts: [] }) };
  await assert.rejects(
    serveDashboard(nobody, new LogView(dir), rules, "1.2.3"),
    (fault) => fault instanceof OrbweaverError && /cannot listen on/.test(fault.message),
  );
});
