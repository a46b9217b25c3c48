import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { collectFolders } from "../../../src/store/collect/collect-folders.ts";
import { closedFiles } from "../../../src/store/export/closed-files.ts";
import { crawlPaths, readCrawlState } from "../../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { LinkGraph } from "../../../src/store/graph/link-graph.ts";
import { cdxjFields } from "../../../src/store/lists/cdxj.ts";
import { readWarc } from "../../../src/store/warc/warc-reader.ts";
import { html, type Script, scriptedServer } from "../../crawl/scripted-server.ts";
import { orbweaver, readLines, readPages, tempFolder } from "../../support/orbweaver.ts";

const SITE: Script = {
  "/": html("<a href=/a/1>x</a><a href=/b/1>x</a>"),
  "/a/1": html("<a href=/a/2>x</a><a href=/b/2>x</a>"),
  "/a/2": html("<a href=/>x</a>"),
  "/b/1": html("<a href=/a/2>x</a><a href=/gone>x</a>"),
  "/b/2": html("end"),
};
const FLAGS = ["--quiet", "--threads", "1", "--delay", "0"];

/** The pages of a crawl, and who links to each URL. */
function contentOf(dir: string) {
  const pages = readPages(dir)
    .map(({ url }) => url)
    .sort();
  const graph = new LinkGraph(dir);
  const links = pages.map((url) => [url, [...graph.linksTo(url!)].sort()]);
  graph.close();
  const list = (name: string) =>
    readFileSync(join(dir, "reports", name), "utf8")
      .split("\n")
      .sort()
      .join("\n");
  return { pages, links, edges: graph.edges, crawled: list("crawled.txt") };
}

/** Gives the only archive file of a crawl another name, also in its lists. */
function renameArchive(dir: string, name: string): void {
  const { archive, index, pages, log } = crawlPaths(dir);
  const [old] = closedFiles(dir);
  renameSync(join(archive, old!), join(archive, name));
  for (const list of [index, pages, log])
    writeFileSync(list, readFileSync(list, "utf8").replaceAll(old!, name));
}

test("the folders of two workers become what one crawl would have left", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const folder = tempFolder(t);
  const run = async (name: string, ...flags: string[]) => {
    const dir = join(folder, name);
    const { code, stderr } = await orbweaver([
      "crawl",
      `${origin}/`,
      "--out",
      dir,
      ...flags,
      ...FLAGS,
    ]);
    assert.equal(code, 0, stderr);
    return dir;
  };
  const whole = await run("whole");
  // Both have the start page, as after a death between fetch and commit.
  const workers = [
    await run("one", "--exclude", "/b/|/gone"),
    await run("two", "--exclude", "/a/"),
  ];
  renameArchive(workers[1]!, closedFiles(workers[0]!)[0]!);
  const out = join(folder, "all");
  // b/2 is found on a page of the first worker only, so it is crawled by a third.
  const third = join(folder, "three");
  await orbweaver(["crawl", `${origin}/b/2`, "--out", third, "--scope", "page", ...FLAGS]);
  const collection = collectFolders([...workers, third], out);
  assert.deepEqual(collection, { folders: 3, pages: 5, archiveFiles: 3, repeated: 1 });
  const [found, expected] = [contentOf(out), contentOf(whole)];
  assert.deepEqual(found.pages, expected.pages);
  assert.deepEqual(found.links, expected.links);
  assert.equal(found.edges, expected.edges);
  assert.equal(readCrawlState(out)?.ended, "collected");
  // Every line of the index leads to its record, and every file has lines.
  const index = readFileSync(crawlPaths(out).index, "utf8").trimEnd().split("\n");
  assert.equal(index.length, 7, "five pages, a missing one, and the start page twice");
  const named = new Set(index.map((line) => cdxjFields(line).filename));
  assert.deepEqual([...named].sort(), closedFiles(out).sort());
  for (const line of index) {
    const { filename, offset, url } = cdxjFields(line);
    const starts = [];
    for (const record of readWarc(join(crawlPaths(out).archive, filename!)))
      starts.push([record.offset, record.headers.get("warc-target-uri")]);
    assert.ok(
      starts.some(([at, uri]) => at === Number(offset) && uri === url),
      line,
    );
  }
  assert.equal(readLines(crawlPaths(out).log).length, 6, "one line per URL");
  assert.deepEqual(readdirSync(join(out, "reports/workers")), ["0-one", "1-two", "2-three"]);
  assert.ok(existsSync(join(out, "reports/workers/1-two/summary.json")));
  const exported = await orbweaver(["export", out, "--to", "wacz"]);
  assert.equal(exported.code, 0, exported.stderr);
  const linked = await orbweaver(["links", out, `${origin}/a/2`]);
  assert.deepEqual(linked.stdout.trim().split("\n").sort(), [`${origin}/a/1`, `${origin}/b/1`]);
  assert.throws(() => collectFolders(workers, out), { code: "OW_FOLDER_TAKEN" });
});

test("a worker that was killed before its first page adds nothing", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const folder = tempFolder(t);
  const [whole, empty] = [join(folder, "whole"), join(folder, "empty")];
  const { code, stderr } = await orbweaver(["crawl", `${origin}/`, "--out", whole, ...FLAGS]);
  assert.equal(code, 0, stderr);
  const { frontier, seedLow, seedHigh, config } = readCrawlState(whole)!;
  createCrawlFolder(empty, 0, { frontier, seedLow, seedHigh, config });
  const recovered = await orbweaver(["recover", empty]);
  assert.equal(recovered.code, 0, recovered.stderr);
  assert.equal(existsSync(crawlPaths(empty).log), false);
  for (const [name, folders] of [
    ["behind", [whole, empty]],
    ["before", [empty, whole]],
  ] as const) {
    const out = join(folder, name);
    const { pages } = collectFolders(folders, out, new Set([empty]));
    assert.equal(pages, readPages(whole).length);
    assert.deepEqual(contentOf(out), contentOf(whole));
  }
});

test("what is no finished crawl is refused, and nothing is made", (t) => {
  const folder = tempFolder(t);
  const out = join(folder, "out");
  assert.throws(() => collectFolders([join(folder, "none")], out), { code: "OW_USAGE" });
  writeFileSync(join(folder, "file"), "");
  assert.throws(() => collectFolders([join(folder, "file")], out), { code: "OW_USAGE" });
  assert.throws(() => collectFolders([out], out), /into itself/);
  assert.equal(existsSync(out), false);
});
