import assert from "node:assert/strict";
import { test } from "node:test";
import { type ParseOptions, parsePage } from "../../src/parse/page.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

const PAGE = "http://h/d/" as CrawlUrl;
const parse = (html: string, options: ParseOptions = {}) =>
  parsePage(Buffer.from(html), PAGE, options);
const paths = (urls: readonly string[]) => urls.map((url) => url.slice("http://h/d/".length));

const RICH = `<link rel=stylesheet href=s.css><link rel="shortcut icon" href=i.ico><link rel=next href=n>
  <img src=1.png srcset="1.png 1x, 2.png 2x" data-src=3.png data-original=4.png>
  <picture><source srcset="a.webp 100w,b.webp 200w" data-srcset="c.webp 3x"></picture>
  <script src=x.js></script><video src=v.mp4 poster=p.jpg data-poster=q.jpg></video><object data=o.swf></object>
  <iframe data-src=lazy.html></iframe><a href=page data-href=hidden>x</a>
  <form action=search><input type=image src=go.png></form><form action=order method=post></form>`;

test("without options a page gives links to pages only", () => {
  const page = parse(RICH);
  assert.deepEqual(paths(page.links), ["n", "page"]);
  assert.deepEqual([page.assets, page.feeds], [[], []]);
});

test("assets are what the page needs, srcset in full", () => {
  const page = parse(RICH, { assets: true });
  assert.deepEqual(paths(page.links), ["n", "page"]);
  assert.deepEqual(paths(page.assets).sort(), [
    "1.png",
    "2.png",
    "a.webp",
    "b.webp",
    "go.png",
    "i.ico",
    "o.swf",
    "p.jpg",
    "s.css",
    "v.mp4",
    "x.js",
  ]);
});

test("archival mode also takes what scripts would load later", () => {
  const page = parse(RICH, { assets: true, lazy: true });
  assert.deepEqual(paths(page.links), ["n", "lazy.html", "page", "hidden"]);
  const late = ["3.png", "4.png", "c.webp", "q.jpg"];
  assert.deepEqual(
    late.filter((name) => paths(page.assets).includes(name)),
    late,
  );
});

test("forms that send by GET are links when asked for, others never", () => {
  assert.deepEqual(paths(parse(RICH, { forms: true }).links), ["n", "page", "search"]);
});

test("rel=nofollow is counted and left out when asked for", () => {
  const html = `<a rel=nofollow href=a>1</a><a rel="x NoFollow" href=b>2</a><a href=c>3</a><a href=a>4</a>`;
  assert.deepEqual(paths(parse(html).links), ["a", "b", "c"]);
  const strict = parse(html, { skipNofollow: true });
  assert.deepEqual([paths(strict.links), strict.nofollowed], [["c", "a"], 2]);
});

test("feeds are found by rel=alternate and their type", () => {
  const html = `<link rel=alternate type=application/rss+xml href=r><link rel=alternate type="application/atom+xml;x" href=a>
    <link rel=alternate type=application/rss+xml href=r><link rel=stylesheet type=application/rss+xml href=no>
    <link rel=alternate type=text/html href=page>`;
  const page = parse(html, { feeds: true });
  assert.deepEqual([paths(page.feeds), paths(page.links)], [["r", "a"], ["page"]]);
});
