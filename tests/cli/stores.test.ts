import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { crawlPaths, readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import { crawlScript } from "../crawl/scripted-crawl.ts";
import { html, type Script, scriptedServer } from "../crawl/scripted-server.ts";
import { readWhole } from "../faults/whole-folder.ts";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";
import { checkLists } from "../support/result-lists.ts";

const raw =
  (type: string, body: Buffer): Script[string] =>
  (_request, response) =>
    response.writeHead(200, { "content-type": type }).end(body);

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const SITE: Script = {
  "/": html("<a href=/a>x</a><a href=/picture>x</a><a href=/packed>x</a><a href=/gone>x</a>"),
  "/a": html("<a href=/b>x</a>"),
  "/b": html("end"),
  "/picture": raw("text/html", PNG),
  "/packed": raw("text/html", gzipSync("packed")),
};

test("a crawl that keeps a tree is whole to recover, before and after a resume, and its files have true names", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const out = join(tempFolder(t), "out");
  const recover = async () => {
    const { code, stdout } = await orbweaver(["recover", out, "--json"]);
    assert.equal(code, 0, stdout);
    assert.equal(readCrawlState(out)!.lostArchives, undefined);
    assert.deepEqual(readWhole(out).problems, []);
  };
  const flags = ["--quiet", "--threads", "1", "--delay", "0", "--store", "tree"];
  const stopped = await orbweaver([
    ...["crawl", `${origin}/`, "--out", out, ...flags, "--max-pages", "2"],
  ]);
  assert.equal(stopped.code, 3, stopped.stderr);
  await recover();
  const resumed = await orbweaver(["resume", out, "--max-pages", "9", "--quiet"]);
  assert.equal(resumed.code, 0, resumed.stderr);
  await recover();
  const files = readdirSync(crawlPaths(out).tree, { recursive: true, encoding: "utf8" });
  const names = files.map((file) => basename(file)).filter((name) => name.startsWith("content."));
  const html = Array(3).fill("content.html");
  assert.deepEqual(names.sort(), ["content.gz", ...html, "content.png"]);
  assert.equal(readPages(out).length, names.length);
});

test("URLs that are refused are listed whatever their spelling, and each has one line in the log", async (t) => {
  const links = ["/no/a?", "/no/b%7Ec", "/no/d", "/no/e/", "/no/f?utm_source=x", "/yes/"];
  const script: Script = {
    "/robots.txt": raw("text/plain", Buffer.from("User-agent: *\nDisallow: /no")),
    "/": html(links.map((link) => `<a href="${link}">x</a>`).join("")),
    "/yes/": html("yes"),
  };
  for (const flags of [[], ["--trailing-slash", "ignore", "--drop-tracking"]]) {
    const { out, all } = await crawlScript(t, script, ...flags);
    assert.deepEqual(checkLists(out), { crawled: 1, uncrawled: 5 });
    assert.equal(all.length, 1 + links.length);
  }
});
