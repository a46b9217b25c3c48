import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { JsonlFile } from "../../../src/store/files/jsonl.ts";
import { LinkLog } from "../../../src/store/graph/link-log.ts";
import { openPlainPages, type PlainPages } from "../../../src/store/templates/plain-pages.ts";
import { Archive } from "../../../src/store/warc/archive.ts";
import { freshFolder, sampleOptions } from "../sample-capture.ts";

function templates(t: TestContext): PlainPages {
  const folder = freshFolder(t);
  const file = (name: string) => new JsonlFile(join(folder, name));
  const rules = { version: 2, seedLow: 1, seedHigh: 2 } as const;
  const files = {
    archive: new Archive(sampleOptions(folder)),
    index: file("index"),
    pages: file("pages"),
    log: file("log"),
    graph: new LinkLog(rules, join(folder, "edges"), join(folder, "names")),
  };
  const plain = openPlainPages(files);
  assert.ok(plain, "page-templates.wasm is missing: npm run build");
  return plain;
}

const lines = (urls: readonly string[]) =>
  Buffer.from(urls.map((url) => `outlink: ${url}\r\n`).join(""));

test("a list of links is compressed not much worse than by zlib, even where few words make it", (t) => {
  const plain = templates(t);
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
  const words = "about archive beta-gamma contact delta_e forum index node q1 page user".split(" ");
  const word = () => words[random(words.length)]!;
  const urls = (make: () => string) => Array.from({ length: 200 }, make);
  const lists = [
    urls(() => `https://www.example.org/${word()}/${word()}/${random(1000)}.html`),
    urls(() => `http://h${random(20)}.example.com:8090/p/${random(5000)}.html`),
    urls(() => `https://docs.example.net/en/${word()}.php?id=${random(40_000)}&lang=${word()}`),
  ];
  for (const list of lists) {
    const record = lines(list);
    const member = plain.deflateLinks(record)!;
    assert.deepEqual(gunzipSync(member), record);
    const { length } = gzipSync(record, { level: 1 });
    assert.ok(member.length < 1.45 * length, `${member.length} bytes, by zlib ${length}`);
  }
});

test("any bytes are what they were when they are inflated (property)", (t) => {
  const plain = templates(t);
  const url = fc.webUrl({ withQueryParameters: true });
  const bytes = fc.oneof(
    fc.array(url, { maxLength: 300 }).map(lines),
    fc.uint8Array({ maxLength: 5000 }).map((each) => Buffer.from(each)),
    // Long runs, and repeats at all distances.
    fc
      .array(fc.tuple(fc.string({ minLength: 1, maxLength: 9 }), fc.nat(700)), { maxLength: 40 })
      .map((runs) => Buffer.from(runs.map(([text, times]) => text.repeat(times)).join(""))),
  );
  let smaller = 0;
  fc.assert(
    fc.property(bytes, (record) => {
      const member = plain.deflateLinks(record);
      if (member === undefined) return;
      smaller++;
      assert.deepEqual(gunzipSync(member), record);
      assert.ok(member.length < record.length + 18);
    }),
    { numRuns: 300 },
  );
  assert.ok(smaller > 30, `${smaller}`);
});

test("what does not become smaller, or is too large, is left to others", (t) => {
  const plain = templates(t);
  let state = 1;
  const noise = Buffer.from(
    Array.from({ length: 4000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
  assert.equal(plain.deflateLinks(noise), undefined);
  assert.equal(plain.deflateLinks(Buffer.alloc(300_000, "a")), undefined);
  assert.equal(plain.deflateLinks(Buffer.alloc(0)), undefined);
});
