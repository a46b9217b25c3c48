import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { StoreCorruptError } from "../../src/errors.ts";
import { compactShard } from "../../src/frontier/fold/compact-shard.ts";
import { recoverShard } from "../../src/frontier/fold/recover-shard.ts";
import { listJournals } from "../../src/frontier/journal/journal-listing.ts";
import { JournalWriter } from "../../src/frontier/journal/journal-writer.ts";
import { checkArchives } from "../../src/store/finish/check-archives.ts";
import { crawlPaths, readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { salvageJournals } from "../../src/store/recover/salvage-journals.ts";
import { fingerprintOf, link, pack, SEEDS, UNSYNCED_FILES } from "../frontier/journal/plans.ts";
import { tempFolder } from "../support/orbweaver.ts";

const SHARDS = 3;

/** A crawl of three shards: one with two snapshots behind it, one with a journal alone, one that never wrote. */
function makeCrawl(dir: string): string {
  const { journals: folder } = createCrawlFolder(dir, 0, { ...SEEDS, journals: SHARDS });
  for (const shard of [0, 1]) {
    const options = { folder, shard, ...SEEDS, files: UNSYNCED_FILES };
    const writer = new JournalWriter({ ...options, epoch: 1, segmentBytes: 150 });
    for (let i = 0; i < 9; i++) {
      const url = `http://h.test/${i}`;
      const where = { file: `a-${i % 2}.warc.gz`, offset: 100 * i, length: 100 };
      const done = { kind: "done", ...fingerprintOf(url), outcome: 1, where } as const;
      writer.append(pack([{ kind: "admit", found: [link(url)] }, ...(i % 3 ? [done] : [])]));
      if (shard === 0 && i % 4 === 3) compactShard({ ...options, upTo: writer.segment - 1 });
    }
    writer.close();
  }
  return folder;
}

/** Opens every shard as a run does; what the archive must hold. */
function openAll(dir: string): Map<string, number>[] {
  const { journals } = readCrawlState(dir)!;
  const { journals: folder } = crawlPaths(dir);
  return [...Array(journals).keys()].map((shard) => {
    const options = { folder, shard, begun: true, ...SEEDS };
    return recoverShard(options, () => {}).state.archives.ends;
  });
}

test("every file of the journals that is gone is missed by its name, and recover lets the crawl go on", (t) => {
  const dir = join(tempFolder(t), "out");
  const folder = makeCrawl(dir);
  const names = readdirSync(folder).sort();
  for (const kind of [/01\.000001\.journal/, /02\.000001\.journal/, /snapshot/, /done/])
    assert.ok(names.some((name) => kind.test(name)));
  assert.equal(names.filter((name) => name.endsWith(".done")).length, 2);
  const before = openAll(dir);
  for (const name of names) {
    const kept = new Map(names.map((each) => [each, readFileSync(join(folder, each))]));
    const path = join(folder, name);
    rmSync(path);
    const isNamed = (fault: unknown) =>
      fault instanceof StoreCorruptError && fault.message.startsWith(`${path}:0: `);
    assert.throws(() => openAll(dir), isNamed, name);
    assert.ok(salvageJournals(dir, [{ file: path, offset: 0, what: "missing" }], []).salvaged);
    openAll(dir);
    for (const each of readdirSync(folder)) rmSync(join(folder, each));
    for (const [each, bytes] of kept) writeFileSync(join(folder, each), bytes);
  }
  assert.deepEqual(openAll(dir), before);
});

test("a snapshot keeps how far each archive must reach, and lists of a crawl without such notes are not missed", (t) => {
  const dir = join(tempFolder(t), "out");
  const folder = makeCrawl(dir);
  const [compacted, plain, unused] = openAll(dir);
  assert.deepEqual([...compacted!].sort(), [...plain!].sort());
  assert.deepEqual([...plain!].sort(), [
    ["a-0.warc.gz", 900],
    ["a-1.warc.gz", 800],
  ]);
  assert.equal(unused!.size, 0);
  assert.deepEqual(listJournals(folder)(2).segments, [1]);
});

test("an archive file that is gone or cut off is told with its name and size, unless it is known to be lost", (t) => {
  const folder = tempFolder(t);
  mkdirSync(folder, { recursive: true });
  const ends = new Map([
    ["whole.warc.gz", 10],
    ["being-written.warc.gz", 10],
    ["none", 10],
  ]);
  writeFileSync(join(folder, "whole.warc.gz"), "x".repeat(10));
  writeFileSync(join(folder, "being-written.warc.gz.open"), "x".repeat(12));
  checkArchives(folder, ends, []);
  for (const [name, size] of [
    ["gone.warc.gz", 0],
    ["cut.warc.gz", 9],
  ] as const) {
    if (size > 0) writeFileSync(join(folder, name), "x".repeat(size));
    assert.equal(existsSync(join(folder, name)), size > 0);
    const all = new Map([...ends, [name, 10]]);
    const words = `${join(folder, name)}:${size}: the file `;
    assert.throws(
      () => checkArchives(folder, all, []),
      (fault) => fault instanceof StoreCorruptError && fault.message.startsWith(words),
    );
    checkArchives(folder, all, [name]);
  }
});
