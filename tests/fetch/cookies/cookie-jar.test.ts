import assert from "node:assert/strict";
import { test } from "node:test";
import { CookieJar } from "../../../src/fetch/cookies/cookie-jar.ts";
import { httpDateMs } from "../../../src/fetch/http-date.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { partsOf } from "../../../src/url/url-parts.ts";

const parts = (url: string) => partsOf(url as CrawlUrl);

/** Sets cookies at one URL and tells what another one is sent. */
function sent(at: string, lines: string | string[], to: string, laterMs = 0): string | undefined {
  let now = 1_700_000_000_000;
  const jar = new CookieJar(() => now);
  jar.store(parts(at), [lines].flat());
  now += laterMs;
  return jar.header(parts(to));
}

const CASES: [name: string, at: string, lines: string | string[], to: string, expected?: string][] =
  [
    ["a cookie returns", "http://a.example/", "k=v", "http://a.example/x?q", "k=v"],
    ["not to another host", "http://a.example/", "k=v", "http://b.example/"],
    [
      "not to a host below, unless a domain is named",
      "http://example.org/",
      "k=v",
      "http://a.example.org/",
    ],
    [
      "a domain covers hosts below",
      "http://a.example.org/",
      "k=v; Domain=.Example.org",
      "http://b.example.org/",
      "k=v",
    ],
    [
      "a foreign domain is refused",
      "http://a.example.org/",
      "k=v; Domain=other.org",
      "http://other.org/",
    ],
    [
      "a domain below oneself is refused",
      "http://example.org/",
      "k=v; Domain=a.example.org",
      "http://a.example.org/",
    ],
    [
      "a look-alike domain is refused",
      "http://evilexample.org/",
      "k=v; Domain=example.org",
      "http://example.org/",
    ],
    ["a public suffix is refused", "http://a.co.uk/", "k=v; Domain=co.uk", "http://b.co.uk/"],
    [
      "a private suffix is refused",
      "http://alice.github.io/",
      "k=v; Domain=github.io",
      "http://bob.github.io/",
    ],
    ["a single label is refused", "http://a.org/", "k=v; Domain=org", "http://b.org/"],
    [
      "an address has no hosts below",
      "http://127.0.0.1/",
      "k=v; Domain=0.0.1",
      "http://127.0.0.1/",
    ],
    [
      "an address keeps its own",
      "http://127.0.0.1/",
      "k=v; Domain=127.0.0.1",
      "http://127.0.0.1/",
      "k=v",
    ],
    ["not to another port", "http://a.example:81/", "k=v", "http://a.example:82/"],
    ["not from https to http", "https://a.example/", "k=v", "http://a.example/"],
    ["not from http to https", "http://a.example/", "k=v", "https://a.example/"],
    ["Secure needs https", "http://a.example/", "k=v; Secure", "http://a.example/"],
    ["Secure over https", "https://a.example/", "k=v; secure", "https://a.example/", "k=v"],
    [
      "the path covers what is below",
      "http://h.example/",
      "k=v; Path=/a",
      "http://h.example/a/b",
      "k=v",
    ],
    ["the path covers itself", "http://h.example/", "k=v; Path=/a", "http://h.example/a", "k=v"],
    [
      "the path is not a prefix of names",
      "http://h.example/",
      "k=v; Path=/a",
      "http://h.example/ab",
    ],
    [
      "the path by default is the folder",
      "http://h.example/d/x",
      "k=v",
      "http://h.example/d/y",
      "k=v",
    ],
    ["and not beside it", "http://h.example/d/x", "k=v", "http://h.example/e"],
    [
      "longer paths first",
      "http://h.example/a/b",
      ["x=1; Path=/", "y=2; Path=/a"],
      "http://h.example/a",
      "y=2; x=1",
    ],
    [
      "the last of one name counts",
      "http://h.example/",
      ["k=1", "k=2"],
      "http://h.example/",
      "k=2",
    ],
    [
      "expired on arrival deletes",
      "http://h.example/",
      ["k=1", "k=; Max-Age=0"],
      "http://h.example/",
    ],
    [
      "an old date deletes",
      "http://h.example/",
      ["k=1", "k=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
      "http://h.example/",
    ],
    [
      "Max-Age goes before Expires",
      "http://h.example/",
      "k=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9",
      "http://h.example/",
      "k=1",
    ],
    [
      "4096 bytes fit",
      "http://h.example/",
      `k=${"x".repeat(4095)}`,
      "http://h.example/",
      `k=${"x".repeat(4095)}`,
    ],
    ["4097 do not", "http://h.example/", `k=${"x".repeat(4096)}`, "http://h.example/"],
    ["no line end gets in", "http://h.example/", "k=a\r\nEvil: 1", "http://h.example/"],
    ["without a name nothing is kept", "http://h.example/", ["=v", "v", ""], "http://h.example/"],
    [
      "__Host- needs Secure, no domain, the root",
      "https://a.h.example/",
      "__Host-k=v; Secure; Path=/; Domain=h.example",
      "https://a.h.example/",
    ],
    ["__Secure- needs Secure", "https://h.example/", "__Secure-k=v", "https://h.example/"],
  ];

for (const [name, at, lines, to, expected] of CASES) {
  test(`cookies: ${name}`, () => assert.equal(sent(at, lines, to), expected));
}

test("cookies expire while the crawl runs", () => {
  const at = "http://h.example/";
  assert.equal(sent(at, "k=v; Max-Age=10", at, 9_999), "k=v");
  assert.equal(sent(at, "k=v; Max-Age=10", at, 10_000), undefined);
});

test("a host has at most 50 cookies, the jar at most 1,000 hosts, a header at most 8 KiB", () => {
  const jar = new CookieJar(() => 0);
  for (let i = 0; i < 10_000; i++) jar.store(parts("http://h.example/"), [`k${i}=${i}`]);
  const names = jar.header(parts("http://h.example/"))!.split("; ");
  assert.deepEqual([names.length, names[0], names.at(-1)], [50, "k9950=9950", "k9999=9999"]);
  for (let i = 0; i < 3000; i++) jar.store(parts(`http://h${i}.example/`), ["k=v"]);
  assert.equal(jar.hosts, 1000);
  const big = new CookieJar(() => 0);
  const lines = Array.from({ length: 40 }, (_, i) => `k${i}=${"x".repeat(3000)}`);
  big.store(parts("http://h.example/"), lines);
  assert.ok(big.header(parts("http://h.example/"))!.length <= 8192);
});

test("dates in the forms that servers write", () => {
  const expected = Date.UTC(2030, 10, 6, 8, 49, 37);
  for (const text of [
    "Wed, 06 Nov 2030 08:49:37 GMT",
    "Wednesday, 06-Nov-30 08:49:37 GMT",
    "Wed Nov  6 08:49:37 2030",
    "6 november 2030 8:49:37",
  ]) {
    assert.equal(httpDateMs(text), expected, text);
  }
  for (const text of [
    "",
    "tomorrow",
    "06 Nov 2030",
    "06 Nov 1500 08:49:37",
    "32 Nov 2030 08:49:37",
  ])
    assert.equal(httpDateMs(text), undefined, text);
});
