import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { orbweaver, readLog, tempFolder } from "../../../support/orbweaver.ts";

const HONEST = ["h1", "h2", "h3", "h4"];
const TRAPS: Record<string, (path: string) => string> = {
  calendar: (path) => {
    const day = Number(/d=(\d+)/.exec(path)?.[1] ?? 0);
    return `<title>Day ${day}</title>no events<a href="/cal?d=${day + 1}">next</a>`;
  },
  session: (path) => {
    const seed = [...path].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7);
    const token = (n: number) => (seed * 2654435761 + n * 40503).toString(16).padEnd(14, "0a9b");
    return `<title>Shop</title>${[1, 2, 3].map((n) => `<a href="/s/${token(n)}/p${n}">x</a>`).join("")}`;
  },
  nested: () => "<title>same</title><a href=one/>1</a><a href=two/>2</a>",
};

async function web(t: TestContext): Promise<{ port: number; asked: Map<string, number> }> {
  const asked = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    const host = request.headers.host!.split(".")[0]!;
    asked.set(host, (asked.get(host) ?? 0) + 1);
    const path = request.url!;
    response.writeHead(path === "/robots.txt" ? 404 : 200, { "content-type": "text/html" });
    if (host in TRAPS) return response.end(TRAPS[host]!(path));
    const n = Number(/\d+/.exec(path)?.[0] ?? 0);
    const next = [3 * n + 1, 3 * n + 2, 3 * n + 3].map((child) => `<a href=/p/${child}>x</a>`);
    return response.end(`<title>Page ${n} of ${host}</title>${next.join("")}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, asked };
}

async function crawl(t: TestContext, hosts: readonly string[], ...args: string[]) {
  const { port, asked } = await web(t);
  const out = join(tempFolder(t), "out");
  const names = [...HONEST, ...Object.keys(TRAPS)];
  const { code, stderr } = await orbweaver([
    ...["crawl", ...hosts.map((host) => `http://${host}.test:${port}/`), "--out", out, "--quiet"],
    ...["--allow-private", "127.0.0.1", "--no-robots", ...args],
    ...names.flatMap((host) => ["--resolve", `${host}.test:127.0.0.1:${port}`]),
  ]);
  return { asked, out, code, stderr };
}

test("P4: of each endless trap at most 5,000 URLs are fetched, and the crawl ends by itself", async (t) => {
  const { asked, out, code } = await crawl(t, Object.keys(TRAPS), "--delay", "0");
  assert.equal(code, 0);
  for (const [host, count] of asked) {
    t.diagnostic(`${host}: ${count} requests`);
    assert.ok(count <= 5000, `${host}: ${count}`);
  }
  const reasons = new Map<string, number>();
  for (const { error } of readLog(out))
    if (error?.startsWith("trap_")) reasons.set(error, (reasons.get(error) ?? 0) + 1);
  t.diagnostic(JSON.stringify(Object.fromEntries(reasons)));
  assert.ok(reasons.size > 0);
});

test("P4: beside traps other hosts keep at least 95 % of their rate", async (t) => {
  const pace = ["--delay", "20", "--max-time", "8s"];
  const alone = await crawl(t, HONEST, ...pace);
  const beside = await crawl(t, [...HONEST, ...Object.keys(TRAPS)], ...pace);
  const sum = (asked: Map<string, number>) =>
    HONEST.reduce((total, host) => total + (asked.get(host) ?? 0), 0);
  const [before, after] = [sum(alone.asked), sum(beside.asked)];
  t.diagnostic(`${before} requests alone, ${after} beside three traps`);
  assert.ok(after >= 0.95 * before, `${after} of ${before}`);
});
