import * as fc from "fast-check";

/** Markup, text and links in which a scanner may go wrong. */
const SCRAPS: readonly string[] = [
  "<table>",
  "</table>",
  "<tr>",
  "<td>",
  "</td>",
  "<tbody>",
  "<caption>",
  "<select>",
  "<option>",
  "</select>",
  "<svg>",
  "</svg>",
  '<a href="x">',
  "<a href='y?a=1&amp;b=2'>",
  "<a xlink:href=z>",
  "<A HREF=../q/./r>",
  "<title>t <b>",
  "</title>",
  "<textarea>",
  "</textarea>",
  "<script>",
  "</script>",
  "<!--",
  "-->",
  "--!>",
  "<!-->",
  "<!doctype html>",
  "<![CDATA[",
  "<?x",
  "</",
  "<",
  ">",
  '"',
  "'",
  "=",
  "&nbsp;",
  "&#160;",
  "&#xA0;",
  "&amp;",
  "&copy",
  "&",
  "\u00a0",
  "\u3000",
  "\u2003",
  "\u202f",
  "\ufeff",
  " ",
  "\t",
  "\n",
  "\r",
  "\0",
  '<base href="/b/c?d">',
  '<base href="http://other.example/x/">',
  '<base href="ftp://f/">',
  '<meta http-equiv=refresh content="0; url=/r">',
  "<meta name=robots content=nofollow>",
  '<meta name=description content="d &amp; e">',
  '<link rel=canonical href="/can">',
  '<link rel=alternate type="application/rss+xml" href=feed>',
  "<link rel=next href=n2>",
  "<iframe src=f>",
  "</iframe>",
  "<frame src=q>",
  "<frameset>",
  "<template>",
  "<math>",
  "<xmp>",
  "</xmp>",
  "<plaintext>",
  "<noscript>",
  "<html lang=de>",
  "<style>",
  "</style>",
  "<desc>",
  "</desc>",
  "<br/>",
  "<p a=b/>",
  '<p a="b>c">',
  "<p =x>",
  '<p a= "x>y">',
  "<a href=#f>",
  '<a href="">',
  '<a href="?q=1">',
  '<a href="//h.example/p">',
  '<a href="http://h.example/p/q">',
  '<a href="https://xn--a.example/">',
  '<a href="http://1.2.3.4/x">',
  '<a href="http://h.example:80/">',
  '<a href="http://h.example:8080/a%2e/b">',
  '<a href="a%2Fb">',
  '<a href="%2e%2e/x">',
  '<a href="mailto:x@y">',
  '<a href="javascript:void(0)">',
  '<a href=" x ">',
  '<a href="\u00e9">',
  '<a href="./../.././k">',
  '<a href="..?z">',
  '<a href=".">',
  '<a href="a/../b">',
  '<a href="/a//b">',
  '<a href="x#y">',
  '<a href="h:t/x">',
  '<a href="/x\'y">',
  '<a href="x?y\'z">',
  '<a href="x?">',
  "<a rel=nofollow href=nf>",
  "<area href=ar>",
  "<i>",
  "</i>",
  "<span>",
  "</span>",
  "<div>",
  "</div>",
  "<h1",
  "<x-y>",
  "</x-y>",
  "<annotation-xml>",
  "<optgroup>",
  "<input>",
  "<form action=s>",
];

const scrap = fc.constantFrom(...SCRAPS);

/** Pages of nothing but such scraps. */
export const linkPages: fc.Arbitrary<Buffer> = fc
  .tuple(fc.array(scrap, { maxLength: 60 }), fc.constantFrom("", " w ", "\n"))
  .map(([scraps, between]) => Buffer.from(scraps.join(between)));

/** Enough words for the counter to leave its slow beginning behind it. */
const WORDS = "w ".repeat(24);

