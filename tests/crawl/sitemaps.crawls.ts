import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { readRecords } from "../support/archive.ts";
import { readPages, readReport } from "../support/orbweaver.ts";
import { brief, briefly, crawlScript } from "./scripted-crawl.ts";
import { html, redirect, type Script, scriptedServer } from "./scripted-server.ts";

type Answer = Script[string];

function text(body: string | Buffer, type = "application/xml"): Answer {
  return (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
}

/** Written with the host the request came for, since sitemaps hold complete URLs. */
function xml(root: "urlset" | "sitemapindex", ...paths: string[]): Answer {
  return (request, response) => {
    const item = root === "urlset" ? "url" : "sitemap";
    const entry = (path: string) =>
      `<${item}><loc>${path.startsWith("/") ? `http://${request.headers.host}${path}` : path}</loc></${item}>`;
    response.writeHead(200, { "content-type": "application/xml" });
    response.end(`<?xml version="1.0"?><${root}>${paths.map(entry).join("")}</${root}>`);
  };
}

const ROBOTS = text(
  "User-agent: *\nDisallow: /no\nSitemap: /map.xml\nSitemap: /map.xml\n",
  "text/plain",
);

test("pages of the sitemaps that robots.txt names are fetched; the sitemaps are archived and are no pages", async (t) => {
  const { log, out, asked } = await crawlScript(t, {
    "/robots.txt": ROBOTS,
    "/map.xml": xml("urlset", "/", "/a", "/b?x=1", "/a", "/no", "http://other.test/x"),
    "/": html("<a href=/linked>x</a>"),
    "/a": html(""),
    "/b?x=1": html(""),
    "/linked": html(""),
  });
  assert.deepEqual(briefly(log), {
    "/": ["page", 200, "seed"],
    "/map.xml": ["sitemap", 200, "robots"],
    "/linked": ["page", 200, "link"],
    "/a": ["page", 200, "sitemap"],
    "/b?x=1": ["page", 200, "sitemap"],
    "/no": ["refused", "robots", "sitemap"],
  });
  assert.deepEqual([...asked].sort(), ["/", "/a", "/b?x=1", "/linked", "/map.xml", "/robots.txt"]);
  assert.equal(readPages(out).length, 4);
  assert.equal(readReport(out).sitemaps, 1);
  const records = readRecords(join(out, "archive"));
  assert.deepEqual(
    records.flatMap(({ problems }) => problems),
    [],
  );
  assert.ok(records.some(({ type, uri }) => type === "response" && uri?.endsWith("/map.xml")));
});

test("--sitemaps off asks for none, only follows nothing else and tries the usual place", async (t) => {
  const script = {
    "/robots.txt": ROBOTS,
    "/map.xml": xml("urlset", "/a"),
    "/": html("<a href=/linked>x</a>"),
    "/a": html("<a href=/linked>x</a>"),
    "/linked": html(""),
  };
  const off = await crawlScript(t, script, "--sitemaps", "off");
  assert.deepEqual([...off.log.keys()].sort(), ["/", "/linked"]);
  const only = await crawlScript(t, script, "--sitemaps", "only");
  assert.deepEqual([...only.log.keys()].sort(), ["/", "/a", "/map.xml"]);
  for (const args of [[], ["--no-robots"]]) {
    const usual = { "/": html(""), "/sitemap.xml": xml("urlset", "/a"), "/a": html("") };
    const found = await crawlScript(t, usual, "--sitemaps", "only", ...args);
    assert.deepEqual([...found.log.keys()].sort(), ["/", "/a", "/sitemap.xml"]);
  }
  const unnamed = { "/": html(""), "/sitemap.xml": xml("urlset", "/a"), "/a": html("") };
  const on = await crawlScript(t, unnamed);
  assert.deepEqual([...on.log.keys()], ["/"], "nobody asked for a sitemap that nobody names");
});

test("an index is followed two levels deep, once per file; compressed, moved and plain ones are read", async (t) => {
  const { log, skipped, origin } = await crawlScript(t, {
    "/robots.txt": ROBOTS,
    "/map.xml": xml(
      "sitemapindex",
      "/map.xml",
      "/s1.xml.gz",
      "/moved",
      "/s.txt",
      "/deep.xml",
      "/s.txt",
    ),
    "/s1.xml.gz": (request, response) =>
      response.end(
        gzipSync(`<urlset><url><loc>http://${request.headers.host}/gz</loc></url></urlset>`),
      ),
    "/moved": redirect("/there"),
    "/there": xml("urlset", "/moved-page"),
    "/s.txt": (request, response) => response.end(`http://${request.headers.host}/plain\n`),
    "/deep.xml": xml("sitemapindex", "/too-deep.xml"),
    "/too-deep.xml": xml("urlset", "/never"),
    "/": html(""),
    "/gz": html(""),
    "/moved-page": html(""),
    "/plain": html(""),
  });
  assert.deepEqual(briefly(log), {
    "/": ["page", 200, "seed"],
    "/map.xml": ["sitemap", 200, "robots"],
    "/s1.xml.gz": ["sitemap", 200, "index"],
    "/moved": ["redirect", 302, "index"],
    "/there": ["sitemap", 200, "index"],
    "/s.txt": ["sitemap", 200, "index"],
    "/deep.xml": ["sitemap", 200, "index"],
    "/gz": ["page", 200, "sitemap"],
    "/moved-page": ["page", 200, "sitemap"],
    "/plain": ["page", 200, "sitemap"],
  });
  assert.deepEqual(skipped, [
    {
      url: `${origin}/too-deep.xml`,
      reason: "sitemap_depth",
      parent: `${origin}/deep.xml`,
      depth: 0,
      via: "index",
    },
  ]);
});

test("a sitemap with a DTD, a private one and a stranger's children go nowhere", async (t) => {
  const secret = await scriptedServer(t, { "/map.xml": xml("urlset", "/x") });
  const { log, all, skipped } = await crawlScript(t, {
    "/robots.txt": text(
      `Sitemap: ${secret.origin}/map.xml\nSitemap: /dtd.xml\nSitemap: /index.xml\nSitemap: file:///etc/passwd`,
    ),
    "/dtd.xml": text(`<!DOCTYPE u [<!ENTITY a "/x">]><urlset><url><loc>&a;</loc></url></urlset>`),
    "/index.xml": xml("sitemapindex", "http://10.0.0.1/map.xml"),
    "/": html(""),
  });
  assert.deepEqual(brief(log.get("/dtd.xml")), ["sitemap", "sitemap_dtd", "robots"]);
  const stranger = all.find(({ url }) => url.startsWith(secret.origin));
  assert.deepEqual(brief(stranger), ["refused", "blocked_private_address", "robots"]);
  assert.deepEqual(secret.asked, []);
  assert.deepEqual(
    skipped.map(({ url, reason }) => [url, reason]),
    [["http://10.0.0.1/map.xml", "out_of_scope"]],
  );
});

test("feeds are read when asked for; Link and Refresh headers lead on", async (t) => {
  const script = {
    "/": html("<link rel=alternate type=application/rss+xml href=/feed>", {
      link: "</next>; rel=next, </style>; rel=stylesheet",
      refresh: "5; url=/refreshed",
    }),
    "/feed": text("<rss><channel><item><link>/item</link></item></channel></rss>"),
    "/item": html(""),
    "/next": html(""),
    "/refreshed": html("<meta http-equiv=refresh content='0;url=/meta'>"),
    "/meta": html(""),
  };
  const plain = await crawlScript(t, script);
  assert.deepEqual(briefly(plain.log), {
    "/": ["page", 200, "seed"],
    "/next": ["page", 200, "link"],
    "/refreshed": ["page", 200, "link"],
    "/meta": ["page", 200, "refresh"],
  });
  const { log } = await crawlScript(t, script, "--feeds");
  assert.deepEqual(brief(log.get("/feed")), ["sitemap", 200, "feed"]);
  assert.deepEqual(brief(log.get("/item")), ["page", 200, "sitemap"]);
});
