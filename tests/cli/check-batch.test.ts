import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { MAIN } from "../support/orbweaver.ts";
import { runBin, runHere } from "./run-bin.ts";

async function batch(kind: string, lines: readonly unknown[], options: string[] = []) {
  const stdin = lines
    .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
    .join("\n");
  const { code, stdout, stderr } = await runHere(["check", kind, "--batch", ...options], stdin);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("robots: verdict, line, delay in seconds, sitemaps", async () => {
  const robots = "User-agent: *\nDisallow: /x\nCrawl-delay: 2.5\nSitemap: /s.xml\n";
  assert.deepEqual(
    await batch("robots", [
      { robots, agent: "Examplebot", url: "https://h/x/y?z" },
      { robots_b64: base64(robots), agent: "Examplebot", url: "/y" },
      { robots: "", agent: "a", url: "" },
    ]),
    [
      { allowed: false, line: 2, crawlDelay: 2.5, sitemaps: ["/s.xml"] },
      { allowed: true, line: null, crawlDelay: 2.5, sitemaps: ["/s.xml"] },
      { allowed: true, line: null, crawlDelay: null, sitemaps: [] },
    ],
  );
});

test("url: canonical form, keys and site, or the reason against it", async () => {
  const lines = [
    { input: "../b%7e?utm_source=x&a=1#top", base: "https://www.example.org/a/c/d" },
    { input: "mailto:x" },
    { input: "x" },
    { input: "http://h/", base: "about:blank" },
    { input: "x", base: "about:blank" },
    { input: "http://h/", base: null },
  ];
  const answers = await batch("url", lines, ["--drop-tracking"]);
  assert.deepEqual(answers, [
    {
      url: "https://www.example.org/a/b%7e?utm_source=x&a=1",
      key: "https://www.example.org/a/b~?a=1",
      surt: "org,example)/a/b~?a=1&utm_source=x",
      site: "example.org",
    },
    { url: null, reason: "blocked_scheme" },
    { url: null, reason: "bad_url" },
    { url: "http://h/", key: "http://h/", surt: "h)/", site: "h" },
    { url: null, reason: "bad_url" },
    { url: "http://h/", key: "http://h/", surt: "h)/", site: "h" },
  ]);
});

test("links, sitemap, charset", async () => {
  const html =
    "<title>\u00e9</title><base href=/b/><a href=x>one two</a><meta http-equiv=refresh content='1;y'>";
  assert.deepEqual(await batch("links", [{ html, url: "http://h/a" }]), [
    {
      links: ["http://h/b/x", "http://h/b/y"],
      base: "http://h/b/",
      title: "\u00e9",
      charset: "utf-8",
      words: 2,
      refresh: "http://h/b/y",
    },
  ]);
  const [plain, russian] = await batch("links", [
    { html_b64: base64("<p>x"), url: "http://h/a" },
    { html_b64: base64("<p>x"), url: "http://h/a", contentType: "text/html;charset=koi8-r" },
  ]);
  assert.deepEqual(
    [plain?.charset, plain?.base, plain?.refresh, russian?.charset],
    ["windows-1252", "http://h/a", null, "koi8-r"],
  );
  const xml = gzipSync("<urlset><url><loc>/x</loc></url></urlset>").toString("base64");
  assert.deepEqual(
    await batch("sitemap", [
      { body_b64: xml, url: "http://h/s" },
      { body_b64: base64("<!DOCTYPE x [<!ENTITY a 'b'>]><urlset/>"), url: "http://h/s" },
    ]),
    [
      { urls: ["http://h/x"], sitemaps: [] },
      { urls: [], sitemaps: [], error: "sitemap_dtd" },
    ],
  );
  assert.deepEqual(
    await batch("charset", [
      { body_b64: base64("<meta charset=shift_jis>") },
      { body_b64: "", contentType: "text/html; charset=UTF-8" },
    ]),
    [{ charset: "shift_jis" }, { charset: "utf-8" }],
  );
});

test("a bad line gets an error line and the rest goes on", async () => {
  const good = { body_b64: "" };
  const bad: [unknown, RegExp][] = [
    ["{", /not JSON/],
    ["", /empty/],
    ["[]", /not a JSON object/],
    ["null", /not a JSON object/],
    [{}, /"body_b64" is missing/],
    [{ body_b64: 1 }, /"body_b64" is not a string/],
    [{ body_b64: "*" }, /not base64/],
    ['{"__proto__": {"body_b64": ""}}', /missing/],
  ];
  const answers = await batch(
    "charset",
    bad.flatMap(([line]) => [line, good]),
  );
  assert.equal(answers.length, bad.length * 2);
  for (const [i, [line, reason]] of bad.entries()) {
    assert.match(String(answers[2 * i]?.error), reason, JSON.stringify(line));
    assert.deepEqual(Object.keys(answers[2 * i]!), ["error"]);
    assert.deepEqual(answers[2 * i + 1], { charset: "windows-1252" });
  }
  assert.match(String((await batch("sitemap", [{ body_b64: "", url: "x" }]))[0]?.error), /"url"/);
  assert.match(String((await batch("links", [{ url: "http://h/" }]))[0]?.error), /"html_b64"/);
  assert.match(String((await batch("robots", [{ robots: "" }]))[0]?.error), /"url" is missing/);
});

test("any lines are answered one for one and in order, by every checker", async () => {
  const value = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.constant(null));
  const names = "robots robots_b64 agent url input base html html_b64 contentType body_b64".split(
    " ",
  );
  const line = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), value).map((fields) => JSON.stringify(fields)),
    fc.string().map((text) => text.replace(/\n/g, "")),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("robots", "url", "links", "sitemap", "charset"),
      fc.array(line, { maxLength: 8 }),
      async (kind, lines) => {
        const marked = lines.flatMap((text) => [text, "{}"]);
        const answers = await batch(kind, [...marked, "{}"]);
        assert.equal(answers.length, marked.length + 1);
        for (let i = 1; i < answers.length; i += 2) assert.ok("error" in answers[i]!);
        assert.ok(answers.every((a) => !/unexpected fault/.test(String(a.error))));
      },
    ),
    { numRuns: 200 },
  );
});

