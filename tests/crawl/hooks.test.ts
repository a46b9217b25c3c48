import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { moduleOf } from "../../src/config/user-module.ts";
import { loadHooks } from "../../src/crawl/visit/hooks/load-hooks.ts";
import { type BeforeRequest, Crawl, crawl, type ShouldVisit } from "../../src/index.ts";
import { readRecords } from "../support/archive.ts";
import { orbweaver, readLines, readPages, tempFolder } from "../support/orbweaver.ts";
import { html, redirect, type Script, scriptedServer } from "./scripted-server.ts";

const SITE: Script = {
  "/": html("<a href=/a>a</a> <a href=/no>no</a> <a href=/moved>m</a> <a href=/deep/b>b</a>"),
  "/a": html("<a href=/no/2>x</a>"),
  "/deep/b": html("b"),
  "/moved": redirect("/no/target"),
  "/no": html("no"),
  "/no/2": html("no"),
  "/no/target": html("no"),
};

async function site(t: TestContext, script: Script = SITE) {
  const { origin, asked } = await scriptedServer(t, script);
  const out = join(tempFolder(t), "out");
  const settings = { seeds: [`${origin}/`], out, delayMs: 0, allowPrivate: ["127.0.0.0/8"] };
  return { origin, asked, out, settings };
}

const pathsOf = (out: string) =>
  readPages(out)
    .map(({ url }) => new URL(url).pathname)
    .sort();

test("shouldVisit decides about links, also those that a redirect or a handler brings", async (t) => {
  const { origin, asked, out, settings } = await site(t);
  const hooks = join(tempFolder(t), "hooks.mjs");
  writeFileSync(
    hooks,
    `export const shouldVisit = (url, depth) => !url.includes("/no") && !(depth > 1);
     export default ({ links, enqueue }) => enqueue([...links, "/no/2", "/deep/b"]);`,
  );
  await crawl({ ...settings, shouldVisit: hooks, handler: hooks });
  assert.deepEqual(pathsOf(out), ["/", "/a", "/deep/b"]);
  assert.ok(!asked.some((path) => path.startsWith("/no")));
  const skipped = readLines<{ url: string; reason: string }>(join(out, "reports/skipped.jsonl"));
  const reasons = skipped.map(({ url, reason }) => `${url.slice(origin.length)} ${reason}`).sort();
  assert.deepEqual(reasons, ["/no should_visit", "/no/2 should_visit", "/no/target should_visit"]);
});

test("a link that is found in scope at a second look is asked about as well", async (t) => {
  const other = await scriptedServer(t, {
    "/": html("<a href=/yes>y</a>"),
    "/yes": html("y"),
    "/no": html("n"),
  });
  const { out, settings } = await site(t, {
    "/": html(`<a href=${other.origin}/no>n</a><a href=${other.origin}/yes>y</a>`),
    "/seed": redirect(`${other.origin}/`),
  });
  const seeds = [settings.seeds[0]!, `${settings.seeds[0]}seed`];
  const shouldVisit: ShouldVisit = (url) => !url.includes("/no");
  await crawl({ ...settings, seeds, threads: 1, linksPerThread: 1, shouldVisit });
  assert.deepEqual(pathsOf(out), ["/", "/", "/yes"]);
  assert.ok(!other.asked.includes("/no"));
});

