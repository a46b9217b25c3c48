import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FolderTakenError } from "../../src/errors.ts";
import { mergeParts } from "../../src/store/finish/merge-parts.ts";
import { crawlPaths, partsOf } from "../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { readWarc } from "../../src/store/warc/warc-reader.ts";
import { freshFolder, sampleBuilder, sampleCapture, url } from "./sample-capture.ts";

const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const objects = (path: string) => lines(path).map((line) => JSON.parse(line));

/** A crawl of n captures, every third a 404, dealt out to the builders. */
function crawl(folder: string, builders: number, captures: number): void {
  createCrawlFolder(folder);
  const all = Array.from({ length: builders }, (_, thread) => sampleBuilder(folder, { thread }));
  for (let n = 0; n < captures; n++) {
    const builder = all[n % builders]!;
    const status = n % 3 === 2 ? 404 : 200;
    const page = { title: `T\n${n}`, words: n, links: 2, charset: "utf-8" };
    builder.append(sampleCapture({ url: url(`http://example.com/${n}`), status, depth: n, page }));
    const line = JSON.stringify({ url: `http://example.com/${n}`, outcome: "page" });
    builder.append({ kind: "outcome", line });
    const skipped = JSON.stringify({ url: `http://other.example/${n % 7}`, reason: "scope" });
    builder.append({ kind: "skipped", lines: [skipped] });
  }
  for (const builder of all) builder.close();
}

for (const builders of [1, 3]) {
  test(`${builders} builder(s): index, pages, log and report agree with the archive`, (t) => {
    const folder = join(freshFolder(t), "crawl");
    crawl(folder, builders, 40);
    mergeParts(folder);
    const paths = crawlPaths(folder);
    const [header, ...pages] = objects(paths.pages);
    assert.deepEqual(header, { format: "json-pages-1.0", id: "pages", title: "All Pages" });
    assert.equal(pages.length, 27);
    for (const page of pages) {
      const bytes = readFileSync(join(paths.archive, page.file));
      const member = join(folder, "member");
      writeFileSync(member, bytes.subarray(page.offset, page.offset + page.length));
      const [record] = readWarc(member);
      assert.deepEqual(record!.problems, []);
      assert.equal(record!.headers.get("warc-target-uri"), page.url);
      assert.equal(record!.headers.get("warc-record-id"), `<urn:uuid:${page.id}>`);
      assert.equal(record!.headers.get("warc-date"), page.ts);
      assert.match(page.digest, /^sha256:[0-9a-f]{64}$/);
      assert.deepEqual(
        [page.status, page.parent, page.links, page.mime],
        [200, null, 2, "text/html"],
      );
      assert.equal(page.title, `T\n${page.words}`);
      assert.deepEqual([page.depth, page.bytes], [page.words, 30]);
    }
    assert.equal(new Set(pages.map((p) => p.url)).size, 27);
    assert.equal(lines(paths.index).length, 40);
    const sorted = execFileSync("sort", [paths.index], { env: { ...process.env, LC_ALL: "C" } });
    assert.deepEqual(readFileSync(paths.index), sorted);
    assert.equal(new Set(objects(paths.log).map((o) => o.url)).size, 40);
    assert.deepEqual(
      objects(paths.skipped),
      Array.from({ length: 7 }, (_, n) => ({ url: `http://other.example/${n}`, reason: "scope" })),
    );
    for (const path of [paths.index, paths.pages, paths.log, paths.skipped])
      assert.deepEqual(partsOf(path), []);
    assert.equal(readdirSync(paths.archive).length, builders);
    assert.ok(!existsSync(paths.debugLog));
  });
}

test("finishing again, or after an interruption, changes nothing", (t) => {
  const base = freshFolder(t);
  const before = join(base, "crawl");
  crawl(before, 3, 20);
  const after = join(base, "finished");
  cpSync(before, after, { recursive: true });
  mergeParts(after);
  const wanted = ["pages", "index", "log", "skipped"] as const;
  const snapshot = (dir: string) =>
    wanted.map((name) => readFileSync(crawlPaths(dir)[name], "utf8"));
  const good = snapshot(after);
  mergeParts(after);
  assert.deepEqual(snapshot(after), good);
  // Interrupted between the new file and the removal of its parts: some parts are still there.
  for (const name of wanted) {
    const parts = partsOf(crawlPaths(before)[name]);
    for (let gone = 0; gone < parts.length; gone++) {
      for (const part of parts.slice(gone)) cpSync(part, part.replace(before, after));
      mergeParts(after);
      assert.deepEqual(snapshot(after), good, `${name} with ${gone} parts gone`);
    }
  }
});