test("the real program answers as it goes, and a reader that goes away is no fault", async (t) => {
  const child = spawn(process.execPath, [MAIN, "check", "url", "--batch"]);
  t.after(() => child.kill());
  const closed = new Promise((resolve) => child.once("close", resolve));
  // Each question is sent only after the answer to the one before: nothing may wait for more input.
  for (let i = 0; i < 3; i++) {
    child.stdin.write(`{"input":"http://h/${i}"}\n`);
    const answer = await new Promise<Buffer>((resolve) => child.stdout.once("data", resolve));
    assert.equal(JSON.parse(String(answer)).url, `http://h/${i}`);
  }
  child.stdin.on("error", () => {});
  child.stdout.destroy();
  const line = Buffer.from(`{"input":"http://h/${"x".repeat(1000)}"}\n`);
  for (let i = 0; i < 200; i++) child.stdin.write(line);
  child.stdin.end();
  assert.equal(await closed, 0);
});

test("words beside --batch and unknown values are refused", async () => {
  for (const [argv, reason] of [
    [["url", "http://h/", "--batch"], /reads its questions from standard input/],
    [["url", "--batch", "--trailing-slash", "maybe"], /use keep or ignore/],
    [["scope", "--batch"], /check scope has no --batch/],
    [["links"], /URL is missing/],
    [["sitemap", "ftp://h/", "--file", "-"], /only http and https/],
  ] as const) {
    const { code, stderr } = await runHere(["check", ...argv]);
    assert.equal(code, 2);
    assert.match(stderr, reason);
  }
});

test("many long lines pass through in little memory", async () => {
  // 2,000 lines of 20 KB each; the old space of 32 MB could not hold them all.
  const line = `${JSON.stringify({ body_b64: base64("<p>".repeat(5000)) })}\n`;
  const { code, stdout } = await runBin(["check", "charset", "--batch"], line.repeat(2000), {
    NODE_OPTIONS: "--max-old-space-size=32",
  });
  assert.equal(code, 0);
  assert.equal(stdout.split("\n").length, 2001);
});
