import assert from "node:assert/strict";
import { test } from "node:test";
import { type ParsedPage, type ParseOptions, parsePage } from "../../src/parse/page.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";

const URL_OF_PAGE = canonicalize("http://h.example/d/page.html")!;

function parse(html: string | Uint8Array, options: ParseOptions = {}): ParsedPage {
  const utf8 = { contentType: "text/html; charset=utf-8" };
  const body = typeof html === "string" ? Buffer.from(html) : html;
  return parsePage(body, URL_OF_PAGE, typeof html === "string" ? { ...utf8, ...options } : options);
}

function linksOf(html: string): string[] {
  return parse(html).links.map((link) => link.replace("http://h.example", ""));
}

test("links are canonical, distinct and in order of first appearance", () => {
  assert.deepEqual(linksOf("<a href=b#x><a href=/a><a href='b'><a href=' ./c/../d '>"), [
    "/d/b",
    "/a",
    "/d/d",
  ]);
});

test("all links are counted, too: repeats, and those beyond the limit, but none that lead nowhere", () => {
  const html = "<a href=mailto:x><link rel=icon href=no><a href=b><a href=b#x><a href=c><a href=d>";
  assert.deepEqual([parse(html).links.length, parse(html).linksAll], [3, 4]);
  const cut = parse(html, { maxLinks: 2 });
  assert.deepEqual([cut.links.length, cut.linksAll], [2, 4]);
});

test("follows pages and frames, and only those link elements that lead to pages", () => {
  assert.deepEqual(
    linksOf(
      "<link rel=stylesheet href=no><link rel='alternate stylesheet' href=no><link rel=icon href=no>" +
        "<link rel=alternate type=application/rss+xml href=no><link rel=search href=no>" +
        "<link rel=preload href=no><link rel=EditURI href=no><link href=no><img src=no>" +
        "<link rel=NEXT href=1><link rel='up x' href=2><link rel=alternate hreflang=de href=3>" +
        "<link rel=canonical type=text/html href=4><iframe src=5></iframe><area href=6>" +
        "<meta http-equiv=refresh content='9; url=7'><a rel=nofollow href=8>",
    ),
    ["/d/1", "/d/2", "/d/3", "/d/4", "/d/5", "/d/6", "/d/7", "/d/8"],
  );
  assert.deepEqual(linksOf("<frameset><frame src=1></frameset>"), ["/d/1"]);
});

test("the first base with href holds for all links, earlier ones included", () => {
  const page = parse("<a href=1><base target=x><base href=/b/><base href=/c/><a href=2>");
  assert.equal(page.base, "http://h.example/b/");
  assert.deepEqual(page.links, ["http://h.example/b/1", "http://h.example/b/2"]);
  assert.equal(parse("<a href=1>").base, undefined);
});

test("a base that leads elsewhere takes the links with it (P7)", () => {
  const file = parse("<base href='file:///etc/'><a href=passwd><a href=http://h.example/x>");
  assert.deepEqual(file.links, ["http://h.example/x"]);
  assert.deepEqual(file.refused, [{ link: "passwd", reason: "blocked_scheme" }]);
  // The address check of the fetcher sees the resolved URL.
  assert.deepEqual(parse("<base href=http://10.0.0.1><a href=x>").links, ["http://10.0.0.1/x"]);
  assert.deepEqual(linksOf("<base href=javascript:x><a href=1>"), ["/d/1"]);
  assert.deepEqual(linksOf("<base href='http://['><a href=1>"), ["/d/1"]);
});

test("links that cannot be followed are reported with the reason", () => {
  const page = parse("<a href=mailto:a@b><a href=JavaScript:x()><a href='http://['><a href=1>");
  assert.deepEqual(page.refused, [
    { link: "mailto:a@b", reason: "blocked_scheme" },
    { link: "JavaScript:x()", reason: "blocked_scheme" },
    { link: "http://[", reason: "bad_url" },
  ]);
  assert.equal(page.links.length, 1);
  assert.equal(parse("<a href=data:x>".repeat(1000)).refused.length, 1, "each once");
  const many = Array.from({ length: 1000 }, (_, i) => `<a href=data:${i}>`).join("");
  assert.equal(parse(many).refused.length, 100);
});

