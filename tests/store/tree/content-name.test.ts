import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { CONTENT_NAME, contentName } from "../../../src/store/tree/content-name.ts";
import { DiskTree, readTree } from "../../../src/store/tree/tree-files.ts";
import { freshFolder } from "../sample-capture.ts";

const PNG = "\x89PNG\r\n\x1a\n";

test("a content file is named after what its bytes are", () => {
  const cases: [mime: string, start: string, name: string][] = [
    ["text/html", "<p>", "content.html"],
    ["text/html", "plain words", "content.html"],
    ["text/html", PNG, "content.png"],
    ["text/html", gzipSync("x").toString("latin1"), "content.gz"],
    ["", "<!doctype html>", "content.html"],
    ["", "words", "content.bin"],
    ["application/gzip", gzipSync("x").toString("latin1"), "content.gz"],
    ["image/png", PNG, "content.png"],
    ["image/png", "<html>not found", "content.html"],
    ["image/jpeg", PNG, "content.png"],
    ["image/webp", "RIFF\x01\x02\x03\x04WEBP", "content.webp"],
    ["image/svg+xml", "<svg>", "content.svg"],
    ["application/rss+xml", "<?xml", "content.xml"],
    ["application/epub+zip", "PK\x03\x04", "content.epub"],
    ["application/pdf", "PK\x03\x04", "content.zip"],
    ["application/msword", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "content.doc"],
    ["text/x-unheard-of", "x", "content.txt"],
    ["application/../../x", "x", "content.bin"],
    ["constructor", "x", "content.bin"],
  ];
  for (const [mime, start, name] of cases) {
    assert.equal(contentName(mime, Buffer.from(start, "latin1")), name, mime);
    assert.match(name, CONTENT_NAME);
  }
});

test("a page that comes again as another type leaves no file of its first try", (t) => {
  const root = join(freshFolder(t), "tree");
  const page = { url: "http://h/", source: "", content: Buffer.from("<p>") };
  new DiskTree(root).write("a", { ...page, mime: "text/html" });
  const tree = new DiskTree(root);
  tree.write("a", { ...page, content: Buffer.from(PNG, "latin1"), mime: "image/png" });
  assert.deepEqual(readdirSync(join(root, "a")).sort(), ["content.png", "source.txt"]);
  assert.equal(tree.contentAt("a"), "content.png");
  assert.deepEqual(
    [...readTree(root)].map(({ file }) => file),
    ["a/content.png"],
  );
});
