import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parseAuth, parseHeader } from "../../src/config/values/credential-value.ts";
import { readCookieFile } from "../../src/fetch/cookies/cookie-file.ts";
import { CookieJar } from "../../src/fetch/cookies/cookie-jar.ts";
import { readCredentials } from "../../src/fetch/credentials.ts";
import { AddressPolicy } from "../../src/fetch/route/address.ts";
import { NameResolver } from "../../src/fetch/route/resolve.ts";
import { RouteFinder } from "../../src/fetch/route/route.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { partsOf } from "../../src/url/url-parts.ts";
import { html, scriptedServer } from "../crawl/scripted-server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";

type Seen = { path: string; key: unknown; auth: unknown; cookie: unknown; language: unknown };

/** A server that notes what it was sent, and redirects to another one. */
async function noting(t: TestContext, other: string) {
  const seen: Seen[] = [];
  const note = (page: ReturnType<typeof html>) => (request: never, response: never) => {
    const { url, headers } = request as { url: string; headers: Record<string, unknown> };
    const { "x-key": key, authorization: auth, cookie } = headers;
    seen.push({ path: url, key, auth, cookie, language: headers["accept-language"] });
    return (page as (a: never, b: never) => void)(request, response);
  };
  const to =
    (location: string) =>
    (_: never, response: { writeHead: (s: number, h: object) => { end(): void } }) =>
      response.writeHead(302, { location }).end();
  const script = {
    "/": note(html("<a href=/away><a href=/b>")),
    "/b": note(html("")),
    "/away": to(`${other}/there`),
    "/there": note(html("")),
  } as never;
  const { origin } = await scriptedServer(t, script);
  return { origin, seen };
}

test("what is for one origin reaches no other, and is archived only where that is asked for", async (t) => {
  const there = await noting(t, "http://127.0.0.1:1");
  const here = await noting(t, there.origin);
  const folder = tempFolder(t);
  writeFileSync(join(folder, "key"), "k-secret\n");
  const cookies = join(folder, "cookies.txt");
  writeFileSync(
    cookies,
    "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/b\tFALSE\t0\tsid\tc-secret\n",
  );
  const args = [`${here.origin}/`, "--scope", "any", "--delay", "0", "--quiet", "--no-robots"];
  args.push("--allow-private", "127.0.0.0/8", "--sitemaps", "off", "--cookies", cookies);
  args.push("--header", `${here.origin} X-Key: file:${join(folder, "key")}`);
  args.push("--header", "Accept-Language: de", "--auth", `${here.origin}=env:OW_TEST_LOGIN`);
  process.env.OW_TEST_LOGIN = "me:p-secret";
  t.after(() => delete process.env.OW_TEST_LOGIN);
  const basic = `Basic ${Buffer.from("me:p-secret").toString("base64")}`;
  for (const keeps of [false, true]) {
    const out = join(folder, `out-${keeps}`);
    const more = keeps ? ["--archive-credentials"] : [];
    const { code, stderr } = await orbweaver(["crawl", ...args, "--out", out, ...more]);
    assert.equal(code, 0, stderr);
    const archive = join(out, "archive");
    const texts = readdirSync(archive).map((name) => gunzipSync(readFileSync(join(archive, name))));
    const text = Buffer.concat(texts).toString("latin1");
    for (const secret of ["k-secret", basic, "c-secret"])
      assert.equal(text.includes(secret), keeps, `${secret}, ${keeps}`);
    assert.ok(text.includes("Accept-Language: de"));
    for (const name of ["crawl.json", "crawl-copy.json"])
      assert.doesNotMatch(readFileSync(join(out, "state", name), "latin1"), /[kpc]-secret/);
  }
  for (const { path, key, auth, cookie, language } of here.seen) {
    assert.deepEqual([key, auth, language], ["k-secret", basic, "de"]);
    assert.equal(cookie, path === "/b" ? "sid=c-secret" : undefined);
  }
  assert.ok(there.seen.length >= 2);
  for (const { key, auth, language } of there.seen)
    assert.deepEqual([key, auth, language], [undefined, undefined, "de"]);
});

test("secrets that are not there, or were typed, are refused without being told", () => {
  const auth = ["https://a.example=env:NONE"];
  assert.throws(() => readCredentials({ auth }, {}), /--auth: env:NONE is empty or not set/);
  const bad = { NONE: "a:b\r\nX: y" };
  assert.throws(() => readCredentials({ auth }, bad), /holds what cannot be sent/);
  assert.deepEqual(readCredentials({ auth }, { NONE: "Bearer t" }), [
    { origin: "https://a.example", name: "Authorization", value: "Bearer t" },
  ]);
  assert.match(parseAuth("https://a.example=me:pass") as string, /never typed/);
  for (const text of ["Authorization: x", "Cookie: a=b", "Host: x", "Content-Length: 1", "a b: c"])
    assert.equal(typeof parseHeader(text), "string", text);
  assert.equal(typeof parseHeader("https://a.example/path X: y"), "string");
  assert.equal(typeof parseHeader("X: a\nB: c"), "string");
});

test("cookies of a file go to their hosts, by https alone where they say so", (t) => {
  const file = join(tempFolder(t), "c.txt");
  const lines = [
    ".shop.example\tTRUE\t/\tFALSE\t0\ta\t1",
    "#HttpOnly_shop.example\tFALSE\t/in\tTRUE\t0\tb\t2",
    "shop.example\tFALSE\t/\tFALSE\t5\told\t3",
    "co.uk\tTRUE\t/\tFALSE\t0\teverybody\t4",
  ];
  writeFileSync(file, `${lines.join("\r\n")}\n`);
  const jar = new CookieJar(() => 1e12, readCookieFile(file));
  const sent = (url: string) => jar.header(partsOf(canonicalize(url)!));
  assert.equal(sent("https://shop.example/in/x"), "b=2; a=1");
  assert.equal(sent("http://shop.example:8080/in"), "a=1");
  assert.equal(sent("http://www.shop.example/"), "a=1");
  for (const url of ["http://example/", "http://notshop.example/", "http://a.co.uk/"])
    assert.equal(sent(url), undefined, url);
  writeFileSync(file, "shop.example\tFALSE\t/\n");
  assert.throws(() => readCookieFile(file), /line 1 is no cookie/);
});

test("each host has one of several proxies, always the same", async () => {
  const resolver = new NameResolver({ askServers: false, clock: () => 0 });
  const policy = new AddressPolicy({ consents: [], allow: ["127.0.0.0/8"] });
  const proxies = [1, 2, 3].map((port) => `http://127.0.0.1:${port}`);
  const finder = new RouteFinder({ resolver, policy, contact: true, proxies });
  const used = new Map<string, Set<number>>();
  for (let i = 0; i < 60; i++) {
    const url = canonicalize(`http://h${i % 20}.example/${i}`)!;
    const found = await finder.find(partsOf(url));
    assert.ok(found.kind === "route");
    const host = `h${i % 20}`;
    used.set(host, (used.get(host) ?? new Set()).add(found.route.target.connectPort));
  }
  assert.ok([...used.values()].every((ports) => ports.size === 1));
  assert.equal(new Set([...used.values()].flatMap((ports) => [...ports])).size, 3);
});
