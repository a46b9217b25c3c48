import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { sitemapDate } from "../../../src/parse/lists/sitemap-date.ts";
import { SitemapReader } from "../../../src/parse/lists/sitemap-reader.ts";
import { canonicalize } from "../../../src/url/crawl-url.ts";
import { distinct } from "../reference.ts";
import { parseSitemap } from "./parse-sitemap.ts";
import { goodSitemap, PADDING, sitemapText } from "./sitemap-cases.ts";

const url = canonicalize("http://h/sitemap.xml")!;
const parse = (text: string) => parseSitemap(Buffer.from(text), url);

/** Reads a document cut at the given places. */
function parseInPieces(bytes: Uint8Array, cuts: readonly number[]) {
  const reader = new SitemapReader(url);
  const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
  let at = 0;
  for (const end of ends) {
    // The piece is overwritten afterwards, as a receive buffer would be.
    const piece = Uint8Array.from(bytes.subarray(at, end));
    reader.push(piece);
    piece.fill(0x2a);
    at = end;
  }
  return reader.finish();
}

const everyCut = (length: number) => Array.from({ length }, (_, i) => i + 1);

test("reads what well formed sitemaps say", () => {
  fc.assert(
    fc.property(goodSitemap, ({ text, urls }) => {
      const sitemap = parse(text);
      assert.deepEqual(sitemap.urls, distinct(urls.map((link) => canonicalize(link)!)));
      assert.deepEqual([sitemap.kind, sitemap.error, sitemap.dropped], ["urlset", undefined, 0]);
    }),
    { numRuns: 500 },
  );
});

test("every cutting into pieces gives the same result", () => {
  fc.assert(
    fc.property(sitemapText, fc.array(fc.nat(300), { maxLength: 8 }), (text, cuts) => {
      for (const padding of ["", PADDING]) {
        const bytes = Buffer.from(padding + text);
        const whole = parseSitemap(bytes, url);
        const later = cuts.map((cut) => cut + padding.length);
        assert.deepEqual(parseInPieces(bytes, later), whole);
        const everywhere = everyCut(text.length * 3).map((cut) => cut + padding.length);
        assert.deepEqual(parseInPieces(bytes, everywhere), whole);
      }
    }),
    { numRuns: 500 },
  );
});

test("lists of lines are the same however they are cut", () => {
  const line = fc.constantFrom(
    "http://h/a",
    "http://h/\u00e9",
    "",
    "no",
    " http://h/b ",
    "x".repeat(99),
  );
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom("\n", "\r\n", "\r"), (lines, eol) => {
      const bytes = Buffer.from(
        ["http://h/0", ...lines].join(eol) + eol.repeat(5000) + lines.join(eol),
      );
      const whole = parseSitemap(bytes, url);
      assert.deepEqual(parseInPieces(bytes, everyCut(bytes.length)), whole);
      assert.equal(whole.kind, "text");
    }),
    { numRuns: 20 },
  );
});

test("any bytes at all, plain or gzipped, give a result and no exception", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), fc.nat(), (bytes, zip, cut) => {
      const body = zip ? gzipSync(bytes) : bytes;
      const sitemap = parseSitemap(body.subarray(0, cut % (body.length + 1)), url);
      assert.ok(sitemap.urls.length <= bytes.length);
    }),
    { numRuns: 500 },
  );
});

test("no entity is expanded and no DTD read (HOSTILE B7)", () => {
  const laughs = `<?xml version="1.0"?>
<!DOCTYPE urlset [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;">]>
<urlset><url><loc>http://h/&lol2;</loc></url></urlset>`;
  for (const text of [
    laughs,
    '<!DOCTYPE foo SYSTEM "file:///etc/passwd"><urlset><url><loc>http://h/</loc></url></urlset>',
    "<!doctype urlset [<!ENTITY x SYSTEM 'http://10.0.0.1/'>]><urlset><url><loc>&x;</loc></url>",
    "<urlset><url><loc>http://h/</loc></url><!DOCTYPE x><url><loc>http://h/2</loc></url></urlset>",
    '<!DOCTYPE rss PUBLIC "-//x" "http://h/rss.dtd"><rss><channel><link>http://h/</link></channel></rss>',
    `<!DOCTYPE ${"x".repeat(100_000)}`,
  ]) {
    const sitemap = parse(text);
    assert.equal(sitemap.error, "sitemap_dtd", text.slice(0, 60));
    assert.deepEqual([sitemap.urls, sitemap.sitemaps], [[], []]);
  }
  // Without a DTD an unknown name is only an ampersand that somebody forgot to escape.
  assert.deepEqual(parse("<urlset><url><loc>http://h/?a=1&lol;&b=2</loc></url></urlset>").urls, [
    "http://h/?a=1&lol;&b=2",
  ]);
});

