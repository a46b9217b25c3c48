import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { configOf } from "../../../src/config/crawl-config.ts";
import type { CrawlEnding, Measured } from "../../../src/crawl/crawl-summary.ts";
import { type CloseLimits, CrawlCloser } from "../../../src/crawl/ending/close-crawl.ts";
import { recoverShard } from "../../../src/frontier/fold/recover-shard.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { readJournal } from "../../../src/frontier/journal/journal-reader.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { eachLink } from "../../../src/frontier/link/waiting-run.ts";
import { monotonicMs } from "../../../src/runtime/clock.ts";
import { totals } from "../../../src/stats/counters.ts";
import { finalizeIfLeft } from "../../../src/store/finish/finalize.ts";
import {
  crawlPaths,
  readCrawlState,
  writeCrawlState,
} from "../../../src/store/folder/crawl-folder.ts";
import { NO_RUNS } from "../../../src/store/folder/run-history.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { sampleCrawl } from "../../store/journaled-crawl.ts";
import { tempFolder } from "../../support/orbweaver.ts";
import { checkLists } from "../../support/result-lists.ts";

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

/** A crawl of which a page was stored and never committed; its threads have ended. */
function crawled(t: TestContext): string {
  const dir = join(tempFolder(t), "crawl");
  const crawl = sampleCrawl(dir);
  crawl.store("http://h/waits1", "http://h/0");
  crawl.close();
  mkdirSync(crawlPaths(dir).reports, { recursive: true });
  return dir;
}

/** Closes it `agoMs` after a stop was asked for; returns what was left, and what the listener was told. */
function close(dir: string, agoMs: number, ended = "interrupted", sizes: CloseLimits = {}) {
  const config = configOf({ seeds: ["http://h/" as CrawlUrl], contact: "me@example.org" });
  const none = totals(new SharedArrayBuffer(0));
  const figures = { seconds: 1, cpuSeconds: 1, maxRssMiB: 1, endingMs: 1 };
  const earlier = { before: none, history: NO_RUNS };
  const told = { limit: null, next: null, seedFaults: [] };
  const closer = new CrawlCloser(dir, config, monotonicMs() - agoMs, sizes);
  const measured: Measured = {
    ended: ended as CrawlEnding,
    out: dir,
    ...figures,
    ...earlier,
    ...told,
  };
  const noted: (boolean | "safe")[] = [];
  const listener = {
    onEnded: (isLeft: boolean) => noted.push(isLeft),
    onSafe: () => noted.push("safe"),
  };
  const buffers = { size: 1, mostPages: 0, left: 0 };
  const run = {
    totals: none,
    measured,
    left: [],
    isUndisturbed: false,
    isBrokenOff: true,
    buffers,
  };
  const { left, summary } = closer.close(run, listener);
  assert.deepEqual(summary.selfCheck, [], "of a run that was broken off the journals decide");
  return { left: left.join(), noted };
}

test("an end without time writes the lists, leaves the sorting as it is, and whoever reads the results does it", (t) => {
  const dir = crawled(t);
  const { noted, left } = close(dir, 60_000);
  assert.deepEqual(noted, [true]);
  assert.match(left, /not sorted/);
  const { index, links } = crawlPaths(dir);
  assert.ok(!existsSync(index) && existsSync(join(links, "out-0.bin.part")));
  assert.deepEqual(checkLists(dir), { crawled: 26, uncrawled: 11 });
  const before = contentOf(dir);
  finalizeIfLeft(dir);
  assert.deepEqual(contentOf(dir), before, "nobody said that something was left");
  writeCrawlState(dir, { ...readCrawlState(dir)!, ended: "interrupted", left: true });
  finalizeIfLeft(dir);
  assert.equal(readCrawlState(dir)!.left, false);
  const inTime = crawled(t);
  assert.deepEqual(close(inTime, 0), { left: "", noted: [false] });
  const names = (each: string) =>
    Object.keys(contentOf(each))
      .map((name) => basename(name).replace(/^orbweaver-.*warc/, "warc"))
      .sort();
  assert.deepEqual(names(dir), names(inTime));
  const linesOf = (each: string, path: keyof ReturnType<typeof crawlPaths>) =>
    readFileSync(crawlPaths(each)[path], "latin1").split("\n").length - 1;
  // The page that was not committed is in neither.
  for (const each of [dir, inTime])
    assert.deepEqual([linesOf(each, "index"), linesOf(each, "pages")], [31, 1 + 31 - 4]);
});

/** What a run finds that begins now, and where it goes on. */
function opened(folder: string) {
  const waiting: string[] = [];
  const options = { folder, shard: 0, seedLow: 11, seedHigh: 22 };
  const { state, end } = recoverShard(options, (run) =>
    eachLink(run, ({ bytes, from, to }) => waiting.push(bytes.toString("latin1", from, to))),
  );
  return { found: { waiting, known: state.known, outcomes: [...state.outcomes] }, end };
}

test("an end that was not the last folds journals into snapshots while there is time, and the next run goes on from them", (t) => {
  const dir = crawled(t);
  const { journals: folder } = crawlPaths(dir);
  const before = opened(folder).found;
  assert.equal(before.waiting.length, 5);
  const next = "shard-00.000002.journal";
  const names = ["shard-00.000001.journal", next];
  close(dir, 0);
  assert.deepEqual(readdirSync(folder), names, "too small to be worth it");
  close(dir, 0, "finished", { snapshotBytes: 1 });
  assert.deepEqual(readdirSync(folder), names, "nobody goes on");
  const eager = { snapshotBytes: 1 };
  assert.match(close(dir, 60_000, "interrupted", eager).left, /1 journals are not folded/);
  assert.deepEqual(readdirSync(folder), names, "no time");
  assert.deepEqual(close(dir, 0, "interrupted", eager), { left: "", noted: [false] });
  assert.deepEqual(readdirSync(folder), ["shard-00.000001.done", "shard-00.000001.snapshot", next]);
  checkLists(dir);
  const { found, end } = opened(folder);
  assert.deepEqual(found, before);
  const writer = new JournalWriter({
    ...{ folder, shard: 0, seedLow: 11, seedHigh: 22, epoch: end.epoch + 1, after: end },
  });
  const batch = new EventBatch();
  batch.counted(6, 1);
  const written = writer.append(batch);
  writer.close();
  const after = { ...end, segment: 1 };
  const sequences = [...readJournal({ folder, shard: 0, after })].map(({ sequence }) => sequence);
  assert.equal(sequences[0], written);
  assert.deepEqual(opened(folder).found, before);
});

test("a snapshot that cannot be made leaves the journal, and the end goes on", (t) => {
  const dir = crawled(t);
  const { journals: folder } = crawlPaths(dir);
  // In its place: what a full disk does to a file that is being made.
  mkdirSync(join(folder, "shard-00.000001.done.new"));
  assert.match(
    close(dir, 0, "interrupted", { snapshotBytes: 1 }).left,
    /1 journals are not folded/,
  );
  assert.equal(opened(folder).found.waiting.length, 5);
  checkLists(dir);
});

test("before a long sorting it is noted that the crawl has ended, so that a signal may break it off", (t) => {
  const dir = crawled(t);
  assert.deepEqual(close(dir, 0, "finished", { longBytes: 1 }).noted, [true, "safe", false]);
  assert.deepEqual(close(dir, 0, "finished", { longBytes: 1 }).noted, [false], "nothing is left");
});
