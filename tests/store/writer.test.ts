import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CrawlConfig } from "../../src/config/schema.ts";
import { type DoFileWork, doLater, syncLater } from "../../src/runtime/file-work.ts";
import { crawlPaths, partOf } from "../../src/store/folder/crawl-folder.ts";
import { graphPaths } from "../../src/store/folder/graph-facts.ts";
import { openGraph } from "../../src/store/graph/link-log.ts";
import { cdxjFields } from "../../src/store/lists/cdxj.ts";
import { openIndex, openLog, openPages, openSkipped } from "../../src/store/lists/list-writers.ts";
import { readRowPart, rowParts } from "../../src/store/rows/row-part.ts";
import { openRows } from "../../src/store/rows/row-writer.ts";
import { readTree } from "../../src/store/tree/tree-files.ts";
import { openTree } from "../../src/store/tree/tree-writer.ts";
import { openUnkept } from "../../src/store/unkept-writer.ts";
import { readWarc } from "../../src/store/warc/warc-reader.ts";
import { openWarc } from "../../src/store/warc/warc-writer.ts";
import {
  type Done,
  fileWriter,
  inOrder,
  type OpenWriter,
  type Step,
  together,
  type Writer,
} from "../../src/store/writer.ts";
import { sampleBuilder, writerOptions } from "./sample-capture.ts";
import { writerContract } from "./writer.contract.ts";

type Store = CrawlConfig["store"];

const isPage = (number: number) => number % 5 !== 4;
const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const urlsOf = (path: string) =>
  lines(path).flatMap((line) => (JSON.parse(line) as { url?: string }).url ?? []);

const opened =
  (openWriter: OpenWriter, store: Store, doWork: DoFileWork | undefined) => (folder: string) =>
    openWriter(writerOptions(folder, { store, doWork }))!;

/** Lists come behind a store, which says where a capture lies. */
const behindStore =
  (openWriter: OpenWriter, doWork: DoFileWork | undefined) => (folder: string) => {
    const list = opened(openWriter, "warc", doWork)(folder);
    const store = opened(openUnkept, "none", doWork)(folder);
    const append: Writer["append"] = (entry) => store.append(entry) || list.append(entry);
    return { ...list, append };
  };

const archivedIn = (folder: string) => {
  const { archive } = crawlPaths(folder);
  const records = readdirSync(archive).flatMap((name) => [...readWarc(join(archive, name))]);
  assert.deepEqual(
    records.flatMap(({ problems }) => problems),
    [],
  );
  const responses = records.filter(({ type }) => type === "response" || type === "revisit");
  return responses.map(({ headers }) => headers.get("warc-target-uri")!);
};
const treeIn = (folder: string) => [...readTree(crawlPaths(folder).tree)].map(({ url }) => url);
const pagesIn = (folder: string) => urlsOf(crawlPaths(folder).pages);

// Once in a thread of its own, once beside a crawler, where nothing may block, and once in the main thread, where writes may.
for (const [how, doWork] of [
  ["", undefined],
  [", joined", doLater],
  [", in the main thread", syncLater],
] as const) {
  writerContract(`warc${how}`, {
    open: opened(openWarc, "warc", doWork),
    urlsIn: archivedIn,
  });
  writerContract(`tree${how}`, {
    open: opened(openTree, "tree", doWork),
    urlsIn: treeIn,
    keeps: isPage,
  });
  writerContract(`no store${how}`, {
    open: opened(openUnkept, "none", doWork),
  });
  writerContract(`index${how}`, {
    open: behindStore(openIndex, doWork),
    urlsIn: (folder) =>
      lines(partOf(crawlPaths(folder).index, 0)).map((line) => cdxjFields(line).url!),
  });
  writerContract(`pages${how}`, {
    open: behindStore(openPages, doWork),
    urlsIn: pagesIn,
    keeps: isPage,
  });
  writerContract(`log${how}`, {
    open: behindStore(openLog, doWork),
    urlsIn: (folder) => urlsOf(crawlPaths(folder).log),
  });
  writerContract(`skipped report${how}`, {
    open: behindStore(openSkipped, doWork),
    urlsIn: (folder) => urlsOf(partOf(crawlPaths(folder).skipped, 0)),
  });
  writerContract(`rows${how}`, {
    open: behindStore(openRows, doWork),
    urlsIn: (folder) =>
      rowParts(folder).flatMap((part) => [...readRowPart(part)].map((group) => group.url)),
  });
  writerContract(`link graph${how}`, {
    open: behindStore(openGraph, doWork),
    urlsIn: (folder) =>
      lines(partOf(graphPaths(folder).nodes, 0))
        .map((line) => line.slice(17))
        .filter((node) => node.startsWith("http://example.com/")),
  });
  for (const store of ["warc", "tree", "warc,tree", "none"] as const) {
    writerContract(`builder with --store ${store}${how}`, {
      open: (folder) => sampleBuilder(folder, { store, doWork }),
      urlsIn: (folder) => {
        const pages = pagesIn(folder);
        if (store.includes("tree")) assert.deepEqual(treeIn(folder).sort(), [...pages].sort());
        if (store.includes("warc"))
          assert.deepEqual(
            archivedIn(folder)
              .filter((url) => pages.includes(url))
              .sort(),
            [...pages].sort(),
          );
        return pages;
      },
      keeps: isPage,
    });
  }
}

test("steps run in order, whether they answer at once or later, and end at the first fault", () => {
  for (const later of [false, true]) {
    const ran: number[] = [];
    const waiting: Done[] = [];
    const step = (number: number, fault?: unknown): Step => {
      return (done) => {
        ran.push(number);
        if (later) waiting.push(() => done(fault));
        else done(fault);
      };
    };
    const answers: unknown[] = [];
    inOrder([step(1), step(2), step(3, "full"), step(4)], (fault) => answers.push(fault));
    for (let next = waiting.shift(); next; next = waiting.shift()) next();
    assert.deepEqual([ran, answers], [[1, 2, 3], ["full"]]);
    inOrder([step(5), step(6)], (fault) => answers.push(fault));
    for (let next = waiting.shift(); next; next = waiting.shift()) next();
    assert.deepEqual(
      [ran, answers],
      [
        [1, 2, 3, 5, 6],
        ["full", undefined],
      ],
    );
  }
  const many = Array.from({ length: 100_000 }, () => (done: Done) => done());
  let isDone = false;
  inOrder(many, () => {
    isDone = true;
  });
  assert.ok(isDone, "without a stack that grows with the steps");
});

test("steps begin together and are over when all are, with the first fault", () => {
  const waiting: Done[] = [];
  const answers: unknown[] = [];
  const wait: Step = (done) => waiting.push(done);
  together([wait, (done) => done("full"), wait], (fault) => answers.push(fault));
  assert.equal(waiting.length, 2);
  waiting.pop()!("broken");
  assert.equal(answers.length, 0);
  waiting.pop()!();
  assert.deepEqual(answers.splice(0), ["full"]);
  together([(done) => done()], (fault) => answers.push(fault));
  together([], (fault) => answers.push(fault));
  assert.deepEqual(answers, [undefined, undefined]);
});

test("what a caller throws is not taken for a fault of the writer", () => {
  function* nothing() {}
  const files = { flushing: nothing, syncing: nothing, closing: nothing };
  const writer = fileWriter(files, undefined, () => false);
  let answers = 0;
  const thrown = new Error("of the caller");
  assert.throws(
    () =>
      writer.flush(() => {
        answers++;
        throw thrown;
      }),
    thrown,
  );
  assert.equal(answers, 1);
});
