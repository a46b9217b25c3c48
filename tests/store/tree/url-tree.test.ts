import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve, sep } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { DiskTree, readTree, readTreeContent } from "../../../src/store/tree/tree-files.ts";
import { treePlace } from "../../../src/store/tree/tree-path.ts";
import {
  type Tenant,
  type TreeFiles,
  type TreePage,
  UrlTree,
} from "../../../src/store/tree/url-tree.ts";
import { LockTable } from "../../../src/sync/lock-table.ts";
import { canonicalize } from "../../../src/url/crawl-url.ts";
import { freshFolder } from "../sample-capture.ts";

const ENTRIES = 16;

function treeOn(files: TreeFiles): { add(url: string, text?: string): string; words: Int32Array } {
  const words = new Int32Array(new SharedArrayBuffer(LockTable.words(ENTRIES) * 4));
  const tree = new UrlTree(new LockTable(words, 0, ENTRIES, 1), files);
  const add = (url: string, text = `<p>${url}`) =>
    tree.add(treePlace(url), {
      url,
      source: "http://a/",
      content: Buffer.from(text),
      mime: "text/html",
    });
  return { add, words };
}

test("a URL's folder is the seed's: protocol, domains, directories", () => {
  const cases: [string, string][] = [
    [
      "https://en.wikipedia.org/wiki/Concurrency_(computer_science)",
      "pr-https/do-en/do-wikipedia/do-org/dr-wiki/dr-Concurrency_(computer_science)",
    ],
    ["http://example.org/", "pr-http/do-example/do-org"],
    ["http://example.org:8080/a/?q=1&r", "pr-http/do-example/do-org/po-8080/dr-a/dr-/qu-q=1&r"],
    ["http://[::1]/", "pr-http/do-%5B%3A%3A1%5D"],
    ["http://h/caf%C3%A9", "pr-http/do-h/dr-caf%C3%A9"],
  ];
  for (const [url, path] of cases) assert.equal(treePlace(url).path, path);
});

// HOSTILE S1 and variants: as given, and as canonicalisation leaves them.
const HOSTILE = [
  "http://h/..%2f..%2fetc/passwd",
  "http://h/%2e%2e/%2e%2e/x",
  "http://h/..\\..\\x",
  "http://h/a%00b\0c",
  "http://h/CON",
  "http://h/nul.txt/aux",
  "http://h/name.",
  "http://h/name..",
  "http://h/a b",
  `http://h/${"x".repeat(300)}`,
  `http://h/${"*".repeat(90)}`,
  `http://h${"/d".repeat(4000)}`,
  `http://h/${"s".repeat(190)}/`.repeat(40),
  `http://${"a.".repeat(120)}h/x`,
  "http://h/content.html",
  "http://h/source.txt",
  "http://h/content.html.tmp",
  "http://h//",
  "http://h/~tilde",
  "http://h/a%0d%0ab\r\nc",
  "http://../x",
  "http://h/?../../x",
  "http://u:p@h/secret",
  "not a url\n../..",
];

