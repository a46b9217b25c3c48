import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ArchivedPages } from "../../src/report/read/archived-pages.ts";
import { EarlierCrawl } from "../../src/store/warc/earlier-crawl.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { readRecords } from "../support/archive.ts";
import { orbweaver, readLines, readPages, readReport, tempFolder } from "../support/orbweaver.ts";
import { briefly, crawlOrigin } from "./scripted-crawl.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

/** A page that answers conditional requests; `version` is its ETag. */
function versioned(body: string, version: { now: string }, seen: string[]): Script[string] {
  return (request, response) => {
    const asked = request.headers["if-none-match"];
    seen.push(`${request.url} ${asked ?? "-"} ${request.headers["if-modified-since"] ?? "-"}`);
    if (asked === version.now) response.writeHead(304, { etag: version.now }).end();
    else html(`${body} ${version.now}`, { etag: version.now })(request, response);
  };
}

test("a recrawl asks for changes, follows the links of unchanged pages, and refers to the earlier records", async (t) => {
  const [stable, moving] = [{ now: '"1"' }, { now: '"1"' }];
  const seen: string[] = [];
  const dated: Script[string] = (request, response) => {
    const since = request.headers["if-modified-since"];
    seen.push(`${request.url} - ${since ?? "-"}`);
    if (since !== undefined) response.writeHead(304).end();
    else html("", { "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" })(request, response);
  };
  const server = await scriptedServer(t, {
    "/": versioned("<a href=/moving>1</a><a href=/dated>2</a><a href=/plain>3</a>", stable, seen),
    "/moving": versioned("<a href=/later>x</a>", moving, seen),
    "/dated": dated,
    "/plain": html("no validators"),
    "/later": html("later"),
    "/new": html("new"),
  });
  const first = await crawlOrigin(t, server.origin);
  assert.ok(seen.every((line) => line.endsWith(" - -")));
  moving.now = '"2"';
  seen.length = 0;
  const again = await crawlOrigin(t, server.origin, "--recrawl", first.out);
  assert.deepEqual(seen.sort(), [
    '/ "1" -',
    "/dated - Mon, 01 Jan 2024 00:00:00 GMT",
    '/moving "1" -',
  ]);
  assert.deepEqual(briefly(again.log), {
    "/": ["unchanged", 304, "seed"],
    "/moving": ["page", 200, "link"],
    "/dated": ["unchanged", 304, "link"],
    "/plain": ["page", 200, "link"],
    "/later": ["page", 200, "link"],
  });
  assert.equal(readReport(again.out).unchanged, 2);
  // The list has them all; those that were not sent again are marked, and described by the copy that still holds.
  const listed = new Map(readPages(again.out).map((page) => [new URL(page.url).pathname, page]));
  assert.deepEqual([...listed.keys()].sort(), ["/", "/dated", "/later", "/moving", "/plain"]);
  const old = new Map(readPages(first.out).map((page) => [new URL(page.url).pathname, page]));
  for (const [path, page] of listed) {
    const before = old.get(path)!;
    const isSame = path === "/" || path === "/dated";
    assert.equal(page.unchangedSince, isSame ? before.time : undefined, path);
    assert.equal(page.status, isSame ? 304 : 200);
    if (!isSame) continue;
    for (const field of ["title", "words", "links", "mime", "digest", "decodedBytes"] as const)
      assert.equal(page[field], before[field], `${path} ${field}`);
  }
  const before = readRecords(join(first.out, "archive"));
  const records = readRecords(join(again.out, "archive"));
  assert.deepEqual(
    records.flatMap(({ problems }) => problems),
    [],
  );
  const revisits = records.filter(({ type }) => type === "revisit");
  assert.equal(revisits.length, 2);
  for (const { headers, uri, block } of revisits) {
    const original = before.find((record) => record.type === "response" && record.uri === uri)!;
    assert.equal(
      headers.get("warc-profile"),
      "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
    );
    assert.equal(headers.get("warc-refers-to"), original.headers.get("warc-record-id"));
    assert.equal(headers.get("warc-refers-to-date"), original.headers.get("warc-date"));
    assert.equal(headers.get("warc-refers-to-target-uri"), uri);
    assert.equal(headers.get("warc-payload-digest"), original.headers.get("warc-payload-digest"));
    // The answer itself would be shown in place of the page.
    assert.equal(block.length, 0);
  }
  // What the second crawl did not get again lies in the first: a third one asks with its validators.
  seen.length = 0;
  const third = await crawlOrigin(t, server.origin, "--recrawl", again.out);
  assert.deepEqual(seen.sort(), [
    '/ "1" -',
    "/dated - Mon, 01 Jan 2024 00:00:00 GMT",
    '/moving "2" -',
  ]);
  assert.deepEqual(third.log.get("/")?.outcome, "unchanged");
  const since = readPages(third.out).find(({ url }) => url === `${server.origin}/`)!.unchangedSince;
  assert.equal(since, old.get("/")!.time);
  // Exports and a recovery have the same pages, with the texts of the generation that fetched them.
  const csv = join(third.out, "pages.csv");
  assert.equal((await orbweaver(["export", third.out, "--to", "csv", "--out", csv])).code, 0);
  const rows = readFileSync(csv, "utf8").trim().split("\n");
  assert.equal(rows.length, 6);
  assert.equal(rows.filter((row) => row.includes(`,${since}`)).length >= 1, true);
  const text = join(third.out, "text");
  const exported = await orbweaver(["export", third.out, "--to", "text", "--out", text]);
  assert.equal(exported.code, 0, exported.stderr);
  const before3 = readFileSync(join(third.out, "pages/pages.jsonl"), "utf8");
  assert.equal((await orbweaver(["recover", third.out])).code, 0);
  const sorted = (lines: string) => lines.split("\n").sort();
  assert.deepEqual(
    sorted(readFileSync(join(third.out, "pages/pages.jsonl"), "utf8")),
    sorted(before3),
  );
  assert.equal(new ArchivedPages(third.out).answer(pageAt(third.out, "/"))!.body.length > 20, true);
  // Without the first folder, what lay there is fetched as if it were new.
  rmSync(first.out, { recursive: true });
  seen.length = 0;
  const fourth = await crawlOrigin(t, server.origin, "--recrawl", again.out);
  assert.deepEqual(fourth.log.get("/")?.outcome, "page");
  assert.ok(seen.includes('/moving "2" -'));
});

