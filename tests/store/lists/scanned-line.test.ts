import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mergeParts } from "../../../src/store/finish/merge-parts.ts";
import { crawlPaths } from "../../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { pageLine } from "../../../src/store/lists/page-line.ts";
import { archiveFiles, scanArchive } from "../../../src/store/warc/archive-scan.ts";
import { freshFolder, sampleBuilder, sampleCapture, url } from "../sample-capture.ts";

test("the archive gives back every line of the page list as it was, with cash, wishes, sizes and language", (t) => {
  const folder = join(freshFolder(t), "crawl");
  createCrawlFolder(folder);
  const builder = sampleBuilder(folder);
  const outlinks = [url("http://h/b")];
  const facts = { title: "Hi", words: 3, links: 1, charset: "utf-8" };
  builder.append(
    sampleCapture({ url: url("http://h/a"), cash: 2 ** 36 + 1, outlinks, page: facts }),
  );
  const wishes = { ...facts, robots: "noindex, nofollow" };
  builder.append(sampleCapture({ url: url("http://h/b"), cash: 0, outlinks, page: wishes }));
  const more = { ...facts, linksAll: 3, language: "pt-BR" };
  builder.append(
    sampleCapture({ url: url("http://h/c"), outlinks, page: more, decodedBytes: 1_234 }),
  );
  builder.close();
  mergeParts(folder);
  const { archive, pages } = crawlPaths(folder);
  const fail = () => assert.fail("the archive is whole");
  const lines = archiveFiles(archive).flatMap((name) =>
    [...scanArchive(archive, name, fail, fail)].map((record) => pageLine(record, record.archived)),
  );
  const listed = readFileSync(pages, "utf8").trim().split("\n").slice(1);
  assert.deepEqual(lines, listed);
  assert.match(listed[0]!, /,"cash":68719476737,"priority":1\.000000000014552\}$/);
  assert.match(listed[1]!, /"robots":"noindex, nofollow".*,"cash":0,"priority":0\}$/);
  assert.match(listed[0]!, /"words":3,"charset":"utf-8","bytes":\d+,"digest"/);
  assert.match(listed[2]!, /"links":1,"linksAll":3,.*"language":"pt-BR",.*"decodedBytes":1234,/);
});
