import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { csvCell, exportCsv, exportGraph } from "../../src/store/export/export-csv.ts";
import { exportParquet } from "../../src/store/export/export-parquet.ts";
import { exportTree } from "../../src/store/export/export-tree.ts";
import { exportWacz } from "../../src/store/export/export-wacz.ts";
import { writeZipNum } from "../../src/store/export/zip-num.ts";
import { ZipWriter } from "../../src/store/export/zip-writer.ts";
import { replaceFile } from "../../src/store/files/replace-file.ts";
import { mergeParts } from "../../src/store/finish/merge-parts.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { readTree, readTreeContent } from "../../src/store/tree/tree-files.ts";
import { sampleCrawl } from "./journaled-crawl.ts";
import { freshFolder, sampleBuilder, sampleCapture, url } from "./sample-capture.ts";

const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const python = spawnSync("python3", ["--version"]).status === 0;
const noPython = python ? false : "there is no python3 here";

/** A finished crawl: plain, gzip, a repeated payload, a formula for a title, a 404. */
function crawl(t: TestContext): string {
  const folder = join(freshFolder(t), "crawl");
  createCrawlFolder(folder);
  const builder = sampleBuilder(folder, { rotatePages: 3 });
  const head = (status: number, more = "") =>
    Buffer.from(`HTTP/1.1 ${status} X\r\nContent-Type: text/html\r\n${more}\r\n`);
  const page = (title: string) => ({ title, words: 3, links: 1, charset: "utf-8" });
  const text = "<p>hello ";
  const parent = url("http://h/");
  builder.append(
    sampleCapture({
      url: parent,
      body: Buffer.from(text),
      page: page("Höme"),
      outlinks: [url("http://h/1"), url("http://h/2")],
    }),
  );
  builder.append(
    sampleCapture({
      url: url("http://h/1"),
      parent,
      body: gzipSync(text),
      head: head(200, "Content-Encoding: gzip\r\n"),
      page: page('=HYPERLINK("http://evil","x")'),
    }),
  );
  builder.append(
    sampleCapture({
      url: url("http://h/2"),
      parent,
      body: Buffer.from(text),
      page: page("a,b\nc"),
    }),
  );
  builder.append(sampleCapture({ url: url("http://h/3"), parent, head: head(404), status: 404 }));
  builder.append(
    sampleCapture({ url: url("http://h/4"), parent, body: Buffer.from(text), depth: 2 }),
  );
  builder.close();
  mergeParts(folder);
  return folder;
}

test("WACZ: every resource has its digest, WARC files are stored, two foreign readers open it", (t) => {
  const folder = crawl(t);
  const out = join(folder, "x.wacz");
  const facts = {
    title: "test",
    software: "Orbweaver/test",
    wallMs: Date.UTC(2026, 0, 2, 3, 4, 6),
  };
  const resources = exportWacz(folder, out, facts);
  const archive = readdirSync(crawlPaths(folder).archive);
  assert.deepEqual(
    resources.map(({ path }) => path),
    [
      ...archive.map((name) => `archive/${name}`),
      "indexes/index.cdx.gz",
      "indexes/index.idx",
      "pages/pages.jsonl",
    ],
  );
  const unpacked = join(folder, "unpacked");
  mkdirSync(unpacked);
  unpack(out, unpacked);
  const content = (path: string) => readFileSync(join(unpacked, path));
  const sha256 = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const datapackage = JSON.parse(content("datapackage.json").toString());
  assert.deepEqual([datapackage.profile, datapackage.wacz_version], ["data-package", "1.1.1"]);
  assert.equal(datapackage.resources.length, resources.length);
  for (const { path, hash, bytes } of datapackage.resources)
    assert.deepEqual([sha256(content(path)), content(path).length], [hash, bytes]);
  const digest = JSON.parse(content("datapackage-digest.json").toString());
  assert.deepEqual(digest, { path: "datapackage.json", hash: sha256(content("datapackage.json")) });
  assert.deepEqual(
    gunzipSync(content("indexes/index.cdx.gz")),
    readFileSync(crawlPaths(folder).index),
  );
  assert.deepEqual(content("pages/pages.jsonl"), readFileSync(crawlPaths(folder).pages));
  // Stored: the bytes of a WARC file stand in the package as they are.
  for (const name of archive)
    assert.ok(readFileSync(out).includes(readFileSync(join(crawlPaths(folder).archive, name))));
});