function pageAt(out: string, path: string) {
  return readPages(out).find(({ url }) => new URL(url).pathname === path)!;
}

test("pages with equal bodies, of which the archive keeps one, are asked for with their own validators", async (t) => {
  const seen: string[] = [];
  const [one, two] = [{ now: '"1"' }, { now: '"2"' }];
  const copy = (version: { now: string }): Script[string] => {
    return (request, response) => {
      const asked = request.headers["if-none-match"];
      seen.push(`${request.url} ${asked ?? "-"}`);
      if (asked === version.now) response.writeHead(304).end();
      else html("<a href=/deep>the same</a>", { etag: version.now })(request, response);
    };
  };
  const server = await scriptedServer(t, {
    "/": html("<a href=/one>1</a><a href=/two>2</a>"),
    "/one": copy(one),
    "/two": copy(two),
    "/deep": html("deep"),
  });
  const first = await crawlOrigin(t, server.origin);
  const kept = readRecords(join(first.out, "archive"));
  assert.equal(kept.filter(({ type }) => type === "revisit").length, 1, "the body is there once");
  let before = first.out;
  for (const generation of [2, 3]) {
    seen.length = 0;
    const again = await crawlOrigin(t, server.origin, "--recrawl", before);
    assert.deepEqual(seen.sort(), ['/one "1"', '/two "2"'], `generation ${generation}`);
    for (const path of ["/one", "/two"]) {
      assert.equal(again.log.get(path)?.outcome, "unchanged", path);
      const { body } = new ArchivedPages(again.out).answer(pageAt(again.out, path))!;
      assert.match(Buffer.from(body).toString(), /the same/, path);
    }
    before = again.out;
  }
});

test("every page of an index is found by searching the file, and nothing else", async (t) => {
  const script: Script = { "/": html("") };
  const paths = Array.from({ length: 60 }, (_, i) => `/p${i}?q=${i % 7}`);
  script["/"] = html(paths.map((path) => `<a href='${path}'>x</a>`).join(""));
  for (const path of paths) script[path] = html(`page ${path}`);
  const server = await scriptedServer(t, script);
  const { out } = await crawlOrigin(t, server.origin);
  const earlier = new EarlierCrawl(out, 1 << 20);
  t.after(() => earlier.close());
  for (const path of ["/", ...paths]) {
    const page = earlier.find(canonicalize(server.origin + path)!);
    assert.ok(page?.body.includes(path === "/" ? "<a href" : `page ${path}`), path);
  }
  for (const path of ["/p", "/p0", "/p61?q=1", "/zzz", "/%00"])
    assert.equal(earlier.find(canonicalize(server.origin + path)!), undefined, path);
  const lines = readLines(join(out, "logs/crawl.jsonl"));
  assert.equal(lines.length, 61);
});

test("--recrawl with a folder that holds no crawl is a usage error", async (t) => {
  const { code, stderr } = await orbweaver([
    "crawl",
    "http://127.0.0.1:1/",
    "--recrawl",
    tempFolder(t),
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /--recrawl .*there is no finished crawl in that folder/);
});