test("beforeRequest changes what pages are asked with; the archive keeps none of it", async (t) => {
  const seen: string[] = [];
  const page = html("<a href=/a>a</a>");
  const note: Script[string] = (request, response) => {
    const { "x-token": token, "accept-language": language, cookie } = request.headers;
    seen.push([request.url, token, language, cookie, request.headers["user-agent"]].join(" "));
    page(request, response);
  };
  const { origin, out, settings } = await site(t, { "/robots.txt": note, "/": note, "/a": note });
  const beforeRequest: BeforeRequest = (headers, url) => {
    headers["X-Token"] = `t${new URL(url).pathname}`;
    headers.Cookie = "id=1";
    delete headers["Accept-Language"];
  };
  const userAgent = "Bot/1";
  const headers = ["Accept-Language: de", "X-Kept: yes"];
  await crawl({ ...settings, beforeRequest, userAgent, headers });
  assert.deepEqual(seen, ["/robots.txt  de  Bot/1", "/ t/  id=1 Bot/1", "/a t/a  id=1 Bot/1"]);
  const requests = readRecords(join(out, "archive"))
    .filter(({ type, uri }) => type === "request" && uri !== `${origin}/robots.txt`)
    .map(({ block }) => block.toString("latin1"));
  assert.equal(requests.length, 2);
  for (const text of requests) {
    assert.doesNotMatch(text, /x-token|cookie/i);
    assert.match(text, /^User-Agent: Bot\/1\r$/m);
    assert.match(text, /^X-Kept: yes\r$/m);
  }
  const all = `${out}2`;
  await crawl({ ...settings, out: all, beforeRequest, archiveCredentials: true });
  const texts = readRecords(join(all, "archive")).map(({ block }) => block.toString("latin1"));
  assert.ok(texts.some((text) => /^X-Token: t\/a\r$/m.test(text)));
});

test("a hook that fails stops the crawl with a sentence; a resume goes on", async (t) => {
  const { out, settings } = await site(t);
  const outside = "x"; // a function that goes to the threads leaves this behind
  const failing: ShouldVisit = (url) => url !== outside;
  await assert.rejects(crawl({ ...settings, shouldVisit: failing }), {
    code: "OW_USAGE",
    message: /--should-visit \(a function\) failed for http.*: outside is not defined/,
  });
  const { pages } = await Crawl.resume(out, { shouldVisit: () => true }).run();
  assert.equal(pages, 6);
  const { code, stderr } = await orbweaver([
    "crawl",
    "http://127.0.0.1:1/",
    "--should-visit",
    "nowhere.mjs",
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /--should-visit .*nowhere\.mjs cannot be loaded/);
});

test("what a hook may not answer is refused, without the value of a header", async () => {
  const visit = async (given: unknown) =>
    (await loadHooks({ shouldVisit: moduleOf("shouldVisit", given as ShouldVisit) })).shouldVisit!;
  for (const give of [() => 1, async () => true, () => undefined])
    await assert.rejects(async () => (await visit(give))("http://h/", 1), /says true or false/);
  const request = async (given: unknown) =>
    (await loadHooks({ beforeRequest: moduleOf("beforeRequest", given as BeforeRequest) }))
      .beforeRequest!;
  const base = [
    ["User-Agent", "Bot/1"],
    ["Accept", "*/*"],
  ] as const;
  const setting = (name: string, value: string) => ({ ...Object.fromEntries(base), [name]: value });
  const cases: [unknown, RegExp][] = [
    [`() => (${JSON.stringify(setting("User-Agent", "Other"))})`, /sets that header itself/],
    [`() => (${JSON.stringify(setting("user-agent", "Other"))})`, /sets that header itself/],
    [`() => (${JSON.stringify(setting("Host", "x"))})`, /sets that header itself/],
    [`(headers) => { headers["X-A"] = "secret\\r\\nX: y"; }`, /cannot be sent/],
    [`(headers) => { headers["X A"] = "y"; }`, /sets that header itself/],
    ["async () => {}", /at once/],
  ];
  for (const [give, message] of cases) {
    const module = `data:text/javascript;charset=utf-8,${encodeURIComponent(`export default ${give}`)}`;
    const hook = (await loadHooks({ beforeRequest: module })).beforeRequest!;
    assert.throws(
      () => hook(base, "http://h/"),
      (error: Error) => message.test(error.message) && !error.message.includes("secret"),
      String(give),
    );
  }
  const bare = await request(() => ({}));
  assert.deepEqual(bare(base, "http://h/"), [["User-Agent", "Bot/1"]]);
});