test("a page with a million links keeps the first 10,000 (P3)", () => {
  const many = Array.from({ length: 200_000 }, (_, i) => `<a href=${i}>`).join("");
  const page = parse(many);
  assert.equal(page.links.length, 10_000);
  assert.equal(page.linksDropped, 190_000);
  assert.equal(page.links[9_999], "http://h.example/d/9999");
  assert.equal(parse(many, { maxLinks: 3 }).linksDropped, 199_997);
});

test("title, language, description, keywords, canonical, refresh", () => {
  const page = parse(
    "<html lang=de><title>\n A &amp;  B\r\n</title><title>no</title><meta name=Description content=' d  d '>" +
      "<meta name=keywords content=k><link rel=canonical href=/c><svg><title>no</title></svg>" +
      "<meta http-equiv=refresh content=5><meta http-equiv=refresh content='0;url=no'>",
  );
  assert.equal(page.title, "A & B");
  assert.equal(page.language, "de");
  assert.equal(page.description, "d d");
  assert.equal(page.keywords, "k");
  assert.equal(page.canonical, "http://h.example/c");
  assert.equal(page.refresh, URL_OF_PAGE);
  assert.equal(parse("<svg><title>no</title></svg>").title, "");
});

test("the title is short and valid in any charset", () => {
  assert.equal(parse(`<title>${"\u{1f600}".repeat(600)}</title>`).title, "\u{1f600}".repeat(250));
  assert.equal(parse("<title>&#xd800;x").title, "\ufffdx");
  const koi8 = Buffer.from("<meta charset=koi8-r><title>\xf4</title>", "latin1");
  assert.equal(parse(koi8).title, "\u0422");
  assert.equal(parse(koi8).charset, "koi8-r");
  assert.equal(parse(Buffer.from("<title>\x93x\x94</title>", "latin1")).title, "\u201cx\u201d");
});

test("words are counted across inline tags and not in what nobody sees", () => {
  const page = parse(
    "<title>no</title><style>no</style><script>no no</script><p>one <b>t</b>wo<p>three<br>four" +
      "&nbsp;five\u00a0six<!-- no -->teen</p><noscript>seven</noscript><textarea>no</textarea>" +
      "<xmp><i>eight</xmp> 3 < 4 \u4e2d\u6587\u3000x",
  );
  assert.deepEqual(page.firstWords, [
    "one",
    "two",
    "three",
    "four",
    "five",
    "sixteen",
    "seven",
    "<i>eight",
    "3",
    "<",
    "4",
    "\u4e2d\u6587",
    "x",
  ]);
  assert.equal(page.words, 13);
  assert.equal(parse("<p>a<p>b", { words: false }).words, 0);
});

test("the count does not depend on the words that are kept, nor on how the page is read", () => {
  const text = Array.from({ length: 50 }, (_, i) => `<i>w</i>${i} x&nbsp;y `).join("<p>");
  const page = parse(text);
  assert.equal(page.words, 150);
  assert.equal(page.firstWords.length, 20);
  assert.deepEqual(page.firstWords.slice(0, 4), ["w0", "x", "y", "w1"]);
  const hard = parse(`${text}<template>no no</template>`);
  assert.equal(hard.words, 150);
  assert.deepEqual(hard.firstWords, page.firstWords);
});

test("of contradicting robots directives the strictest wins (P10)", () => {
  assert.deepEqual(parse("<a href=1>").robots, { noindex: false, nofollow: false });
  const mixed =
    "<meta name=robots content='index,follow'><meta name=ROBOTS content=' NoFollow , all'>";
  assert.deepEqual(parse(mixed).robots, { noindex: false, nofollow: true });
  assert.deepEqual(parse("<meta name=orbweaver content=none>").robots, {
    noindex: true,
    nofollow: true,
  });
  assert.deepEqual(parse("<meta name=otherbot content=none>").robots.noindex, false);
  const many = "<meta name=robots content='index,follow'>".repeat(3000);
  assert.equal(parse(`${many}<meta name=robots content=noindex>`).robots.noindex, true);
  assert.equal(
    parse(`<meta name=robots content='${"all,".repeat(5000)}noindex'>`).robots.noindex,
    true,
  );
});

test("pages that are no pages", () => {
  for (const body of [
    new Uint8Array(0),
    Buffer.from("%PDF-1.7\0\xff"),
    Buffer.from("<"),
    Buffer.from("</"),
  ]) {
    assert.deepEqual(parse(body).links, []);
  }
});
