import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../support/orbweaver.ts";
import { archiveProblems, secretsIn } from "./archive-check.ts";
import { everywhere, hostileCrawl, hostileHere } from "./hostile-process.ts";
import { Judge } from "./judge.ts";

/** Some rows of every family that need no long deadline; the conformance suite has all of them. */
const ROWS = [
  "N1",
  "N2",
  "N3",
  "N4",
  "N6",
  "N7",
  "N9",
  "N11",
  "R3",
  "R4",
  "R5",
  "R12",
  "R13",
  "R14",
];
const MORE = ["R10", "R15", "R16", "B3", "B4", "B6", "B7", "P1", "P6", "P7", "P8", "P9", "P10"];
const LAST = ["N8", "S1", "S2", "S3", "S4", "A1"];

test("quick rows of the hostile web end as they should", async (t) => {
  const folder = tempFolder(t);
  const web = await hostileHere(folder);
  t.after(() => web.stop());
  const rows = [...ROWS, ...MORE, ...LAST];
  const seeds = rows.map((row) => `${web.start}rows/${row}`);
  const crawl = await hostileCrawl(web, join(folder, "out"), seeds, everywhere(web));
  const report = await web.report();
  const judge = new Judge(crawl, report, web.port);
  const problems = web.cases
    .filter((hostile) => rows.includes(hostile.row) && hostile.apart !== true)
    .flatMap((hostile) =>
      judge.problems(hostile).map((text) => `${hostile.row} ${hostile.name}: ${text}`),
    );
  assert.deepEqual(problems, []);
  assert.deepEqual([crawl.code, crawl.stderr], [0, ""]);
  assert.deepEqual([report["127.0.0.1"], report["::1"]], [undefined, undefined]);
  assert.deepEqual(
    crawl.connects.filter((place) => !place.startsWith("127.66.")),
    [],
  );
  assert.deepEqual(secretsIn(crawl.out, "hunter2"), []);
  assert.deepEqual(await archiveProblems(crawl.out), []);
});
