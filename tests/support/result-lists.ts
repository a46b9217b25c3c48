import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openJournals } from "../../src/store/finish/journal-view.ts";
import { crawlPaths, readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import { readSelfCheck } from "./self-check.ts";

const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);

/** Total new URLs = lines of both lists less the title = statistics = journal, and no URL twice, in the log neither. */
export function checkLists(dir: string): { crawled: number; uncrawled: number } {
  const { reports, journals, log } = crawlPaths(dir);
  const crawled = lines(join(reports, "crawled.txt")).map((line) => line.split("\t")[0]!);
  const uncrawled = lines(join(reports, "uncrawled.txt")).slice(1);
  const statistics = lines(join(reports, "statistics.txt"));
  const total = crawled.length + uncrawled.length;
  assert.equal(statistics[0], `total new URLs: ${total}`);
  assert.equal(new Set([...crawled, ...uncrawled]).size, total);
  // Killed before its first journal a crawl knows nothing.
  const { view } = openJournals(journals, readCrawlState(dir));
  let found = 0;
  view?.eachEnded(() => found++);
  view?.eachWaiting(() => found++);
  const seeds = Number(/seeds: (\d+)/.exec(statistics[3]!)![1]);
  assert.equal(total + seeds, found);
  // Killed before its first builder a crawl has no log.
  const logged = (existsSync(log) ? lines(log) : []).map(
    (line) => (JSON.parse(line) as { url: string }).url,
  );
  assert.equal(new Set(logged).size, logged.length, "a URL has two lines in the log");
  // Killed before its first end a crawl has no self-check.
  assert.deepEqual(readSelfCheck(dir)?.problems ?? [], []);
  return { crawled: crawled.length, uncrawled: uncrawled.length };
}
