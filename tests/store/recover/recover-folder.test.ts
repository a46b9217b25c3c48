import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { compactShard } from "../../../src/frontier/fold/compact-shard.ts";
import { type JournalFiles, REAL_FILES } from "../../../src/frontier/journal/journal-files.ts";
import { readJournal } from "../../../src/frontier/journal/journal-reader.ts";
import { finalizeFolder } from "../../../src/store/finish/finalize.ts";
import { mergeParts } from "../../../src/store/finish/merge-parts.ts";
import {
  crawlPaths,
  readCrawlState,
  writeCrawlState,
} from "../../../src/store/folder/crawl-folder.ts";
import { LinkGraph } from "../../../src/store/graph/link-graph.ts";
import { cdxjFields } from "../../../src/store/lists/cdxj.ts";
import { recoverFolder } from "../../../src/store/recover/recover-folder.ts";
import { openResults, writeResults } from "../../../src/store/reports/crawl-results.ts";
import { readRunFacts } from "../../../src/store/reports/result-lists.ts";
import { readWarc } from "../../../src/store/warc/warc-reader.ts";
import { sampleCrawl } from "../journaled-crawl.ts";
import { freshFolder } from "../sample-capture.ts";

const FACTS = { seconds: 1.5, threads: 2, buffers: 1, endedBy: "no URL was left" };
const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const listed = (dir: string) => {
  const { reports, index, pages } = crawlPaths(dir);
  const crawled = lines(join(reports, "crawled.txt"));
  const uncrawled = lines(join(reports, "uncrawled.txt"));
  return { crawled, uncrawled, index: lines(index), pages: lines(pages) };
};

/** A finished crawl. */
function finished(t: TestContext, options = {}): string {
  const folder = join(freshFolder(t), "crawl");
  sampleCrawl(folder, options).close();
  mergeParts(folder);
  writeResults(folder, FACTS, openResults(folder));
  return folder;
}

/** The same after a kill. */
function killed(t: TestContext): string {
  const folder = join(freshFolder(t), "crawl");
  const crawl = sampleCrawl(folder);
  crawl.store("http://h/waits1", "http://h/0");
  crawl.flush();
  return folder;
}

test("found = crawled + uncrawled - 1 = statistics = journal, after a clean end", (t) => {
  const folder = finished(t);
  const { crawled, uncrawled, pages } = listed(folder);
  assert.equal(crawled.length, 30 - 4, "a 404 is not crawled");
  assert.equal(uncrawled[0], "URLs found and not crawled");
  assert.equal(crawled.length + uncrawled.length - 1, 30 + 2 + 5);
  assert.ok(crawled.every((line) => /^http:\/\/h\/\d+\thttp:\/\/h\/$/.test(line)));
  assert.deepEqual(uncrawled.slice(1).sort().slice(4, 7), [
    "http://h/refused1",
    "http://h/refused2",
    "http://h/waits1",
  ]);
  assert.equal(pages.length, 1 + 31 - 4);
  assert.deepEqual(lines(join(folder, "reports", "statistics.txt")), [
    "total new URLs: 37",
    "crawled: 26",
    "not crawled: 11",
    "seeds: 1",
    "runs: unknown",
    "pages: unknown",
    "pages of this run: unknown",
    "bytes: unknown",
    "bytes of this run: unknown",
    "duration in seconds: 1.500",
    "duration of this run in seconds: unknown",
    "threads: 2",
    "buffers: 1",
    "ended by: no URL was left",
  ]);
  assert.deepEqual(readRunFacts(join(folder, "reports")), FACTS);
});

test("an index line whose key holds braces is read", () => {
  const line = 'com,h)/a{b}?{ 20260101000000 {"url":"http://h/a{b}?{","offset":"7","filename":"f"}';
  assert.deepEqual(cdxjFields(line), { url: "http://h/a{b}?{", offset: "7", filename: "f" });
});

test("recovering a crawl that ended cleanly changes no byte of its lists", (t) => {
  for (const options of [{}, { rotatePages: 4 }]) {
    const folder = finished(t, options);
    const before = listed(folder);
    const recovery = recoverFolder(folder, FACTS);
    assert.deepEqual(recovery.rebuilt, []);
    assert.ok(!existsSync(join(folder, "reports", "orphans.jsonl")));
    assert.deepEqual([recovery.damages, recovery.closed, recovery.journalsCut], [[], [], []]);
    assert.deepEqual([recovery.captures, recovery.orphans, recovery.unnamed], [31, 0, 0]);
    assert.deepEqual(listed(folder), before);
    assert.deepEqual(recoverFolder(folder, FACTS).rebuilt, []);
  }
});

