import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadSettings } from "../../../src/config/load.ts";
import { experiment as corpus } from "../../../src/lab/experiments/corpus.ts";
import { experiment as faults } from "../../../src/lab/experiments/fault-drill.ts";
import { experiment as threads } from "../../../src/lab/experiments/threads.ts";
import { experiment as tune } from "../../../src/lab/experiments/tune.ts";
import { tempFolder } from "../../support/orbweaver.ts";
import { columnOf, countedColumns, tinyRun } from "../tiny-run.ts";

test("corpus: equal seeds give equal counts; hosts and pages add up", async (t) => {
  const findings = await tinyRun(t, corpus);
  assert.deepEqual(countedColumns(await tinyRun(t, corpus)), countedColumns(findings));
  const metrics = columnOf(findings, "Table 2: corpus", "metric");
  const values = columnOf(findings, "Table 2: corpus", "number or mean");
  const of = (name: string) => values[metrics.indexOf(name)] as number;
  assert.equal(of("pages"), 150);
  assert.equal(of("unique hosts"), 6);
  assert.equal(of("unique domains"), 2);
  assert.equal(of("pages per host"), 25);
  assert.ok(of("page size") > 8192 / 2 && of("tokens per page") > 10);
});

test("threads: the document's figures stand beside ours", async (t) => {
  const findings = await tinyRun(t, threads);
  assert.deepEqual(columnOf(findings, "Table 1", "T"), [1, 10, 1, 10]);
  assert.deepEqual(columnOf(findings, "Table 1", "document").slice(0, 2), [0.8745, 6.6085]);
});

test("tune: what it writes is a configuration that loads", async (t) => {
  const findings = await tinyRun(t, tune);
  const [file] = findings.files!;
  const path = join(tempFolder(t), file!.name);
  writeFileSync(path, file!.text);
  const settings = await loadSettings({ file: path });
  assert.ok(settings.threads >= 1 && settings.linksPerThread! >= 4 && settings.builders! >= 1);
});

test("faults: a crawl that was killed loses nothing", async (t) => {
  const findings = await tinyRun(t, faults);
  assert.deepEqual(columnOf(findings, "The whole crawl", "pages lost"), [0]);
  assert.deepEqual(columnOf(findings, "The whole crawl", "reachable pages"), [200]);
});
