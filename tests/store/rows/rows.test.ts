import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { doNow } from "../../../src/runtime/file-work.ts";
import { TimeLimit, TimeUpError } from "../../../src/runtime/time-limit.ts";
import { exportRowsCsv } from "../../../src/store/export/export-csv.ts";
import { columnsOf } from "../../../src/store/export/row-table.ts";
import { crawlPaths } from "../../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { mergeRows, repairRows, rowCounts, rowFile } from "../../../src/store/rows/merge-rows.ts";
import { packRows, RowPart, rowParts } from "../../../src/store/rows/row-part.ts";
import { freshFolder } from "../sample-capture.ts";

/** Records at odd offsets count. */
const ODD = { once: () => (_file: string, offset: number) => offset % 2 === 1 };

function folderOf(t: TestContext): string {
  const folder = join(freshFolder(t), "crawl");
  createCrawlFolder(folder);
  return folder;
}

function writePart(folder: string, from: number, to: number): string {
  const part = new RowPart(folder, 0);
  for (let at = from; at < to; at++) {
    const rows = new Map([
      ["data", [`{"at":${at},"é":1}`, `{"at":${at}.5}`]],
      ["more", [`{"more":${at}}`]],
    ]);
    part.hold("a.warc.gz", at, `http://h/${at}`, Buffer.from(packRows(rows)));
  }
  doNow(part.closing());
  return rowParts(folder).at(-1)!;
}

const linesOf = (folder: string, name: string) =>
  readFileSync(rowFile(folder, name), "utf8").split("\n").slice(0, -1);

test("rows of committed pages reach their files once, in order; the others are dropped", (t) => {
  const folder = folderOf(t);
  writePart(folder, 0, 4);
  mergeRows(folder, ODD);
  writePart(folder, 4, 6);
  mergeRows(folder, ODD);
  mergeRows(folder, ODD);
  assert.deepEqual(
    linesOf(folder, "data"),
    [1, 3, 5].flatMap((at) => [`{"at":${at},"é":1}`, `{"at":${at}.5}`]),
  );
  assert.deepEqual(linesOf(folder, "more"), ['{"more":1}', '{"more":3}', '{"more":5}']);
  assert.deepEqual(rowCounts(folder), { data: 6, more: 3 });
  assert.deepEqual(rowParts(folder), []);
});

test("a merge that was interrupted anywhere ends with the same files", (t) => {
  const folder = folderOf(t);
  writePart(folder, 0, 2);
  mergeRows(folder, ODD);
  const path = writePart(folder, 2, 6);
  const part = readFileSync(path);
  // Before the state was written: what is behind the committed end is cut off.
  appendFileSync(rowFile(folder, "data"), '{"at":3}\n{"to');
  mergeRows(folder, ODD);
  const expected = linesOf(folder, "data");
  assert.equal(expected.length, 6);
  // After it, before the part was removed.
  writeFileSync(path, part);
  mergeRows(folder, ODD);
  assert.deepEqual(linesOf(folder, "data"), expected);
  assert.ok(!existsSync(path));
  // By a limit.
  writePart(folder, 6, 8);
  const over = new TimeLimit(0, () => 1);
  assert.throws(() => mergeRows(folder, ODD, over), TimeUpError);
  mergeRows(folder, ODD);
  assert.equal(linesOf(folder, "data").length, 8);
});

test("what a crash left of a group is passed over, and what follows in the part counts", (t) => {
  const folder = folderOf(t);
  const path = writePart(folder, 0, 6);
  const lines = readFileSync(path, "utf8").split("\n");
  // The group at 1 has lost its last row; zeros stand at the end.
  lines.splice(7, 1);
  writeFileSync(path, `${lines.join("\n")}\0\0\0\n\t{"file":"a.w`);
  mergeRows(folder, ODD);
  assert.deepEqual(linesOf(folder, "more"), ['{"more":3}', '{"more":5}']);
});

test("files that are too short or have lost their state are refused; recover goes on with what is there", (t) => {
  const folder = folderOf(t);
  writePart(folder, 0, 6);
  mergeRows(folder, ODD);
  truncateSync(rowFile(folder, "data"), 30);
  writePart(folder, 6, 8);
  assert.throws(() => mergeRows(folder, ODD), {
    code: "OW_STORE_CORRUPT",
    message: /data\.jsonl:0: \d+ committed bytes are missing; orbweaver recover/,
  });
  const [damage, ...none] = repairRows(folder);
  assert.match(damage!.what, /bytes of rows are missing/);
  assert.deepEqual(none, []);
  mergeRows(folder, ODD);
  assert.equal(linesOf(folder, "data").length, 4);
  assert.deepEqual(repairRows(folder), []);
  rmSync(crawlPaths(folder).rows);
  writePart(folder, 8, 10);
  assert.throws(() => mergeRows(folder, ODD), /its state is missing/);
  assert.deepEqual(repairRows(folder), []);
  mergeRows(folder, ODD);
  assert.equal(linesOf(folder, "data").length, 6);
  writeFileSync(crawlPaths(folder).rows, "{}");
  writePart(folder, 10, 12);
  assert.throws(() => mergeRows(folder, ODD), /not what was written/);
  assert.equal(repairRows(folder).length, 1);
  mergeRows(folder, ODD);
  assert.equal(linesOf(folder, "data").length, 8);
});

test("columns are inferred from all rows", (t) => {
  const folder = freshFolder(t);
  const path = join(folder, "x.jsonl");
  const rows = [
    { a: 1, b: "=x", c: true, d: null, "e,f": 1 },
    { a: 2.5, b: "y", g: [1], h: 1 },
    { h: "mixed", __proto__: null, a: 3 },
  ];
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  assert.deepEqual(
    columnsOf(path).map(({ name, kind }) => `${name} ${kind}`),
    ["a number", "b text", "c boolean", "d text", "e,f integer", "g json", "h json"],
  );
  const out = join(folder, "x.csv");
  assert.equal(exportRowsCsv(path, out), 3);
  assert.deepEqual(readFileSync(out, "utf8").split("\r\n"), [
    'a,b,c,d,"e,f",g,h',
    "1,'=x,true,,1,,",
    "2.5,y,,,,[1],1",
    '3,,,,,,"""mixed"""',
    "",
  ]);
});