test("builder 0 writes pages and log themselves, readable after each flush", (t) => {
  const folder = join(freshFolder(t), "crawl");
  const paths = createCrawlFolder(folder);
  const builder = sampleBuilder(folder);
  builder.append(sampleCapture());
  builder.append({ kind: "outcome", line: JSON.stringify({ url: "http://example.com/" }) });
  builder.flush();
  assert.equal(objects(paths.pages).length, 2);
  assert.equal(objects(paths.log).length, 1);
  builder.flush();
  builder.sync();
  builder.close();
});

test("a folder is taken only when nothing is in it, and the refusal says what to do", (t) => {
  const base = freshFolder(t);
  const fresh = join(base, "deep", "crawl");
  const paths = createCrawlFolder(fresh, Date.UTC(2026, 0, 1));
  assert.deepEqual(readdirSync(fresh).sort(), [
    "archive",
    "indexes",
    "links",
    "logs",
    "pages",
    "reports",
    "state",
  ]);
  assert.deepEqual(readFileSync(paths.state), readFileSync(paths.stateCopy));
  assert.deepEqual(
    objects(paths.state).map(({ checksum: _, ...state }) => state),
    [
      {
        version: 3,
        created: "2026-01-01T00:00:00.000Z",
        frontier: "sharded",
        seedLow: 0,
        seedHigh: 0,
        epoch: 1,
        config: {},
        moreSeeds: [],
        ended: "running",
      },
    ],
  );
  const refusal = (dir: string, sentence: RegExp) =>
    assert.throws(
      () => createCrawlFolder(dir),
      (e) => e instanceof FolderTakenError && sentence.test(e.message) && e.exitCode === 2,
    );
  refusal(
    fresh,
    /already holds a crawl, which is never overwritten: continue it with orbweaver resume/,
  );
  const full = join(base, "full");
  mkdirSync(full);
  createCrawlFolder(full);
  const other = join(base, "other");
  mkdirSync(other);
  writeFileSync(join(other, "thesis.txt"), "precious");
  refusal(other, /not empty and not a crawl folder: choose another --out/);
  refusal(join(other, "thesis.txt"), /is a file, not a folder/);
  assert.deepEqual(readdirSync(other), ["thesis.txt"]);
});

test("an index and a report are there even if nothing was found", (t) => {
  const folder = join(freshFolder(t), "crawl");
  crawl(folder, 1, 0);
  mergeParts(folder);
  const paths = crawlPaths(folder);
  assert.deepEqual([lines(paths.index), lines(paths.skipped), lines(paths.log)], [[], [], []]);
  assert.equal(lines(paths.pages).length, 1);
});

test("P9, S3: no file holds a credential or a line that came from outside", (t) => {
  const folder = join(freshFolder(t), "crawl");
  const paths = createCrawlFolder(folder);
  const builder = sampleBuilder(folder);
  const evil = 'S3CRET\r\ncom,evil)/ 2026 {"url":"http://evil/"}\r\n\u2028{"url":"http://evil/"}';
  builder.append(
    sampleCapture({
      url: url("http://user:S3CRET@example.com/a\r\nb"),
      parent: url("http://S3CRET@example.com/"),
      mime: evil.slice(6),
      page: { title: evil.slice(6), words: 1, links: 0, charset: "utf-8" },
    }),
  );
  builder.close();
  mergeParts(folder);
  assert.equal(lines(paths.index).length, 1);
  assert.match(
    lines(paths.index)[0]!,
    /^com,example\)\/a%0[dD]%0[aA]b 20260131235959 \{"url":"http:\/\/example/,
  );
  const [, page, ...more] = objects(paths.pages);
  assert.deepEqual(
    [page.url, page.parent, more],
    ["http://example.com/a%0D%0Ab", "http://example.com/", []],
  );
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) assert.ok(!readFileSync(path).includes("S3CRET"), name);
  }
});