test("a log that is older than the journals is noticed, also when it has as many lines", (t) => {
  const folder = finished(t);
  const { log } = crawlPaths(folder);
  recoverFolder(folder, FACTS);
  assert.notEqual(readCrawlState(folder)!.damaged, true);
  const kept = lines(log).filter((line) => !line.includes('"url":"http://h/3"'));
  assert.equal(kept.length, lines(log).length - 1);
  const uncommitted = JSON.stringify({ url: "http://h/waits2", outcome: "refused" });
  writeFileSync(log, [...kept, uncommitted, ""].join("\n"));
  recoverFolder(folder, FACTS);
  assert.equal(readCrawlState(folder)!.damaged, true);
});

test("after a kill: files are closed, a torn record is cut off, orphans are listed, the rest is as after a clean end", (t) => {
  const clean = listed(finished(t));
  for (const torn of ["", "WARC", "half a member"]) {
    const folder = killed(t);
    const { archive, pages, journals: journal, reports } = crawlPaths(folder);
    const [open] = readdirSync(archive);
    const whole = statSync(join(archive, open!)).size;
    if (torn === "WARC") appendFileSync(join(archive, open!), "\x1f\x8b\x08");
    if (torn === "half a member") truncateSync(join(archive, open!), whole - 5);
    appendFileSync(pages, '{"url":"http://h/torn');
    appendFileSync(join(journal, readdirSync(journal)[0]!), "torn");
    const recovery = recoverFolder(folder, { ...FACTS, endedBy: "recovered after a crash" });
    assert.deepEqual(recovery.damages, []);
    assert.deepEqual([recovery.captures, recovery.orphans], [31, 1]);
    assert.equal(recovery.closed[0]!.cutBytes > 0, torn !== "");
    assert.equal(recovery.journalsCut.length, 1);
    const file = join(archive, open!.replace(/\.open$/, ""));
    assert.ok([...readWarc(file)].every((record) => record.problems.length === 0));
    assert.equal(JSON.parse(lines(join(reports, "orphans.jsonl"))[0]!).url, "http://h/waits1");
    const found = listed(folder);
    assert.deepEqual(found.crawled, clean.crawled);
    assert.deepEqual(found.uncrawled.sort(), clean.uncrawled.sort());
    assert.equal(found.index.length, clean.index.length);
    assert.equal(found.pages.length, clean.pages.length);
    const graph = new LinkGraph(folder);
    assert.equal([...graph.linksTo("http://h/hub")].length, 31);
    graph.close();
    // As if it had been killed itself: once more, and nothing is left to do.
    const again = recoverFolder(folder, FACTS);
    assert.deepEqual(
      [again.rebuilt, again.closed, again.journalsCut, again.orphans],
      [[], [], [], 1],
    );
  }
});

test("a committed record that is torn off is damage, not a torn end", (t) => {
  const folder = killed(t);
  const { archive } = crawlPaths(folder);
  const path = join(archive, readdirSync(archive)[0]!);
  const last = [...readWarc(path)].filter((r) => r.type === "response").at(-2)!;
  truncateSync(path, last.offset + 10);
  const recovery = recoverFolder(folder, FACTS);
  const places = recovery.damages.map(({ offset, what }) => [offset, what.slice(0, 24)]);
  assert.deepEqual(places, [
    [last.offset, "torn: the file ends insi"],
    [last.offset, "a committed record is mi"],
  ]);
});

test("a flipped byte in the last committed capture of an open file is damage or put right, never a torn end", (t) => {
  const first = killed(t);
  const [open] = readdirSync(crawlPaths(first).archive);
  const records = [...readWarc(join(crawlPaths(first).archive, open!))];
  // The last three are those of a page that was stored and never committed.
  const last = records.slice(-6, -3);
  assert.deepEqual(
    last.map(({ type }) => type),
    ["response", "request", "metadata"],
  );
  for (const { type, offset, length } of last) {
    for (const [at, torn] of [
      [1, false],
      [length >> 1, true],
      [length - 1, false],
    ] as const) {
      const folder = join(freshFolder(t), "crawl");
      cpSync(first, folder, { recursive: true });
      const path = join(crawlPaths(folder).archive, open!);
      const bytes = readFileSync(path);
      bytes[offset + at]! ^= 0x10;
      writeFileSync(path, torn ? bytes.subarray(0, -5) : bytes);
      const { damages, repaired, closed, orphans } = recoverFolder(folder, FACTS);
      const isTold = [...damages, ...repaired].some(
        (place) => place.file === open!.slice(0, -5) && Math.abs(place.offset - offset) <= at,
      );
      assert.ok(isTold, `${type}, byte ${at}: ${JSON.stringify([damages, repaired])}`);
      const cut = torn ? records.at(-1)!.length - 5 : 0;
      assert.deepEqual([closed[0]!.cutBytes, orphans], [cut, 1], `${type}, byte ${at}`);
    }
  }
});

