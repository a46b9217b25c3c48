import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { configOf } from "../../src/config/crawl-config.ts";
import { Cleaner } from "../../src/crawl/cleaner.ts";
import { totals } from "../../src/stats/counters.ts";
import { completeIfLeft } from "../../src/store/complete-folder.ts";
import { crawlPaths, readCrawlState, writeCrawlState } from "../../src/store/crawl-folder.ts";
import { monotonicMs } from "../../src/sync/clock.ts";
import { sampleCrawl } from "../store/journaled-crawl.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { checkLists } from "../support/result-lists.ts";

/** All files of a folder but those whose content is a time or random. */
function contentOf(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name).slice(dir.length),
      readFileSync(join(parentPath, name), "latin1"),
    ]),
  );
}

/** A crawl that ends `agoMs` after it was told to stop. A page of it was stored and never committed. */
function ended(t: TestContext, agoMs: number): { dir: string; isComplete: boolean } {
  const dir = join(tempFolder(t), "crawl");
  const crawl = sampleCrawl(dir);
  crawl.store("http://h/waits1", "http://h/0");
  crawl.close();
  mkdirSync(crawlPaths(dir).reports, { recursive: true });
  const config = configOf({ seeds: ["http://h/"], contact: "me@example.org" } as never);
  const measured = { ended: "interrupted", out: dir, seconds: 1, cpuSeconds: 1, maxRssMiB: 1 };
  const cleaner = new Cleaner(dir, config, monotonicMs() - agoMs);
  const sums = totals(new SharedArrayBuffer(0));
  const rest = { endingMs: 1, losesUrls: false } as const;
  const isComplete = cleaner.clean(sums, { ...measured, ...rest } as never);
  return { dir, isComplete };
}

test("an end without time writes the lists, leaves the sorting as it is, and whoever reads the results does it", (t) => {
  const { dir, isComplete } = ended(t, 60_000);
  assert.equal(isComplete, false);
  const { index, links } = crawlPaths(dir);
  assert.ok(!existsSync(index) && existsSync(join(links, "out-0.bin.part")));
  assert.deepEqual(checkLists(dir), { crawled: 30, uncrawled: 7 });
  const before = contentOf(dir);
  completeIfLeft(dir);
  assert.deepEqual(contentOf(dir), before, "nobody said that something was left");
  writeCrawlState(dir, { ...readCrawlState(dir)!, ended: "interrupted", left: true });
  completeIfLeft(dir);
  assert.equal(readCrawlState(dir)!.left, false);
  const inTime = ended(t, 0);
  assert.equal(inTime.isComplete, true);
  const names = (each: string) =>
    Object.keys(contentOf(each))
      .map((name) => basename(name).replace(/^test-.*warc/, "warc"))
      .sort();
  assert.deepEqual(names(dir), names(inTime.dir));
  const linesOf = (each: string, path: keyof ReturnType<typeof crawlPaths>) =>
    readFileSync(crawlPaths(each)[path], "latin1").split("\n").length - 1;
  // The page that was not committed is in neither.
  for (const each of [dir, inTime.dir])
    assert.deepEqual([linesOf(each, "index"), linesOf(each, "pages")], [31, 1 + 31 - 4]);
});
