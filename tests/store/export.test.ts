import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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
import type { PageLine } from "../../src/store/lists/page-line.ts";
import { readTree, readTreeContent } from "../../src/store/tree/tree-files.ts";
import { sampleCrawl } from "./journaled-crawl.ts";
import { freshFolder, sampleBuilder, sampleCapture, url } from "./sample-capture.ts";

const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const python = spawnSync("python3", ["-c", "import csv, json, zipfile, zlib"]).status === 0;
const noPython = python ? false : "there is no python3 with its library here";
// Small ones, such as BusyBox's, cannot read the large form of packages.
const unzip = String(spawnSync("unzip", ["-v"]).stdout).includes("ZIP64_SUPPORT");
const noUnpacker = python || unzip ? false : "there is neither python3 nor unzip here";

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

test("WACZ: every resource has its digest, WARC files are stored, two foreign readers open it", {
  skip: noUnpacker,
}, (t) => {
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
  if (unzip) execFileSync("unzip", ["-q", "-o", zip, "-d", into]);
  if (python) execFileSync("python3", ["-c", script, zip, into]);
}

test("the large forms of zip are read by others", { skip: noUnpacker }, (t) => {
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

/** A page list with a line for each kind of value, also for those that a damaged record leaves. */
function oddPages(t: TestContext): { readonly path: string; readonly pages: readonly PageLine[] } {
  const place = { file: "orbweaver-20260102030405006-00000-0.warc.gz", offset: 7, length: 9 };
  const time = "2026-01-02T03:04:05.678Z";
  const page = (n: number, more: object): PageLine => ({
    ...{ id: `id-${n}`, url: `http://h/${n}`, ts: time, title: "", parent: null, depth: n },
    ...{ links: 1, status: 200, mime: "text/html", words: 3, bytes: 5, digest: "", time },
    ...place,
    ...more,
  });
  const pages = [
    page(0, {
      robots: "noindex",
      unchangedSince: time,
      signals: { noai: true },
      cash: 2 ** 36,
      priority: 1,
    }),
    // In UTF-16 the second title comes before the first, in UTF-8 behind it.
    page(1, { title: "\uff21", data: { a: [1, "x"] } }),
    page(2, { title: "\u{1f600}", words: null, cash: 3, priority: 0.25 }),
  ];
  const path = join(freshFolder(t), "pages.jsonl");
  const text = [{ format: "json-pages-1.0" }, ...pages].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(path, text.join(""));
  return { path, pages };
}

test("Parquet and CSV: every field of every page line", async (t) => {
  const { path, pages } = oddPages(t);
  const [parquet, csv] = [`${path}.parquet`, `${path}.csv`];
  assert.deepEqual([await exportParquet(path, parquet), exportCsv(path, csv)], [3, 3]);
  const { asyncBufferFromFile, parquetReadObjects } = await import("hyparquet");
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(parquet) });
  const fields = ["id", "url", "title", "robots", "cash", "priority", "data", "words", "depth"];
  const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : (value ?? null));
  for (const [i, { ts: _, data, ...page }] of pages.entries()) {
    const row = rows[i]!;
    const expected = { ...page, data: data === undefined ? null : JSON.stringify(data) };
    for (const name of fields)
      assert.deepEqual(plain(row[name]), expected[name as keyof typeof expected] ?? null, name);
    for (const name of Object.keys(page)) assert.ok(name in row, name);
    assert.equal((row.time as Date).toISOString(), page.time);
    assert.deepEqual([row.bytes, row.offset], [BigInt(page.bytes), BigInt(page.offset)]);
  }
  const [header, first, second] = lines(csv).map((line) => line.trimEnd());
  assert.match(header!, /,robots,unchangedSince,signals,cash,priority,id,data$/);
  assert.match(
    first!,
    /,noindex,2026-01-02T03:04:05.678Z,"\{""noai"":true\}",68719476736,1,id-0,$/,
  );
  assert.match(second!, /,,,,id-1,"\{""a"":\[1,""x""\]\}"$/);
});

test("Parquet: columns have logical types, and least and largest values that readers may use", async (t) => {
  const { path } = oddPages(t);
  const out = `${path}.parquet`;
  await exportParquet(path, out);
  const { asyncBufferFromFile, parquetMetadataAsync } = await import("hyparquet");
  const { schema, row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(out));
  const logical = (name: string) => schema.find((column) => column.name === name)?.logical_type;
  assert.deepEqual(logical("title"), { type: "STRING" });
  const time = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" };
  assert.deepEqual(logical("time"), time);
  const bounds = (name: string) => {
    const { columns } = row_groups[0]!;
    const { statistics } = columns.find((c) => c.meta_data!.path_in_schema[0] === name)!.meta_data!;
    return [statistics!.min_value, statistics!.max_value].map((value) =>
      value instanceof Date ? value.toISOString() : value,
    );
  };
  assert.deepEqual(bounds("title"), ["", "\u{1f600}"]);
  assert.deepEqual(bounds("time"), Array(2).fill("2026-01-02T03:04:05.678Z"));
  assert.deepEqual(bounds("depth"), [0, 2]);
  assert.deepEqual(bounds("priority"), [0.25, 1]);
  // Cut off after 16 bytes, the largest rounded up.
  assert.deepEqual(bounds("file"), ["orbweaver-202601", "orbweaver-202602"]);
  // Readers use them only if the footer says how they are ordered: its last field, an order per column.
  const footer = readFileSync(out).subarray(0, -8);
  assert.ok(footer.toString("hex").endsWith(`19fc19${"1c0000".repeat(25)}00`));
  const none = `${path}.none`;
  writeFileSync(none, `${lines(path)[0]}\n`);
  assert.equal(await exportParquet(none, `${none}.parquet`), 0);
  assert.equal(
    (await parquetMetadataAsync(await asyncBufferFromFile(`${none}.parquet`))).num_rows,
    0n,
  );
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
  for (const { file } of pages) assert.equal(readTreeContent(out, file)?.toString(), "<p>hello ");
});

test("a crawl that keeps a tree alone is exported from that; open archives and crawls without pages are refused", (t) => {
  const only = join(freshFolder(t), "only");
  sampleCrawl(only, { store: "tree" }).close();
  mergeParts(only);
  const out = join(only, "exported");
  const pages = lines(crawlPaths(only).pages).length - 1;
  assert.deepEqual(exportTree(only, out), { written: pages, there: 0, lost: 0 });
  const contents = (root: string) =>
    [...readTree(root)].map(({ url: name, file }) => [name, readTreeContent(root, file)]);
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
