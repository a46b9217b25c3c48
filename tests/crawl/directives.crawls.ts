import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readRecords } from "../support/archive.ts";
import { readLines, readPages } from "../support/orbweaver.ts";
import { briefly, crawlScript } from "./scripted-crawl.ts";
import { html } from "./scripted-server.ts";

test("nofollow in a header stops links, noindex is archived and marked, the strictest wins", async (t) => {
  const script = {
    "/": html("<a href=/stop>1</a><a href=/other>2</a><a href=/mixed>3</a><a href=/hidden>4</a>"),
    "/stop": html("<a href=/not-1>x</a>", {
      "x-robots-tag": "nofollow",
      link: "</not-4>;rel=next",
    }),
    "/other": html("<a href=/yes>x</a>", { "x-robots-tag": "otherbot: none" }),
    "/mixed": html("<meta name=robots content='index,follow'><a href=/not-2>x</a>", {
      "x-robots-tag": "orbweaver: none",
    }),
    "/hidden": html(
      `<meta name=robots content="${"index, follow, ".repeat(500)}noindex"><a href=/yes>x</a>`,
    ),
    "/yes": html(""),
  };
  const { log, out } = await crawlScript(t, script);
  assert.deepEqual([...log.keys()].sort(), ["/", "/hidden", "/mixed", "/other", "/stop", "/yes"]);
  const robots = readPages(out).map(({ url, ...page }) => [
    new URL(url).pathname,
    (page as { robots?: string }).robots ?? "",
  ]);
  assert.deepEqual(Object.fromEntries(robots), {
    "/": "",
    "/stop": "nofollow",
    "/other": "",
    "/mixed": "noindex, nofollow",
    "/hidden": "noindex",
    "/yes": "",
  });
  const lines = readLines<{ url: string; robots?: string }>(join(out, "logs/crawl.jsonl"));
  assert.equal(lines.find(({ url }) => url.endsWith("/hidden"))?.robots, "noindex");
  const records = readRecords(join(out, "archive"));
  assert.ok(records.some(({ type, uri }) => type === "response" && uri?.endsWith("/hidden")));
  const metadata = records.find(({ type, uri }) => type === "metadata" && uri?.endsWith("/hidden"));
  assert.match(metadata!.block.toString(), /^robots: noindex\r$/m);
  const free = await crawlScript(t, { ...script, "/not-1": html("") }, "--no-robots");
  assert.ok(free.log.has("/not-1"));
});

test("a user agent of one's own is the name that pages speak to", async (t) => {
  const { log } = await crawlScript(
    t,
    {
      "/": html("<a href=/a>x</a>", { "x-robots-tag": "orbweaver: nofollow" }),
      "/a": html("<meta name=examplebot content=nofollow><a href=/b>x</a>"),
    },
    "--user-agent",
    "Examplebot/1.0",
  );
  assert.deepEqual([...log.keys()], ["/", "/a"]);
});

test("options for links: rel=nofollow, forms, assets, depth of URLs with a query", async (t) => {
  const script = {
    "/": html(
      "<a rel=nofollow href=/ranked>1</a><form action=/search></form><form action=/order method=post></form>" +
        "<img src=/i.png data-src=/late.png><a href=/q?1>2</a>",
    ),
    "/ranked": html(""),
    "/search": html(""),
    "/i.png": (_q: unknown, r: import("node:http").ServerResponse) =>
      r.writeHead(200, { "content-type": "image/png" }).end("\x89PNG"),
    "/q?1": html("<a href=/q?2>x</a><a href=/deep>y</a>"),
    "/q?2": html(""),
    "/deep": html(""),
  };
  const plain = await crawlScript(t, script);
  assert.deepEqual([...plain.log.keys()].sort(), ["/", "/deep", "/q?1", "/q?2", "/ranked"]);
  const { log, skipped } = await crawlScript(
    t,
    script,
    ...["--rel-nofollow", "skip", "--forms", "--archival", "--max-depth-dynamic", "1"],
  );
  assert.deepEqual(briefly(log), {
    "/": ["page", 200, "seed"],
    "/q?1": ["page", 200, "link"],
    "/search": ["page", 200, "link"],
    "/i.png": ["page", 200, "asset"],
    "/late.png": ["failed", "http_404", "asset"],
    "/deep": ["page", 200, "link"],
  });
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    ["max_depth_dynamic"],
  );
});

test("URLs that are one page by the chosen policy are fetched once, redirects between them followed", async (t) => {
  const { asked, log } = await crawlScript(
    t,
    {
      "/": html(
        "<a href=/a>1</a><a href=/a/>2</a><a href='/p?utm_source=x&n=1'>3</a><a href='/p?n=1&gclid=2'>4</a>" +
          "<a href=/s;jsessionid=1>5</a><a href=/s;jsessionid=2>6</a><a href=/%7euser>7</a><a href=/~user>8</a>",
      ),
      "/a": (_q, r) => r.writeHead(301, { location: "/a/" }).end(),
      "/a/": html("slash"),
    },
    ...["--drop-session-ids", "--drop-tracking", "--trailing-slash", "ignore"],
  );
  assert.deepEqual([...asked].sort(), [
    "/",
    "/%7euser",
    "/a",
    "/a/",
    "/p?utm_source=x&n=1",
    "/robots.txt",
    "/s;jsessionid=1",
  ]);
  assert.equal(log.get("/a/")?.outcome, "page");
});
