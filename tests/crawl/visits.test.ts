import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readRecords } from "../support/archive.ts";
import { orbweaver, readLines, readLog, tempFolder } from "../support/orbweaver.ts";
import { proxyServer } from "./proxy-server.ts";
import { brief, crawlScript } from "./scripted-crawl.ts";
import { html, redirect, scriptedServer } from "./scripted-server.ts";

const SECRET = Buffer.from("user:secret word").toString("base64");
const QUIET = ["--delay", "0", "--quiet", "--retries", "0", "--contact", "test@example.org"];

function secureServer(t: TestContext): Promise<number> | undefined {
  const folder = tempFolder(t);
  try {
    const options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const files = ["-keyout", "k.pem", "-out", "c.pem", "-subj", "/CN=other.test", "-days", "2"];
    execFileSync("openssl", ["req", "-x509", ...options, ...files], {
      cwd: folder,
      stdio: "ignore",
    });
  } catch {
    return undefined;
  }
  const [key, cert] = ["k.pem", "c.pem"].map((name) => readFileSync(join(folder, name), "utf8"));
  const server = createSecureServer({ key: key!, cert: cert! }, (request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(request.url === "/" ? "<a href=/a>x</a>" : "end");
  });
  t.after(() => server.close().closeAllConnections());
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}

test("plain pages through a proxy: whole URLs, its password for it alone, names left to it", async (t) => {
  const seen: (string | undefined)[] = [];
  const origin = await scriptedServer(t, {
    "/": (request, response) => {
      seen.push(request.headers["proxy-authorization"]);
      html("<a href=/a>1</a><a href=http://10.0.0.1/>2</a><a href=http://localhost/>3</a>")(
        request,
        response,
      );
    },
    "/a": html(""),
  });
  const originPort = Number(new URL(origin.origin).port);
  const proxy = await proxyServer(t, originPort);
  const out = join(tempFolder(t), "out");
  const { code, stderr } = await orbweaver([
    ...["crawl", "http://far.example/", "--out", out, "--scope", "any", ...QUIET],
    ...["--proxy", `http://user:secret%20word@127.0.0.1:${proxy.port}`],
  ]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(proxy.asked.sort(), [
    `GET http://far.example/ Basic ${SECRET}`,
    `GET http://far.example/a Basic ${SECRET}`,
    `GET http://far.example/robots.txt Basic ${SECRET}`,
  ]);
  assert.deepEqual(seen, [undefined]);
  const log = new Map(readLog(out).map((line) => [line.url, line]));
  assert.deepEqual(brief(log.get("http://far.example/a")), ["page", 200, "link"]);
  for (const url of ["http://10.0.0.1/", "http://localhost/"])
    assert.deepEqual(brief(log.get(url)), ["refused", "blocked_private_address", "link"]);
  const records = readRecords(join(out, "archive"));
  assert.deepEqual(
    records.flatMap(({ problems }) => problems),
    [],
  );
  for (const { headers, block } of records) {
    assert.ok(!block.includes(SECRET) && !/proxy-authorization/i.test(block.toString("latin1")));
    assert.equal(headers.get("warc-ip-address"), undefined);
  }
  for (const file of ["logs/crawl.jsonl", "state/crawl.json", "reports/summary.json"])
    assert.ok(!readFileSync(join(out, file), "utf8").includes("secret"), file);
});

test("TLS through a proxy: a tunnel, kept; each scheme has its own proxy and password; --insecure is archived", async (t) => {
  const port = await secureServer(t);
  if (port === undefined) return t.skip("openssl is not here to make certificates");
  const plain = await scriptedServer(t, { "/": html("") });
  const secure = await proxyServer(t, port);
  const other = await proxyServer(t, Number(new URL(plain.origin).port));
  const out = join(tempFolder(t), "out");
  const { code } = await orbweaver([
    ...[
      "crawl",
      "https://far.example/",
      "http://far.example/",
      "--out",
      out,
      "--insecure",
      ...QUIET,
    ],
    ...["--proxy", `https=http://user:secret%20word@127.0.0.1:${secure.port}`],
    ...["--proxy", `http=http://127.0.0.1:${other.port}`, "--links-per-thread", "1"],
  ]);
  assert.equal(code, 0);
  assert.ok(secure.asked.length >= 1);
  for (const line of secure.asked) assert.equal(line, `CONNECT far.example:443 Basic ${SECRET}`);
  assert.ok(secure.asked.length <= 2, "the tunnel is kept for the next request");
  assert.deepEqual(other.asked.sort(), [
    "GET http://far.example/ -",
    "GET http://far.example/robots.txt -",
  ]);
  const lines = readLines<{ url: string; outcome: string; insecure?: string }>(
    join(out, "logs/crawl.jsonl"),
  );
  assert.deepEqual(lines.map(({ url, outcome, insecure }) => [url, outcome, insecure]).sort(), [
    ["http://far.example/", "page", undefined],
    ["https://far.example/", "page", "tls_self_signed"],
    ["https://far.example/a", "page", "tls_self_signed"],
  ]);
  const text = readRecords(join(out, "archive")).map(({ block }) => block.toString("latin1"));
  assert.ok(text.some((block) => /^tls-verification: off\r$/m.test(block)));
  assert.ok(text.some((block) => /^tls-unverified: tls_self_signed\r$/m.test(block)));
  assert.ok(!text.some((block) => block.includes(SECRET)));
});

test("a proxy that refuses is told as such, and nobody is asked directly", async (t) => {
  const origin = await scriptedServer(t, { "/": html("") });
  const proxy = await proxyServer(t, Number(new URL(origin.origin).port), true);
  for (const url of ["http://far.example/", "https://far.example/"]) {
    const out = join(tempFolder(t), "out");
    await orbweaver([
      ...["crawl", url, "--out", out, ...QUIET],
      ...["--proxy", `http://127.0.0.1:${proxy.port}`],
    ]);
    assert.equal(readLog(out)[0]?.error, "proxy_refused", url);
  }
  assert.deepEqual(origin.asked, []);
});

test("cookies: none by default; with --cookies they return to their origin and to nobody else", async (t) => {
  const seen: string[] = [];
  const note = (name: string, body: string, headers: Record<string, string> = {}) =>
    ((request, response) => {
      seen.push(`${name} ${request.headers.cookie ?? "-"}`);
      html(body, headers)(request, response);
    }) satisfies Parameters<typeof scriptedServer>[1][string];
  const other = await scriptedServer(t, { "/": note("other", ""), "/r": note("redirected", "") });
  const script = {
    "/": note("first", `<a href=/a>1</a><a href=/away>2</a><a href=${other.origin}/>3</a>`, {
      "set-cookie": "id=42; Path=/",
    }),
    "/a": note("second", ""),
    "/away": redirect(`${other.origin}/r`),
  };
  const args = ["--scope", "any", "--allow-private", "127.0.0.1"];
  await crawlScript(t, script, ...args);
  assert.deepEqual(seen.sort(), ["first -", "other -", "redirected -", "second -"]);
  seen.length = 0;
  const { out } = await crawlScript(t, script, ...args, "--cookies");
  assert.deepEqual(seen.sort(), ["first -", "other -", "redirected -", "second id=42"]);
  for (const { type, block } of readRecords(join(out, "archive")))
    if (type === "request") assert.ok(!/^cookie/im.test(block.toString("latin1")));
});
