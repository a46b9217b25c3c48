import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scanLinks } from "../../src/parse/links.ts";
import { conformanceJson, noConformance } from "../support/conformance.ts";
import { malformedHtml } from "./malformed-html.ts";
import { distinct, referenceLinks, scannedLinks } from "./reference.ts";

/** Both routes of reading must give what parse5 gives. */
function assertAgrees(html: string): void {
  const expected = distinct(referenceLinks(html.replace(/^\ufeff/, "")));
  assert.deepEqual(distinct(scannedLinks(html)), expected, `quick: ${JSON.stringify(html)}`);
  assert.deepEqual(distinct(scannedLinks(html, true)), expected, `tree: ${JSON.stringify(html)}`);
}

test("reads tricky markup like parse5", () => {
  for (const html of [
    "<!-- <a href=no> --><a href=1><!--><a href=2><!---><a href=3><!-- --!><a href=4><!-- -- ><a href=no>",
    "<script><!-- <script> </script><a href=no> --></script><a href=1>",
    "<script><!-- </script><a href=1>",
    "<style><a href=no></style><textarea><a href=no></textarea><title><a href=no></title><a href=1>",
    "<title></titlex><a href=no></TITLE ><a href=1>",
    "<xmp><a href=no></xmp><noembed><a href=no></noembed><iframe src=1><a href=no></iframe><a href=2>",
    "<noscript><a href=1></noscript><plaintext><a href=no>",
    "<a href=1 href=2><a HREF = '3'><a href='a&amp;b&copy=c&copy;&notit;&#150;&#x80'><a href=x&lt>",
    '<a ="href=no>x"><a x=">" href=1><a href=a"b><a/href=2><a href/><a href=3/ >',
    '<p ="><a href=1>"><p x = "><a href=no>"><p a="b"="><a href=2>"><p a=b="><a href=3>"><p a==">',
    "<table><tr><td><a href=1><tr><a href=2><table><a href=3></table><td><a href=4>",
    "<table><caption><a href=1></table><a href=2><tr><td><a href=3></td></th></table>",
    "<select><a href=no><option><svg><a href=no></select><a href=1>",
    "<svg><a xlink:href=1><title>x</title><style><a href=2></style></a></svg><a href=3>",
    "<svg><desc><a href=1></desc><p><a href=2><svg><g/></g></svg><a href=3>",
    "<math><annotation-xml encoding=text/html><a href=1></math><math><a href=2></math>",
    "<svg><![CDATA[<a href=no>]]></svg><![CDATA[<a href=no>]]><a href=1>",
    "<frameset><frame src=1><a href=no></frameset><noframes><a href=no></noframes>",
    "<a href=1><frameset><frame src=2>",
    "<p>text<frameset><frame src=no></frameset><a href=1>",
    "<template><a href=no></template><a href=1>",
    "<base target=x><a href=1><base href=/b/><base href=/c/>",
    "<a href=1\0\r\n2><a href='x\r\ny'><a\0href=3><a href=4",
    "<meta http-equiv=Refresh content='1;url=x'><link rel=next href=n><area href=m>",
    "</a href=no><a href=1></><//a href=no><a href=2><?a href=no?><a href=3><!a href=no><a href=4>",
  ]) {
    assertAgrees(html);
  }
});

test("agrees with parse5 on generated malformed pages", () => {
  const quickPages = { quick: 0, tree: 0 };
  fc.assert(
    fc.property(malformedHtml, (html) => {
      quickPages[scanLinks(Buffer.from(html)).by]++;
      assertAgrees(html);
    }),
    { numRuns: 3000 },
  );
  // Both routes of reading must really have been used.
  assert.ok(quickPages.quick > 300 && quickPages.tree > 300, JSON.stringify(quickPages));
});

test("agrees with parse5 on all robustness inputs", { skip: noConformance }, () => {
  const inputs = conformanceJson<string[]>("html/robustness_inputs.jsonl.gz");
  assert.ok(inputs.length >= 1776);
  for (const html of inputs) {
    assertAgrees(html);
    // Most of these inputs hold no link; with one in every place they say much more.
    let count = 0;
    assertAgrees(
      html.replace(
        /<(a|area|link|i?frame)(?=[\s>/])/gi,
        (tag) => `${tag} href=h${count} src=s${count++}`,
      ),
    );
  }
});

test("finds exactly the links of the html5lib trees", { skip: noConformance }, () => {
  interface Case {
    html: string;
    links: { element: string; value: string }[];
  }
  for (const { html, links } of conformanceJson<Case[]>("html/html5_tree_links.json")) {
    const expected = links.map((link) => `${link.element} ${link.value}`);
    assert.deepEqual(scannedLinks(html, true), expected, html);
    assert.deepEqual(distinct(scannedLinks(html)), distinct(expected), html);
  }
});

test("tells element, attribute, raw value and rel", () => {
  const page = scanLinks(
    Buffer.from('<a rel="nofollow me" href=" x ">.</a><img src=i srcset="s 2x"><form action=f>'),
    { assets: true },
  );
  assert.deepEqual(page.links, [
    { element: "a", attribute: "href", value: " x ", rel: "nofollow me", type: "" },
    { element: "img", attribute: "src", value: "i", rel: "", type: "" },
    { element: "img", attribute: "srcset", value: "s 2x", rel: "", type: "" },
    { element: "form", attribute: "action", value: "f", rel: "", type: "" },
  ]);
  assert.equal(page.by, "quick");
});

test("reads UTF-16 and ISO-2022-JP, where markup is not always one byte", () => {
  const utf16 = Buffer.from("\ufeff<a href='/\u00e9'>\u4e2d</a>", "utf16le");
  assert.deepEqual(
    scanLinks(utf16).links.map((link) => link.value),
    ["/\u00e9"],
  );
  // ESC $ B switches to two-byte characters; the bytes 3C 61 are one of them, not "<a".
  const japanese = Buffer.from("\x1b$B<a\x1b(B<a href=1>", "latin1");
  const { links } = scanLinks(japanese, { contentType: "text/html;charset=iso-2022-jp" });
  assert.deepEqual(
    links.map((link) => link.value),
    ["1"],
  );
});

test("cuts a page anywhere without an exception", () => {
  const page = Buffer.from(
    "<!doctype html><svg><![CDATA[x]]></svg><script><!--<script></script>--></script><a href='x&amp'>y<!-- z --><table><a href=1></table>",
  );
  for (let end = 0; end <= page.length; end++) {
    const cut = page.subarray(0, end).toString();
    assertAgrees(cut);
  }
});