/** Unpacks with whatever foreign reader there is; with both, both must agree. */
function unpack(zip: string, into: string): void {
  const script =
    "import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nz.extractall(sys.argv[2])";
  const hasUnzip = spawnSync("unzip", ["-v"]).status === 0;
  assert.ok(python || hasUnzip, "neither python3 nor unzip is here to read the package");
  if (hasUnzip) execFileSync("unzip", ["-q", "-o", zip, "-d", into]);
  if (python) execFileSync("python3", ["-c", script, zip, into]);
}

test("the large forms of zip are read by others", { skip: noPython }, (t) => {
  const folder = freshFolder(t);
  const source = join(folder, "source");
  writeFileSync(source, Buffer.alloc(5000, 7));
  for (const limit of [0, 100, 4999, 5000, 20_000]) {
    const zip = join(folder, `zip-${limit}`);
    replaceFile(zip, (file) => {
      const writer = new ZipWriter(file, 0, limit);
      writer.addFile("a/one", source);
      writer.addBytes("two", Buffer.from("2"));
      writer.addFile("three", source);
      writer.finish();
    });
    const into = join(folder, `into-${limit}`);
    mkdirSync(into);
    unpack(zip, into);
    assert.deepEqual(readFileSync(join(into, "three")), readFileSync(source));
    assert.equal(readFileSync(join(into, "two"), "utf8"), "2");
    assert.equal(readFileSync(zip).includes("PK\x06\x06"), limit < 20_000);
  }
});

test("a compressed index is found block by block", (t) => {
  const folder = freshFolder(t);
  const [index, out] = [join(folder, "index"), join(folder, "index.cdx.gz")];
  const all = Array.from({ length: 10 }, (_, i) => `com,h)/${i} 2026010100000${i} {"n":${i}}`);
  writeFileSync(index, `${all.join("\n")}\n`);
  const [meta, ...blocks] = writeZipNum(index, out, 4).toString().trimEnd().split("\n");
  assert.equal(meta, '!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}');
  assert.equal(blocks.length, 3);
  const bytes = readFileSync(out);
  for (const [i, block] of blocks.entries()) {
    assert.ok(block.startsWith(`com,h)/${4 * i} 2026010100000${4 * i} {`));
    const { offset, length } = JSON.parse(block.slice(block.indexOf("{")));
    const text = gunzipSync(bytes.subarray(offset, offset + length)).toString();
    assert.equal(text, `${all.slice(4 * i, 4 * i + 4).join("\n")}\n`);
  }
});

