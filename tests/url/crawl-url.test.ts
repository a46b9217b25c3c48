import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  type CrawlUrl,
  canonicalize,
  canonicalizeSlowly,
  MAX_URL_LENGTH,
  refusalOf,
} from "../../src/url/crawl-url.ts";
import { resolveFast } from "../../src/url/fast-path.ts";
import { allStrings, BASES, nastyLink, ordinaryLink } from "./links.ts";

const bases = BASES.map((base) => canonicalizeSlowly(base)!);
const base = fc.constantFrom(...bases, undefined);
const canonical = fc
  .oneof(nastyLink, ordinaryLink)
  .map((link) => canonicalizeSlowly(`http://h/${link}`) ?? canonicalizeSlowly(link, bases[0]))
  .filter((url): url is CrawlUrl => url !== undefined);

function sameAsParser(link: string, from: CrawlUrl | undefined): void {
  const fast = canonicalize(link, from);
  const slow = canonicalizeSlowly(link, from);
  if (fast !== slow) assert.equal(fast, slow, `${JSON.stringify(link)} against ${from}`);
}

test("the fast path equals the URL parser on nasty links", () => {
  fc.assert(fc.property(nastyLink, base, sameAsParser), { numRuns: 40_000 });
});

test("the fast path equals the URL parser on ordinary links, and answers most of them", () => {
  let fast = 0;
  let total = 0;
  const property = fc.property(ordinaryLink, fc.constantFrom(...bases), (link, from) => {
    total++;
    if (resolveFast(link, from) !== "") fast++;
    sameAsParser(link, from);
  });
  fc.assert(property, { numRuns: 20_000 });
  assert.ok(fast > total / 2, `only ${fast} of ${total} were answered`);
});

test("the fast path equals the URL parser against any canonical base", () => {
  fc.assert(fc.property(nastyLink, canonical, sameAsParser), { numRuns: 10_000 });
});

test("the fast path equals the URL parser on every short string of the characters that matter", () => {
  for (const link of allStrings([..."/.%2e?#:a\\"], 5)) sameAsParser(link, bases[0]);
});

test("the fast path equals the URL parser on every short authority", () => {
  for (const host of allStrings([..."ax0.:8@-/"], 4)) {
    sameAsParser(`http://${host}`, undefined);
    sameAsParser(`//${host}/p`, bases[2]);
  }
});

test("the fast path equals the URL parser on every ASCII character in every place", () => {
  for (let code = 0; code < 256; code++) {
    const c = String.fromCharCode(code);
    const places = [
      c,
      `${c}a`,
      `a${c}`,
      `a${c}b`,
      `/${c}`,
      `/a${c}b`,
      `/.${c}`,
      `/..${c}`,
      `.${c}`,
    ];
    const more = [
      `..${c}/x`,
      `?${c}`,
      `?a${c}b`,
      `#${c}`,
      `http://a${c}b/`,
      `//a${c}`,
      `//a:8${c}/`,
    ];
    for (const link of [...places, ...more, `http:${c}//h/`, `h${c}ttp://h/`]) {
      for (const from of bases) sameAsParser(link, from);
    }
  }
});

test("a canonical URL is printable ASCII, bounded, without fragment or credentials, and a fixed point", () => {
  const property = fc.property(nastyLink, base, (link, from) => {
    const url = canonicalize(link, from);
    if (url === undefined) return;
    assert.match(url, /^https?:\/\/[^/@?#]+\/[!-~]*$/);
    assert.ok(!url.includes("#") && url.length <= MAX_URL_LENGTH);
    assert.equal(canonicalize(url), url);
    assert.equal(canonicalizeSlowly(url), url);
  });
  fc.assert(property, { numRuns: 10_000 });
});

test("a refusal is told exactly when there is no canonical URL", () => {
  const property = fc.property(nastyLink, base, (link, from) => {
    assert.equal(refusalOf(link, from) === undefined, canonicalize(link, from) !== undefined);
  });
  fc.assert(property, { numRuns: 10_000 });
});

test("the reason of a refusal is the one a user would give", () => {
  const reasons: [string, string | undefined][] = [
    ["file:///etc/passwd", "blocked_scheme"],
    ["ftp://h/", "blocked_scheme"],
    ["ftp://[bad/", "blocked_scheme"],
    ["data:text/html,x", "blocked_scheme"],
    ["javascript:void(0)", "blocked_scheme"],
    [" java\nscript:alert(1)", "blocked_scheme"],
    ["gopher://h/", "blocked_scheme"],
    ["ws://h/", "blocked_scheme"],
    ["http://h:99999/", "bad_url"],
    ["http://a b/", "bad_url"],
    ["http://", "bad_url"],
    ["http://xn--a/", "bad_url"],
    ["/x", undefined],
    [`/${"x".repeat(3000)}`, "url_too_long"],
    ["日".repeat(400), "url_too_long"],
    ["日".repeat(200), undefined],
  ];
  for (const [link, reason] of reasons) {
    assert.equal(refusalOf(link, bases[1]), reason, link.slice(0, 40));
    assert.equal(canonicalize(link, bases[1]) === undefined, reason !== undefined);
  }
  assert.equal(refusalOf("x/y"), "bad_url"); // relative, and nothing to be relative to
});

test("the longest URL is taken and one character more is refused, on both paths", () => {
  for (const start of ["", "a/../"]) {
    const longest = start + "x".repeat(MAX_URL_LENGTH - "http://h/".length);
    assert.equal(canonicalize(longest, bases[1])?.length, MAX_URL_LENGTH);
    assert.equal(canonicalize(`${longest}#${"f".repeat(9999)}`, bases[1])?.length, MAX_URL_LENGTH);
    assert.equal(canonicalize(`${longest}x`, bases[1]), undefined);
  }
});

test("hostile spellings end in one canonical form", () => {
  const from = canonicalize("https://h/a/b");
  const pairs = [
    ["http:\\\\evil\\x", "http://evil/x"],
    ["//evil", "https://evil/"],
    ["http://h@evil/", "http://evil/"],
    ["http://u:p@h/", "http://h/"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
    ["http://2130706433", "http://127.0.0.1/"],
    ["http://127.1:80/", "http://127.0.0.1/"],
    ["http://１２７.0.0.1./", "http://127.0.0.1/"],
    ["http://EXAMPLE.org:080", "http://example.org/"],
    ["  /x\t/y\n ", "https://h/x/y"],
    ["/%2e%2E/x/%00", "https://h/x/%00"],
    ["/\u202eevil", "https://h/%E2%80%AEevil"],
    ["/a\r\nHost: x", "https://h/aHost:%20x"],
  ];
  for (const [link, url] of pairs) assert.equal(canonicalize(link!, from), url, link);
});
