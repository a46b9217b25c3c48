import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FolderTakenError, StoreCorruptError } from "../../../src/errors.ts";
import { mergeParts } from "../../../src/store/finish/merge-parts.ts";
import {
  crawlPaths,
  readCrawlState,
  writeCrawlState,
} from "../../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder, isUnfinished } from "../../../src/store/folder/create-folder.ts";
import { recoverFolder } from "../../../src/store/recover/recover-folder.ts";
import { orbweaver, tempFolder } from "../../support/orbweaver.ts";
import { sampleCrawl } from "../journaled-crawl.ts";

const FACTS = { seconds: 1, threads: 1, buffers: 1, endedBy: "a test" };

/** What a crawl makes before its state, in this order: it may be killed behind each of them. */
const STEPS: readonly ((dir: string) => void)[] = [
  (dir) => mkdirSync(join(dir, "state"), { recursive: true }),
  (dir) => writeFileSync(join(dir, "state/lock"), "999999999 1"),
  (dir) => mkdirSync(join(dir, "archive")),
  (dir) => mkdirSync(join(dir, "links")),
  (dir) => writeFileSync(join(dir, "links/graph.json.tmp"), "{"),
  (dir) => mkdirSync(join(dir, "state/journals")),
  (dir) => mkdirSync(join(dir, "pages")),
  (dir) => writeFileSync(join(dir, "pages/pages.jsonl.tmp"), ""),
  (dir) => writeFileSync(join(dir, "state/crawl.json.tmp"), '{"version":'),
];

test("a folder that was left while it was being made is taken over, whatever is there of it", (t) => {
  const base = tempFolder(t);
  const left = join(base, "left");
  for (const [step, make] of STEPS.entries()) {
    make(left);
    assert.ok(isUnfinished(left), `after step ${step}`);
    const dir = join(base, `taken-${step}`);
    cpSync(left, dir, { recursive: true });
    createCrawlFolder(dir, 0, { seedLow: 7 });
    assert.equal(readCrawlState(dir)?.seedLow, 7);
    assert.ok(!isUnfinished(dir));
  }
});

test("a folder that holds anything else is nobody's to take", (t) => {
  const base = tempFolder(t);
  for (const [i, name] of [
    "notes.txt",
    "archive/a.warc.gz",
    "state/journals/shard-00.000001.journal",
    "pages/pages.jsonl",
  ].entries()) {
    const dir = join(base, String(i));
    createCrawlFolder(dir);
    rmSync(crawlPaths(dir).state);
    writeFileSync(join(dir, name), "x".repeat(1000));
    assert.ok(!isUnfinished(dir), name);
    assert.throws(() => createCrawlFolder(dir), FolderTakenError);
    assert.equal(readFileSync(join(dir, name), "utf8").length, 1000);
    assert.ok(!existsSync(crawlPaths(dir).state));
  }
});

test("resume and recover say that nothing is in a folder that was never made", async (t) => {
  const dir = join(tempFolder(t), "left");
  mkdirSync(join(dir, "state/journals"), { recursive: true });
  mkdirSync(join(dir, "archive"));
  for (const [command, sentence] of [
    ["resume", /left while its crawl was being made, and nothing was fetched; start it with/],
    ["recover", /there is nothing to recover/],
  ] as const) {
    const { code, stderr } = await orbweaver([command, dir]);
    assert.equal(code, 2);
    assert.match(stderr, sentence);
  }
  assert.ok(isUnfinished(dir), "and they change nothing");
});

test("every flipped bit and every cut of the state of a crawl is noticed", (t) => {
  const dir = join(tempFolder(t), "out");
  const { state } = createCrawlFolder(dir, 0, { config: { seeds: ["http://ä.test/"] } });
  const whole = readFileSync(state);
  const isRefused = (bytes: Buffer) => {
    writeFileSync(state, bytes);
    assert.throws(() => readCrawlState(dir), StoreCorruptError);
  };
  for (let at = 0; at < whole.length; at++) {
    for (const bit of [1, 0x20, 0x80]) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= bit;
      isRefused(bytes);
    }
    isRefused(whole.subarray(0, at));
  }
  writeFileSync(state, whole);
  assert.deepEqual(readCrawlState(dir)?.config, { seeds: ["http://ä.test/"] });
});

test("a state without a checksum is of an older version", (t) => {
  const dir = join(tempFolder(t), "out");
  const { state } = createCrawlFolder(dir);
  writeFileSync(state, '{"version":2}\n');
  assert.throws(() => readCrawlState(dir), /another version/);
});

test("recover keeps everything when state and copy are damaged or gone, and tells so; with a whole copy it puts the state right", async (t) => {
  const dir = join(tempFolder(t), "crawl");
  sampleCrawl(dir).close();
  mergeParts(dir);
  recoverFolder(dir, FACTS);
  const before = recoverFolder(dir, FACTS);
  const { state, stateCopy, pages } = crawlPaths(dir);
  const list = readFileSync(pages, "utf8");
  const good = readCrawlState(dir)!;
  for (const harm of [
    () => writeFileSync(state, readFileSync(state, "utf8").replace("sharded", "shared0")),
    () => rmSync(state),
  ]) {
    writeCrawlState(dir, good);
    harm();
    const repaired = recoverFolder(dir, FACTS);
    assert.deepEqual(
      [repaired.damages, repaired.repaired.map(({ file }) => file)],
      [before.damages, [state]],
    );
    assert.deepEqual(readCrawlState(dir), good);
    harm();
    rmSync(stateCopy);
    const { damages, ...rest } = recoverFolder(dir, FACTS);
    assert.deepEqual({ ...rest, damages: [] }, { ...before, damages: [] });
    assert.deepEqual(
      damages.map(({ file, offset }) => [file, offset]),
      [[state, 0]],
    );
    assert.equal(readFileSync(pages, "utf8"), list);
    const { code, stderr } = await orbweaver(["resume", dir]);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /crawl\.json:0: .*orbweaver recover keeps what was archived/);
  }
});