test("S1: every name stays below the root, is short, shallow, plain ASCII and has a prefix", () => {
  for (const url of HOSTILE.flatMap((u) => [u, canonicalize(u) ?? u])) {
    for (const path of [treePlace(url).path, treePlace(url).second]) {
      const full = resolve("/root/tree", path);
      assert.ok(full.startsWith(`/root/tree${sep}`) && full.length < 3000, url);
      const levels = path.split("/");
      assert.ok(levels.length <= 32, url);
      for (const level of levels) {
        assert.match(level, /^(?:pr|do|po|dr|qu|ur)-[A-Za-z0-9._!$&'()+,;=@%~-]*$/);
        assert.ok(level.length <= 225 && !level.endsWith("."), level);
      }
    }
  }
});

test("S1, S2: different URLs have different folders", () => {
  const parts = fc.stringMatching(/^[aA.%~/?*:2fFeE7-]{0,12}$/);
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(parts, (text) => {
      const url = canonicalize(`http://h/${text}`);
      if (url === undefined) return;
      const { path } = treePlace(url);
      assert.equal(seen.get(path) ?? url, url);
      seen.set(path, url);
    }),
    { numRuns: 3000 },
  );
  const pairs = [
    ["/a?b", "/a%3Fb"],
    ["/a*", "/a%2A"],
    ["/x.", "/x%2E"],
    ["/a", "/a/"],
    ["/e%CC%81", "/%C3%A9"],
    ["/a", "/A"],
    [`${"/d".repeat(40)}`, `${"/d".repeat(41)}`],
  ];
  for (const [a, b] of pairs)
    assert.notEqual(treePlace(`http://h${a}`).path, treePlace(`http://h${b}`).path);
});

test("pages are written once, whole, and read back with their sources", (t) => {
  const root = join(freshFolder(t), "tree");
  const { add, words } = treeOn(new DiskTree(root));
  const urls = [
    "http://h/",
    "http://h/a",
    "http://h/a/b",
    "http://h/A",
    "http://h/a?b",
    "http://h/a/",
  ];
  for (const url of urls) assert.notEqual(add(url), "");
  assert.equal(add("http://h/a", "something else"), "");
  const found = [...readTree(root)];
  assert.deepEqual(found.map(({ url }) => url).sort(), [...urls].sort());
  for (const { url, path, file, source } of found) {
    assert.equal(source, "http://a/");
    assert.equal(readTreeContent(root, file)?.toString(), `<p>${url}`);
    assert.equal(readFileSync(join(root, path, "source.txt"), "utf8"), `${url}\thttp://a/\n`);
  }
  assert.ok(words.every((word) => word === 0));
});

test("every hostile URL is stored and found again", (t) => {
  const root = join(freshFolder(t), "tree");
  const { add } = treeOn(new DiskTree(root));
  const urls = [...new Set(HOSTILE.flatMap((u) => canonicalize(u) ?? []))];
  for (const url of urls) assert.notEqual(add(url), "", url);
  assert.deepEqual([...readTree(root)].map(({ url }) => url).sort(), urls.sort());
  assert.deepEqual(readdirSync(join(root, "..")), ["tree"]);
});

test("S2: where a disk takes two names for one, the second URL gets a folder of its own", () => {
  const stored = new Map<string, TreePage>();
  const fold: TreeFiles = {
    tenant(path, url): Tenant {
      const page = stored.get(path.toLowerCase());
      return page === undefined ? "nobody" : page.url === url ? "same" : "other";
    },
    write: (path, page) => stored.set(path.toLowerCase(), page),
  };
  const { add } = treeOn(fold);
  assert.equal(add("http://h/A"), "pr-http/do-h/dr-A");
  assert.match(add("http://h/a"), /^pr-http\/do-h\/dr-a~[0-9a-f]{16}$/);
  assert.deepEqual([add("http://h/a"), add("http://h/A"), stored.size], ["", "", 2]);
});

test("what a crash left is completed, and a page that was never finished is nobody's", (t) => {
  const root = join(freshFolder(t), "tree");
  const { add } = treeOn(new DiskTree(root));
  const folder = join(root, "pr-http/do-h/dr-x");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "content.html"), "");
  writeFileSync(join(folder, "source.txt.tmp"), "http://h");
  assert.deepEqual([...readTree(root)], []);
  assert.equal(add("http://h/x", "now"), "pr-http/do-h/dr-x");
  assert.deepEqual(readdirSync(folder).sort(), ["content.html", "source.txt"]);
  assert.equal(readFileSync(join(folder, "content.html"), "utf8"), "now");
});

test("no link is followed, neither of a folder nor of a file", (t) => {
  const outside = freshFolder(t);
  const root = join(freshFolder(t), "tree");
  const { add } = treeOn(new DiskTree(root));
  mkdirSync(join(root, "pr-http/do-h/dr-f"), { recursive: true });
  symlinkSync(outside, join(root, "pr-http/do-h/dr-d"));
  assert.throws(() => add("http://h/d/e"), { code: "OW_STORE_CORRUPT" });
  writeFileSync(join(outside, "victim"), "mine");
  symlinkSync(join(outside, "victim"), join(root, "pr-http/do-h/dr-f/content.html.tmp"));
  symlinkSync(join(outside, "victim"), join(root, "pr-http/do-h/dr-f/content.html"));
  assert.notEqual(add("http://h/f", "page"), "");
  assert.equal(readFileSync(join(outside, "victim"), "utf8"), "mine");
  assert.deepEqual([existsSync(join(outside, "dr-e")), readdirSync(outside)], [false, ["victim"]]);
});
