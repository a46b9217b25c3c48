import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { eachLine } from "../../../src/store/files/read-file.ts";
import { LOG_END, PlaceAtEnd } from "../../../src/store/lists/line-end.ts";
import { LogPages, openLogPages } from "../../../src/store/lists/log-pages.ts";
import { PageInLog } from "../../../src/store/lists/page-in-log.ts";
import { tempFolder } from "../../support/orbweaver.ts";

const CODE = new URL("../../../src/store/lists/log-pages-code.wasm", import.meta.url);
const skip = existsSync(fileURLToPath(CODE)) ? false : "built by tsc alone: there is no code";

type Told = [what: string, ...rest: unknown[]];

const counts = (file: string, offset: number) => (file.length + offset) % 3 !== 0;

function fileNamed(text: string): string | undefined {
  return /"file":"([^"]*)","offset":\d+\}$/.exec(text)?.[1];
}

function inWebAssembly(path: string, chunkBytes?: number): Told[] {
  const told: Told[] = [];
  new LogPages(CODE, chunkBytes).read(path, {
    isNew: counts,
    onPages(lines, count) {
      const pairs = Buffer.from(lines).toString("latin1").split("\n");
      assert.equal(pairs.pop(), "");
      assert.equal(pairs.length, count);
      for (const pair of pairs) told.push(["page", pair]);
    },
    onLine(text) {
      told.push(["line", text]);
      return fileNamed(text);
    },
  });
  return told;
}

function inJavaScript(path: string): Told[] {
  const told: Told[] = [];
  const page = new PageInLog();
  const place = new PlaceAtEnd(LOG_END);
  eachLine(path, (bytes, from, to) => {
    const offset = place.offset(bytes, from, to);
    const text = bytes.toString("latin1", from, to);
    if (offset < 0 || !page.find(bytes, from, to)) {
      told.push(["line", text]);
      const file = fileNamed(text);
      if (file !== undefined) place.expect(file);
    } else if (counts(place.file, offset)) {
      const [url, parent] = [
        bytes.toString("latin1", page.urlFrom, page.urlTo),
        bytes.toString("latin1", page.parentFrom, page.parentTo),
      ];
      told.push(["page", `${url}\t${parent}`]);
    }
  });
  return told;
}

const plain = fc.string({ minLength: 0, maxLength: 40 }).map((text) => text.replace(/["\n]/g, "x"));
const url = fc.oneof(
  fc.webPath().map((path) => `http://a.example${path}`),
  fc.constant(`http://a.example/${"p/".repeat(300)}`),
  plain,
);
const file = fc.oneof(
  fc.constantFrom("a-0.warc.gz", "a-1.warc.gz", "tree/x.html"),
  fc.constant("n".repeat(200)),
);
const line = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(url, url, file, fc.nat(), fc.constantFrom("", "9".repeat(15))) },
  { weight: 1, arbitrary: plain },
);

function textOf(one: string | [string, string, string, number, string]): string {
  if (typeof one === "string") return one;
  const [address, parent, name, offset, digits] = one;
  return `{"time":"2026-01-01T00:00:00.000Z","url":"${address}","outcome":"page","depth":1,"via":"link","parent":"${parent}","status":200,"file":"${name}","offset":${offset}${digits}}`;
}

test("the lines of a log are found as without WebAssembly", { skip }, (t) => {
  const path = join(tempFolder(t), "crawl.jsonl");
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 60 }),
      plain,
      fc.constantFrom(64, 1000, undefined),
      (lines, torn, chunkBytes) => {
        writeFileSync(path, lines.map((one) => `${textOf(one)}\n`).join("") + torn, "latin1");
        assert.deepEqual(inWebAssembly(path, chunkBytes), inJavaScript(path));
      },
    ),
    { numRuns: 300 },
  );
});

test("a line is cut anywhere and changed anywhere", { skip }, (t) => {
  const path = join(tempFolder(t), "crawl.jsonl");
  const first = textOf(["http://a.example/", "http://b.example/", "a-0.warc.gz", 1, ""]);
  const whole = textOf(["http://a.example/x?y=1", "http://b.example/", "a-0.warc.gz", 11, ""]);
  for (let at = 0; at < whole.length; at++) {
    const changed = [whole.slice(0, at), whole.slice(at)];
    for (const byte of ['"', "@", "\\", " ", "\x7f", "é"])
      changed.push(whole.slice(0, at) + byte + whole.slice(at + 1));
    writeFileSync(path, [first, ...changed, whole].map((one) => `${one}\n`).join(""), "latin1");
    assert.deepEqual(inWebAssembly(path), inJavaScript(path));
  }
});

test("a file of another name is expected after its first line", { skip }, (t) => {
  const path = join(tempFolder(t), "crawl.jsonl");
  const lines = ["a", "a", "b", "a", "b", "b", "b"].map((name, i) =>
    textOf(["http://a.example/", "http://b.example/", name, 3 * i, ""]),
  );
  writeFileSync(path, lines.map((one) => `${one}\n`).join(""));
  assert.deepEqual(
    inWebAssembly(path).map(([what]) => what),
    ["line", "page", "line", "line", "line", "page", "page"],
  );
});

test("lines that name a file of a very long name are other lines", { skip }, (t) => {
  const path = join(tempFolder(t), "crawl.jsonl");
  const long = textOf(["http://a.example/", "http://b.example/", "n".repeat(600), 1, ""]);
  writeFileSync(path, `${long}\n${long}\n`);
  assert.deepEqual(inWebAssembly(path), [
    ["line", long],
    ["line", long],
  ]);
});

test("a platform without WebAssembly reads logs line by line", () => {
  assert.equal(openLogPages(new URL("./absent.wasm", import.meta.url)), undefined);
});
