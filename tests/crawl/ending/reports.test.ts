import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { readNewestRun } from "../../../src/crawl/ending/reports.ts";
import {
  crawlPaths,
  readCrawlState,
  writeCrawlState,
} from "../../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { writeStatistics } from "../../../src/store/reports/result-lists.ts";
import { tempFolder } from "../../support/orbweaver.ts";

test("a run that crashed is not told with what the run before it left in statistics.txt", (t) => {
  const out = tempFolder(t);
  createCrawlFolder(out, 0, { config: { threads: 3, builders: 1 } });
  const { reports } = crawlPaths(out);
  mkdirSync(reports, { recursive: true });
  const facts = { seconds: 1.5, threads: 1, buffers: 1, endedBy: "--max-pages 20" };
  writeStatistics(reports, { crawled: 1, uncrawled: 2, seeds: 3 }, facts);
  const ended = (how: string) => writeCrawlState(out, { ...readCrawlState(out)!, ended: how });
  ended("limit");
  assert.deepEqual(readNewestRun(out), facts);
  ended("running");
  assert.deepEqual(readNewestRun(out), {
    ...{ threads: 3, buffers: 2, endedBy: "recovered after a crash" },
  });
});