test("S6: no cell of a CSV begins like a formula, whatever stands before", () => {
  for (const evil of [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r\n=1",
    " =1",
    "\u200b=1",
    "＝1",
    "\ufeff@x",
  ])
    assert.match(csvCell(evil), /^"?'/, JSON.stringify(evil));
  assert.equal(csvCell('=HYPERLINK("http://evil","x")'), `"'=HYPERLINK(""http://evil"",""x"")"`);
  assert.deepEqual(
    [csvCell("a,b\r\nc"), csvCell("plain"), csvCell(-5), csvCell(null)],
    ['"a,b c"', "plain", "-5", ""],
  );
});

test("CSV: one line per page, read back by a foreign reader", { skip: noPython }, (t) => {
  const folder = crawl(t);
  const out = join(folder, "pages.csv");
  assert.equal(exportCsv(crawlPaths(folder).pages, out), 4);
  const script =
    "import csv,json,sys\nprint(json.dumps(list(csv.DictReader(open(sys.argv[1],newline='',encoding='utf-8')))))";
  const rows = JSON.parse(execFileSync("python3", ["-c", script, out]).toString());
  const page = (row: { url: string; title: string; parent: string; status: string }) => [
    row.url,
    row.title,
    row.parent,
    row.status,
  ];
  assert.deepEqual(rows.map(page), [
    ["http://h/", "Höme", "", "200"],
    ["http://h/1", `'=HYPERLINK("http://evil","x")`, "http://h/", "200"],
    ["http://h/2", "a,b c", "http://h/", "200"],
    ["http://h/4", "", "http://h/", "200"],
  ]);
});

test("Parquet: the rows of the page list, with types", async (t) => {
  const folder = crawl(t);
  const out = join(folder, "pages.parquet");
  assert.equal(await exportParquet(crawlPaths(folder).pages, out), 4);
  const { asyncBufferFromFile, parquetReadObjects } = await import("hyparquet");
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out) });
  const pages = lines(crawlPaths(folder).pages)
    .slice(1)
    .map((line) => JSON.parse(line));
  assert.equal(rows.length, pages.length);
  for (const [i, row] of rows.entries()) {
    const { url: address, title, parent, status, bytes, offset, time } = pages[i];
    assert.deepEqual(
      [row.url, row.title, row.parent, row.status],
      [address, title, parent, status],
    );
    assert.deepEqual([row.bytes, row.offset], [BigInt(bytes), BigInt(offset)]);
    assert.equal((row.time as Date).toISOString(), time);
  }
  const none = join(folder, "none.jsonl");
  writeFileSync(none, `${lines(crawlPaths(folder).pages)[0]}\n`);
  assert.equal(await exportParquet(none, join(folder, "none.parquet")), 0);
  assert.ok(statSync(join(folder, "none.parquet")).size > 0);
});

test("graph: nodes and edges by id", (t) => {
  const folder = crawl(t);
  const [nodes, edges] = [join(folder, "nodes.csv"), join(folder, "edges.csv")];
  assert.deepEqual(exportGraph(folder, nodes, edges), { nodes: 3, edges: 2 });
  const [, ...rows] = lines(nodes).map((line) => line.trimEnd().split(","));
  const idOf = new Map(rows.map(([id, address]) => [address!, id!]));
  const found = lines(edges)
    .slice(1)
    .map((line) => line.trimEnd());
  const wanted = ["http://h/1", "http://h/2"].map(
    (to) => `${idOf.get("http://h/")},${idOf.get(to)}`,
  );
  assert.deepEqual(found.sort(), wanted.sort());
});

test("tree: every page decoded, revisits with the payload they name, and once only", (t) => {
  const folder = crawl(t);
  const out = join(folder, "out");
  assert.deepEqual(exportTree(folder, out), { written: 4, there: 0, lost: 0 });
  assert.deepEqual(exportTree(folder, out), { written: 0, there: 4, lost: 0 });
  const pages = [...readTree(out)];
  assert.deepEqual(
    pages.map(({ url: address }) => address),
    ["http://h/", "http://h/1", "http://h/2", "http://h/4"],
  );
  for (const { path } of pages) assert.equal(readTreeContent(out, path)?.toString(), "<p>hello ");
});

test("a crawl that keeps a tree alone is exported from that; open archives and crawls without pages are refused", (t) => {
  const only = join(freshFolder(t), "only");
  sampleCrawl(only, { store: "tree" }).close();
  mergeParts(only);
  const out = join(only, "exported");
  const pages = lines(crawlPaths(only).pages).length - 1;
  assert.deepEqual(exportTree(only, out), { written: pages, there: 0, lost: 0 });
  const contents = (root: string) =>
    [...readTree(root)].map(({ url: name, path }) => [name, readTreeContent(root, path)]);
  assert.deepEqual(contents(out), contents(crawlPaths(only).tree));
  const facts = { title: "x", software: "x", wallMs: 0 };
  const noPages = { code: "OW_USAGE", message: /holds nothing that can be exported so/ };
  assert.throws(() => exportWacz(only, join(only, "x.wacz"), facts), noPages);
  const running = join(freshFolder(t), "running");
  sampleCrawl(running).flush();
  assert.throws(() => exportTree(running, join(running, "exported")), {
    ...{ code: "OW_USAGE", message: /is not closed/ },
  });
  const none = join(freshFolder(t), "none");
  sampleCrawl(none, { store: "none" }).close();
  mergeParts(none);
  assert.throws(() => exportTree(none, join(none, "exported")), noPages);
});