const PARTS = [
  ...[
    " ",
    "\n",
    "/",
    "=",
    '"',
    "'",
    ">",
    "<",
    "&",
    "\0",
    "_",
    "1",
    "-",
    "x",
    "class",
    "href",
    "HREF",
  ],
  ...[
    ' href="a/b.html"',
    ' class="c d"',
    " href='e'",
    " href=f",
    ' rel="nofollow"',
    ' title="g > h"',
  ],
  ...[
    ' data-long="0123456789 0123456789 0123456789"',
    " hidden",
    ' x1="y"',
    ' Lang="de"',
    ' n-="m"',
  ],
];
const NAMES = [
  "a",
  "A",
  "p",
  "P",
  "span",
  "html",
  "meta",
  "link",
  "base",
  "iframe",
  "br",
  "h1",
  "H\u0011",
];
const LONG_NAMES = [
  "blockQUOTE",
  "annotation-xml",
  "textarea",
  "x-element-of-many-letters",
  "a\0",
  "[p",
];

/** A tag of parts in which its end may be mistaken. */
const oddTag = fc
  .tuple(
    fc.constantFrom(...NAMES, ...NAMES.map((name) => `/${name}`), ...LONG_NAMES),
    fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }),
    fc.constantFrom("t", " ", ""),
  )
  .map(([name, parts, text]) => `<${name}${parts.join("")}>${text}`);

/** What separates words, or looks like it. */
const SEPARATORS = [
  ...["&nbsp;", "&#160;", "&#xa0;", "&#xA0;", "&nbsp", "&amp;", "&", "\u00a0", "\u3000", "\u2009"],
  ...[
    "\u202f",
    "\u200b",
    "\u00e9",
    "\u4e2d",
    " ",
    "\t",
    "\n",
    "\v",
    "\f",
    "\r",
    "\0",
    "<b>",
    "<p>",
    "<",
  ],
];

const longText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SEPARATORS),
      fc.nat(40).map((length) => "y".repeat(length)),
    ),
    {
      maxLength: 20,
    },
  )
  .map((parts) => parts.join(""));

/** Pages of tags and texts of every length, wherever the steps of a scanner begin and end in them. */
export const longPages: fc.Arbitrary<Buffer> = fc
  .array(fc.oneof(oddTag, longText), { maxLength: 12 })
  .map((parts) => Buffer.from(WORDS + parts.join("")));

/** A page of the ordinary kind: head, text, links, a table, a form. */
const ORDINARY = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page &amp; its title</title>
<meta name="description" content="What it is about"><link rel="canonical" href="/canonical.html"><style>p{a:b}</style>
<script>if (a < b && c > d) document.write("<a href=no>");</script></head><body class="x"><nav><ul>
<li><a href="/one.html" title='x > y'>One</a></li><li><a href="two.html#part">Two</a></li><li><a href="../three/">3</a>
</ul></nav><h1>Words\u00a0and spaces</h1><p>Some <em>text</em> with <a href="http://other.example/page?q=1&amp;r=2">a
link</a>, an&nbsp;entity, \u3000wide spaces &copy; and caf\u00e9s.</p><!-- <a href="hidden"> --><table><caption>T</caption>
<tr><td><a href="cell">cell</a><td>2</table><svg viewBox="0 0 1 1"><title>t</title><path d="M0"/><a href="svg">s</a></svg>
<form action=go><select><option>1<option>2</select><input name=q></form><iframe src="frame.html"></iframe>
<p>The end of a page that has more than twenty words, so that the counter leaves its slow beginning behind it.</p>
<a href="https://h.example/absolute/path.html?x=%20y">abs</a> <a href="mailto:a@b.example">mail</a></body></html>`;

const change = fc.tuple(
  fc.nat(ORDINARY.length + 100),
  fc.oneof(
    scrap.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 3 }),
  ),
  fc.nat(12),
);

/** That page with a few pieces replaced. */
export const mutatedPages: fc.Arbitrary<Buffer> = fc
  .tuple(fc.array(change, { maxLength: 8 }), fc.nat(ORDINARY.length))
  .map(([changes, cut]) => {
    let page = Buffer.from(ORDINARY);
    for (const [at, bytes, removed] of changes)
      page = Buffer.concat([page.subarray(0, at), bytes, page.subarray(at + removed)]);
    return cut % 3 === 0 ? page.subarray(0, cut) : page;
  });

/** The same without any change. */
export const ORDINARY_PAGE: Buffer = Buffer.from(ORDINARY);