test("a flipped bit in an archive is told with file and offset, and every intact record is kept (property)", (t) => {
  const base = finished(t);
  const { archive } = crawlPaths(base);
  const [name] = readdirSync(archive);
  const good = readFileSync(join(archive, name!));
  const records = [...readWarc(join(archive, name!))];
  const clean = listed(base);
  const inside = records.slice(1, 4).map((r): [number, number] => [r.offset + (r.length >> 1), 0]);
  let detected = 0;
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(7), (at, bit) => {
      const bytes = Buffer.from(good);
      bytes[at] = bytes[at]! ^ (1 << bit);
      writeFileSync(join(archive, name!), bytes);
      const recovery = recoverFolder(base, FACTS);
      const { offset, type } = records.find((r) => at < r.offset + r.length)!;
      // What stands around the content follows from it: that is put right.
      if (recovery.repaired.length > 0) {
        assert.deepEqual(recovery.repaired, [{ file: name, offset: at }]);
        assert.deepEqual([recovery.damages, listed(base)], [[], clean]);
        assert.deepEqual(readFileSync(join(archive, name!)), good);
        return;
      }
      detected++;
      assert.deepEqual([recovery.damages[0]!.file, recovery.damages[0]!.offset], [name, offset]);
      const lost = type === "response" || type === "revisit" ? 1 : 0;
      assert.equal(recovery.captures, 31 - lost);
      assert.equal(recovery.damages.length, 1 + lost);
    }),
    { numRuns: 15, examples: inside },
  );
  assert.ok(detected >= inside.length);
});