test("an index of itself, of a million sitemaps, and a file that never ends (HOSTILE B8)", () => {
  const itself = parse(`<sitemapindex><sitemap><loc>${url}</loc></sitemap></sitemapindex>`);
  assert.deepEqual([itself.kind, itself.sitemaps], ["index", []]);
  const entries = Array.from({ length: 60_000 }, (_, i) => `<sitemap><loc>/${i}</loc></sitemap>`);
  const many = parse(`<sitemapindex>${entries.join("")}`);
  assert.deepEqual(
    [many.sitemaps.length, many.dropped, many.error],
    [50_000, 10_000, "sitemap_too_many_urls"],
  );
  const page = "<url><loc>http://h/x</loc></url>";
  const long = parseSitemap(Buffer.from(`<urlset>${page.repeat(100)}`), url, { maxBytes: 1000 });
  assert.deepEqual([long.urls, long.error], [["http://h/x"], "sitemap_too_large"]);
});

test("a gzip bomb, a damaged and a shortened gzip file keep their good beginning", () => {
  const pages = Array.from({ length: 4000 }, (_, i) => `<url><loc>/${i * 7919}</loc></url>`);
  const text = Buffer.from(`<urlset>${pages.join("")}</urlset>`);
  const zipped = gzipSync(text);
  assert.equal(parseSitemap(zipped, url).urls.length, 4000);
  const short = parseSitemap(zipped.subarray(0, zipped.length / 2), url);
  assert.equal(short.error, "sitemap_bad_gzip");
  assert.ok(short.urls.length > 1500 && short.urls.length < 2500, `${short.urls.length}`);
  const flipped = Buffer.from(zipped);
  flipped.fill(0xff, flipped.length >> 1, (flipped.length >> 1) + 40);
  const damaged = parseSitemap(flipped, url);
  assert.equal(damaged.error, "sitemap_bad_gzip");
  assert.ok(damaged.urls.length > 1000, `${damaged.urls.length}`);
  const bomb = gzipSync(Buffer.concat([text, Buffer.alloc(8_000_000)]));
  const bombed = parseSitemap(bomb, url, { maxBytes: 1_000_000 });
  assert.deepEqual([bombed.urls.length, bombed.error], [4000, "sitemap_too_large"]);
  assert.equal(parseSitemap(gzipSync(gzipSync(text)), url).kind, "unknown");
});

test("is forgiving where the meaning is clear", () => {
  const cases: [string, string[]][] = [
    ["<urlset><url><loc>/a</url><url><loc>/b<lastmod>x</url>", ["/a", "/b"]],
    ["<urlset><url>http://h/a</url><url><loc></loc></url>", ["/a"]],
    ["<URLSET><Url><LOC>/a</LOC></Url></URLSET>", ["/a"]],
    ["PHP Warning: x\n<?xml version='1.0'?><urlset><url><loc>/a</loc></url>", ["/a"]],
    ["<url><loc>/a</loc></url>", ["/a"]],
    ["<urlset><url a='>'><loc b=\"<x\"><loc>/a</loc>", ["/a"]],
    ["http://h/a\r\n\r\n # no\rhttp://h/b\nrelative\nhttp://h/a", ["/a", "/b"]],
    ["<rss><channel><item><link>/a</link><item><link>/b</link></rss>", ["/a", "/b"]],
    [
      "<rss xmlns:atom='x'><channel><item><atom:link rel='alternate' href='/a'/></item></rss>",
      ["/a"],
    ],
    [
      "<rss xmlns:a='x'><channel><item><a:link href='/no'/><link>/a</link><guid>http://h/no</guid></item></rss>",
      ["/a"],
    ],
    ["<feed xml:base='/x/'><entry xml:base='y/'><link href='a'/></entry></feed>", ["/x/y/a"]],
    ["<feed><entry><link rel='self' href='/no'/><link rel='edit' href='/no'/></entry>", []],
  ];
  for (const [text, paths] of cases) {
    assert.deepEqual(
      parse(text).urls,
      paths.map((path) => `http://h${path}`),
      text,
    );
  }
  // A URL that the end of the file cuts off is half a URL.
  assert.deepEqual(parse("<urlset><url><loc>/a</loc></url><url><loc>/bcd").urls, ["http://h/a"]);
});

