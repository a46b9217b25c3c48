import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  orbweaver,
  readLog,
  readPages,
  readReport,
  tempFolder,
} from "../../../support/orbweaver.ts";
import { crawlOrigin } from "../../scripted-crawl.ts";

/** A server that makes up a page for every path. */
async function endlessServer(t: TestContext, page: (path: string) => string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    if (request.url === "/robots.txt") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/html" });
    response.end(page(request.url!));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test("a folder inside itself ends by itself, with the reason in log and report; --no-traps goes on", async (t) => {
  const server = await endlessServer(t, (path) =>
    path === "/"
      ? "<a href=/x/>1</a><a href=/end>2</a>"
      : path === "/end"
        ? "end"
        : "<a href=x/>x</a>",
  );
  const { log, out, skipped } = await crawlOrigin(t, server.origin);
  assert.ok(server.asked.length <= 120, `${server.asked.length} requests`);
  assert.ok(log.has("/end"));
  const reasons = [...log.values(), ...skipped.map(({ reason }) => ({ error: reason }))];
  assert.ok(reasons.some(({ error }) => error === "trap_repeated_path"));
  assert.equal(readReport(out).failed, 0);
  server.asked.length = 0;
  const on = await crawlOrigin(t, server.origin, "--no-traps", "--max-depth", "300");
  assert.equal(on.log.size, 302);
});

test("--max-pages-per-site stores exactly that many pages of each site, whatever else fails", async (t) => {
  const page = (path: string) =>
    path === "/" || path.startsWith("/p")
      ? Array.from(
          { length: 5 },
          (_, i) => `<a href=/p${Number(path.slice(2) || 0) * 5 + i + 1}>x</a>`,
        ).join("")
      : "";
  const first = await endlessServer(t, page);
  const port = new URL(first.origin).port;
  const out = join(tempFolder(t), "out");
  const seeds = ["a.test", "b.test", "www.c-site.test"].map((host) => `http://${host}:${port}/`);
  const { code } = await orbweaver([
    ...["crawl", ...seeds, "--out", out, "--delay", "0", "--quiet", "--threads", "2"],
    ...["--max-pages-per-site", "37", "--allow-private", "127.0.0.1"],
    ...["a", "b", "www.c-site"].flatMap((name) => ["--resolve", `${name}.test:127.0.0.1:${port}`]),
  ]);
  assert.equal(code, 0);
  const counts = new Map<string, number>();
  for (const { url } of readPages(out)) {
    const { hostname } = new URL(url);
    counts.set(hostname, (counts.get(hostname) ?? 0) + 1);
  }
  assert.deepEqual([...counts].sort(), [
    ["a.test", 37],
    ["b.test", 37],
    ["www.c-site.test", 37],
  ]);
  assert.ok(readLog(out).some(({ error }) => error === "max_pages_per_site"));
  assert.ok(first.asked.length <= 3 * 38, "nothing was asked for in vain");
});