test("a flipped bit in index or page list is found and repaired", (t) => {
  const folder = finished(t);
  recoverFolder(folder, FACTS);
  const clean = listed(folder);
  for (const path of [crawlPaths(folder).index, crawlPaths(folder).pages]) {
    const bytes = readFileSync(path);
    for (const at of [0, 777, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 4;
      writeFileSync(path, changed);
      const { rebuilt, damages } = recoverFolder(folder, FACTS);
      // A last line without its end is cut off before the comparison.
      const offset =
        at === bytes.length - 1 && path.endsWith("pages.jsonl")
          ? bytes.lastIndexOf(10, -2) + 1
          : at;
      assert.deepEqual([rebuilt, damages], [[{ file: path, offset }], []]);
      assert.deepEqual(listed(folder), clean);
    }
  }
});

test("a flipped bit in a journal is told with file and offset, and lists keep what is intact", (t) => {
  const folder = finished(t);
  const { journals: journal } = crawlPaths(folder);
  const path = join(journal, readdirSync(journal)[0]!);
  const bytes = readFileSync(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(path, bytes);
  const recovery = recoverFolder(folder, FACTS);
  assert.equal(recovery.damages[0]!.file, path);
  assert.ok(recovery.captures >= 29 && recovery.captures + recovery.orphans === 31);
});

test("after kills every URL has one line in the log, once a run or recover has ended", (t) => {
  const [again, refused, late] = ["http://h/waits1", "http://h/refused1", "http://h/waits2"];
  for (const byRecover of [false, true]) {
    const crawl = sampleCrawl(join(freshFolder(t), "crawl"));
    const log = (url: string, outcome: string) => {
      const line = JSON.stringify({ url, outcome, parent: "http://h/0" });
      crawl.builder.append({ kind: "outcome", line });
    };
    const { log: path } = crawlPaths(crawl.folder);
    // Stored and not committed; refused and not committed, then made again; the host was away and then answered.
    crawl.store(again, "http://h/0");
    log(refused, "refused");
    for (let i = 0; i < 2; i++) log(late, "unavailable");
    log("http://h/waits3", "unavailable");
    log("http://h/waits3", "unavailable");
    log("http://h/waits4", "refused");
    crawl.commit(again, crawl.store(again, "http://h/0"));
    crawl.commit(late, crawl.store(late, "http://h/0"));
    crawl.close();
    writeFileSync(path, `not JSON\n${readFileSync(path)}`);
    const urls = () => lines(path).map((line) => /"url":"([^"]*)"/.exec(line)?.[1]);
    const before = urls();
    if (byRecover) {
      const { rebuilt } = recoverFolder(crawl.folder, FACTS);
      assert.ok(rebuilt.some(({ file }) => file === path));
      assert.ok(!recoverFolder(crawl.folder, FACTS).rebuilt.some(({ file }) => file === path));
    } else assert.ok(finalizeFolder(crawl.folder, openResults(crawl.folder).committed));
    const after = urls();
    assert.equal(before.length, after.length + 6);
    // What was never committed is gone, what cannot be read stays.
    const wanted = new Set(before.filter((url) => url !== "http://h/waits4"));
    assert.equal(after.length, wanted.size);
    assert.deepEqual(new Set(after), wanted);
    const places = lines(path).flatMap((line) => (line.includes(again) ? JSON.parse(line) : []));
    assert.equal(lines(crawlPaths(crawl.folder).pages).at(-2)?.includes(again), true);
    assert.equal(places.length, 1);
  }
});

test("an undisturbed run is not looked through, unless index and journals count differently", (t) => {
  const folder = finished(t);
  const { index, pages } = crawlPaths(folder);
  const isUndisturbed = true;
  const { committed } = openResults(folder);
  const again = (path: string) => appendFileSync(path, `${lines(path).at(-1)}\n`);
  const listed = lines(pages).length;
  again(pages);
  assert.ok(finalizeFolder(folder, committed, { isUndisturbed }));
  assert.equal(lines(pages).length, listed + 1, "as many lines in the index as records");
  assert.ok(finalizeFolder(folder, committed));
  assert.equal(lines(pages).length, listed, "who cannot tell looks at every line");
  const indexed = lines(index).length;
  again(index);
  again(pages);
  assert.ok(finalizeFolder(folder, committed, { isUndisturbed }));
  assert.deepEqual([lines(index).length, lines(pages).length], [indexed, listed]);
});

test("zeros that a power loss left in the log go, and the lines around them stay", (t) => {
  for (const byRecover of [false, true]) {
    const folder = finished(t);
    const { log } = crawlPaths(folder);
    const whole = readFileSync(log, "utf8");
    const before = whole.split("\n");
    const damaged = [...before];
    damaged[3] = `${"\0".repeat(damaged[2]!.length)}${damaged[3]}`;
    damaged.splice(2, 1);
    writeFileSync(log, damaged.join("\n"));
    if (byRecover) {
      const { skipped } = crawlPaths(folder);
      writeFileSync(skipped, '{"url":"http://h/a"}\n\0\0\0{"url":"http://h/b"}\n\0\0\n');
      const { rebuilt, damages } = recoverFolder(folder, FACTS);
      assert.deepEqual(lines(skipped), ['{"url":"http://h/a"}', '{"url":"http://h/b"}']);
      const offset = before[0]!.length + before[1]!.length + 2;
      assert.deepEqual(
        rebuilt.filter(({ file }) => file === log),
        [{ file: log, offset }],
      );
      assert.deepEqual(damages, []);
    } else assert.ok(finalizeFolder(folder, openResults(folder).committed));
    assert.equal(readFileSync(log, "utf8"), before.toSpliced(2, 1).join("\n"));
  }
});

test("damaged journals do not say which lines of the log count: all stay", (t) => {
  const folder = finished(t);
  const { journals, log } = crawlPaths(folder);
  const before = readFileSync(log);
  const path = join(journals, readdirSync(journals)[0]!);
  const bytes = readFileSync(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(path, bytes);
  assert.ok(recoverFolder(folder, FACTS).damages.length > 0);
  assert.deepEqual(readFileSync(log), before);
});

test("what a fold had listed when it was killed, before its snapshot appeared, counts once", (t) => {
  const folder = finished(t);
  const { journals } = crawlPaths(folder);
  const outcomes = () => [...openResults(folder).committed.outcomes];
  const before = outcomes();
  const { seedLow, seedHigh } = readCrawlState(folder)!;
  const files: JournalFiles = {
    ...REAL_FILES,
    rename(from, to) {
      if (to.endsWith(".snapshot")) throw new Error("killed");
      REAL_FILES.rename(from, to);
    },
  };
  const fold = () =>
    compactShard({ folder: journals, shard: 0, upTo: 1, seedLow, seedHigh, files });
  assert.throws(fold, /killed/);
  assert.ok(readdirSync(journals).some((name) => name.endsWith(".done")));
  assert.deepEqual(outcomes(), before);
  assert.ok(before.some((count) => count > 0));
});

test("what only a list of done URLs knows, without its snapshot, is listed once it is salvaged", (t) => {
  const folder = finished(t);
  const { journals, index } = crawlPaths(folder);
  const segment = join(journals, readdirSync(journals).find((name) => name.endsWith(".journal"))!);
  const bytes = readFileSync(segment);
  const batches = [...readJournal({ folder: journals, shard: 0 })].map(({ offset }) => offset);
  const state = readCrawlState(folder)!;
  const { seedLow, seedHigh } = state;
  compactShard({ folder: journals, shard: 0, upTo: 1, seedLow, seedHigh });
  const snapshot = readdirSync(journals).find((name) => name.endsWith(".snapshot"))!;
  rmSync(join(journals, snapshot));
  // Whole files of different moments: the segment that the snapshot had replaced, half as long, and the state before.
  writeFileSync(segment, bytes.subarray(0, batches[batches.length >> 1]));
  writeCrawlState(folder, { ...state, epoch: 0 });
  const { damages, captures, orphans, salvaged } = recoverFolder(folder, FACTS);
  assert.ok(damages.length > 0 && salvaged);
  assert.deepEqual({ captures, orphans }, { captures: 31, orphans: 0 });
  assert.equal(lines(index).length, 31);
  // The end of the next run compares the journals with the index.
  assert.ok(finalizeFolder(folder, openResults(folder).committed));
});

test("a tree beside the archive, a tree instead of it, and a tree alone give the same list", (t) => {
  const base = freshFolder(t);
  const tree = (store: "tree" | "warc,tree", name: string) => {
    const folder = join(base, name);
    const crawl = sampleCrawl(folder, { store });
    crawl.flush();
    assert.deepEqual(recoverFolder(folder, FACTS).damages, []);
    assert.equal(readCrawlState(folder)!.lostArchives, undefined);
    return folder;
  };
  const both = tree("warc,tree", "both");
  const only = tree("tree", "only");
  const alone = join(base, "alone");
  cpSync(join(both, "tree"), join(alone, "tree"), { recursive: true });
  recoverFolder(alone, FACTS);
  const crawled = (dir: string) => lines(join(dir, "reports", "crawled.txt")).sort();
  // 404s are answers, but no pages: a tree does not keep them.
  const pages = crawled(both).filter((line) => Number(/\d+/.exec(line)![0]) % 7 !== 6);
  assert.equal(pages.length, 26);
  assert.deepEqual(crawled(alone), pages);
  assert.deepEqual(crawled(only), pages);
  assert.equal(lines(join(only, "reports", "uncrawled.txt")).length - 1 + 26, 37);
  rmSync(join(alone, "tree"), { recursive: true });
  assert.throws(() => recoverFolder(alone, FACTS), { code: "OW_USAGE" });
});

test("a committed page that is gone from a tree is told with its name, and only that", (t) => {
  const folder = join(freshFolder(t), "crawl");
  const crawl = sampleCrawl(folder, { store: "tree" });
  crawl.close();
  const file = "tree/pr-http/do-h/dr-3/content.html";
  rmSync(join(folder, file));
  const { damages, captures } = recoverFolder(folder, FACTS);
  assert.deepEqual(damages, [{ file, offset: 0, what: "a committed record is missing" }]);
  assert.equal(captures, 26);
  assert.equal(readCrawlState(folder)!.lostArchives, undefined);
});

test("a tree: what was stored and not committed is listed as an orphan, and once when it is fetched again", (t) => {
  const store = "tree";
  const crawlOf = (name: string) => sampleCrawl(join(freshFolder(t), name), { store });
  const again = "http://h/waits1";
  const urlsIn = (dir: string) => {
    const { crawled, uncrawled, pages } = listed(dir);
    const isIt = (line: string) => line.includes(again);
    return [crawled, uncrawled, pages].map((list) => list.filter(isIt).length);
  };
  const killed = crawlOf("killed");
  killed.store(again, "http://h/0");
  killed.flush();
  assert.equal(recoverFolder(killed.folder, FACTS).orphans, 1);
  const [orphan] = lines(join(killed.folder, "reports", "orphans.jsonl"));
  assert.equal(JSON.parse(orphan!).url, again);
  assert.deepEqual(urlsIn(killed.folder), [0, 1, 0]);
  const resumed = crawlOf("resumed");
  resumed.store(again, "http://h/0");
  resumed.commit(again, resumed.store(again, "http://h/0"));
  resumed.close();
  const results = openResults(resumed.folder);
  assert.ok(finalizeFolder(resumed.folder, results.committed));
  const { crawled, uncrawled } = writeResults(resumed.folder, FACTS, results);
  assert.equal(crawled + uncrawled, 37);
  assert.deepEqual(urlsIn(resumed.folder), [1, 0, 1]);
});