test("reads the encodings that documents come in", () => {
  const text = "<?xml version='1.0' encoding='ENC'?><urlset><url><loc>/\u00e9</loc></url></urlset>";
  const utf16 = Buffer.from(`\ufeff${text.replace("ENC", "UTF-16")}`, "utf16le");
  const swapped = Buffer.from(text, "utf16le").swap16();
  const latin1 = Buffer.from(text.replace("ENC", "ISO-8859-1"), "latin1");
  for (const bytes of [utf16, swapped, latin1, Buffer.from(text.replace("ENC", "UTF-16"))]) {
    assert.deepEqual(parseSitemap(bytes, url).urls, ["http://h/%C3%A9"]);
    assert.deepEqual(parseInPieces(bytes, everyCut(bytes.length)).urls, ["http://h/%C3%A9"]);
  }
  const announced = { contentType: "text/plain; charset=koi8-r" };
  const russian = Buffer.from([...Buffer.from("http://h/"), 0xc1]);
  assert.deepEqual(parseSitemap(russian, url, announced).urls, ["http://h/%D0%B0"]);
});

test("what is said about a page belongs to the page, wherever it stands in the entry", () => {
  const lastmodMs = Date.UTC(2020, 1, 3);
  for (const entry of [
    "<loc>/a</loc><lastmod>2020-02-03</lastmod><priority>0.9</priority>",
    "<priority>0.9</priority><lastmod>2020-02-03</lastmod><i:image><i:loc>/b</i:loc></i:image><loc>/a</loc>",
    "/a<lastmod>2020-02-03</lastmod><priority>0.9</priority><i:lastmod>2001-01-01</i:lastmod>",
  ]) {
    const { notes } = parse(`<urlset><url>${entry}</url><url><loc>/c</loc></url></urlset>`);
    assert.deepEqual([...notes], [["http://h/a", { lastmodMs, priority: 0.9 }]], entry);
  }
  const bad = "<loc>/a</loc><lastmod>soon</lastmod><priority>11</priority>";
  assert.equal(parse(`<urlset><url>${bad}</url></urlset>`).notes.size, 0);
});

test("what is no sitemap is called unknown", () => {
  for (const text of [
    "",
    "<!doctype html><a href=x>",
    "<html><loc>http://h/</loc>",
    "{}",
    "\0\0",
  ]) {
    const sitemap = parse(text);
    assert.deepEqual([sitemap.kind, sitemap.urls], ["unknown", []], text);
    assert.equal(sitemap.error, "sitemap_unknown");
  }
});

test("dates of sitemaps and feeds", () => {
  const dates: [string, string | undefined][] = [
    ["2005", "2005-01-01T00:00:00Z"],
    ["2005-03", "2005-03-01T00:00:00Z"],
    ["2005-02-29", undefined],
    ["2004-02-29T23:59+01:00", "2004-02-29T22:59:00Z"],
    ["2004-12-23T18:00:15.123Z", "2004-12-23T18:00:15Z"],
    ["Thu, 05 Jan 17 13:34:52 +0100", "2017-01-05T12:34:52Z"],
    ["5 January 1999 1:00 EST", "1999-01-05T06:00:00Z"],
    ["05 Jan 17 13:34:55", undefined],
    ["2005-13-01", undefined],
    ["yesterday", undefined],
    ["2005-01-01T25:00Z", undefined],
  ];
  for (const [text, expected] of dates) {
    assert.equal(
      sitemapDate(text),
      expected === undefined ? undefined : Date.parse(expected),
      text,
    );
  }
});
