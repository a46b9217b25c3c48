import * as fc from "fast-check";

const link = fc.constantFrom(
  "http://h/a",
  "https://www.example.org/?a=1&amp;b=2",
  "/rooted",
  "http://h/b&c=d",
  " \n http://h/spaced\t",
  "http://h/<![CDATA[?q=a&l=]]x]]>",
  "http://h/<!-- no -->z",
  "http://h/&#233;&#x1F600;&lol;",
  "http://h/é",
  "",
  "mailto:x",
  "<",
);
const field = fc
  .tuple(
    fc.constantFrom("loc", "loc", "image:loc", "LOC", "lastmod", "priority", "link", "guid", "id"),
    link,
    fc.constantFrom("", "", "", "missing"),
  )
  .map(([name, text, end]) => `<${name}>${text}${end === "" ? `</${name}>` : ""}`);
const atomLink = fc
  .tuple(
    fc.constantFrom(
      "",
      " rel='alternate'",
      ' rel="self"',
      " xml:base='/b/'",
      ' title="1 > 2"',
      " x=''",
    ),
    link,
  )
  .map(([rel, href]) => `<link${rel} href="${href.replaceAll("<", "")}"/>`);
const scrap = fc.constantFrom(
  "<!-- > -- -->",
  "<!---->",
  "<?php ?>",
  "<!ELEMENT x>",
  "]]>",
  "</nothing>",
  "<a b='>' c>",
  '<a b="<',
  "&",
  "\ufeff",
  "\0",
  "<x:url>",
  "</url>",
  "<item>",
  "<",
  ">",
  "<![CDATA[",
);
const entry = fc
  .tuple(
    fc.constantFrom("url", "sitemap", "item", "entry", "s:url", "channel"),
    fc.array(fc.oneof({ weight: 4, arbitrary: field }, atomLink, scrap), { maxLength: 6 }),
  )
  .map(([name, parts]) => `<${name}>${parts.join("")}</${name}>`);

/** Documents that look like sitemaps and feeds and are mostly broken. */
export const sitemapText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      "",
      "<?xml version='1.0' encoding='UTF-8'?>\n",
      "\ufeff",
      "Warning: x\n",
      " \n",
    ),
    fc.constantFrom("urlset", "sitemapindex", "rss", "feed", "rdf:RDF", "x"),
    fc.array(fc.oneof({ weight: 5, arbitrary: entry }, scrap), { maxLength: 8 }),
    fc.boolean(),
  )
  .map(([start, root, entries, ends]) => {
    return `${start}<${root}>${entries.join("\n")}${ends ? `</${root}>` : ""}`;
  });

/**
 * A beginning that changes nothing but is longer than what a reader looks at before it decides: only what comes
 * after it is really read piece by piece.
 */
export const PADDING = `<!--${" padding ".repeat(500)}-->`;

/** Well formed sitemaps with what must come out of them. */
export const goodSitemap: fc.Arbitrary<{ text: string; urls: string[] }> = fc
  .array(
    fc.record({
      path: fc.array(fc.constantFrom("a", "b", "]", "&", "'", '"', "é", "1"), { maxLength: 6 }),
      cdata: fc.boolean(),
      comment: fc.boolean(),
      lastmod: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((pages) => {
    const urls: string[] = [];
    let text = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
    for (const { path, cdata, comment, lastmod } of pages) {
      const url = `http://h/?${path.join("")}`;
      urls.push(url);
      const escaped = url
        .replaceAll("&", "&amp;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&apos;")
        .replaceAll("1", "&#49;");
      const value = cdata ? `<![CDATA[${url}]]>` : escaped;
      text += `<url>${comment ? "<!-- <loc>http://h/no</loc> -->" : ""}\n  <loc>${value}</loc>`;
      text += `${lastmod ? "<lastmod>2020-02-03</lastmod>" : ""}</url>`;
    }
    return { text: `${text}</urlset>`, urls };
  });
