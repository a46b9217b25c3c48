import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { PageLocation } from "../../src/frontier/finish.ts";
import { beginDone } from "../../src/frontier/fold/done-list.ts";
import { writeSnapshot } from "../../src/frontier/fold/write-snapshot.ts";
import { EventBatch } from "../../src/frontier/journal/event-batch.ts";
import { doneName, REAL_FILES } from "../../src/frontier/journal/journal-files.ts";
import { listJournals } from "../../src/frontier/journal/journal-listing.ts";
import { readJournal } from "../../src/frontier/journal/journal-reader.ts";
import { JournalWriter } from "../../src/frontier/journal/journal-writer.ts";
import { SectionWriter } from "../../src/frontier/journal/section-file.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { fingerprintOf, JournaledCrawl, SEEDS } from "../store/journaled-crawl.ts";
import { freshFolder } from "../store/sample-capture.ts";
import { readOnDisk } from "./on-disk.ts";

const [FIRST, SECOND, WAITS, LATER] = ["first", "second", "waits", "later"].map(
  (name) => `http://h/${name}`,
) as [string, string, string, string];
const [seedLow, seedHigh] = SEEDS;

/** What is wrong with a crawl: before its snapshot, in it, behind it, or with its files afterwards. */
interface Planted {
  readonly before?: (crawl: JournaledCrawl, where: PageLocation) => void;
  /** When the snapshot goes over the journal for the so many-th time, it meets no events. */
  readonly blindIn?: number;
  readonly behind?: (batch: EventBatch) => void;
  readonly after?: (folder: string) => void;
}

/** Two pages done and one URL that waits in a snapshot, one more URL admitted behind it. */
function crawlWith(t: TestContext, planted: Planted): string[] {
  const out = freshFolder(t);
  const folder = crawlPaths(out).journals;
  const crawl = new JournaledCrawl(out);
  crawl.admit([FIRST, SECOND, WAITS]);
  const places = [FIRST, SECOND].map((url) => crawl.store(url)!);
  crawl.commit(FIRST, places[0]);
  crawl.commit(SECOND, places[1]);
  planted.before?.(crawl, places[0]!);
  crawl.close();
  let pass = 0;
  const tail = function* () {
    const isBlind = ++pass === planted.blindIn;
    for (const batch of readJournal({ folder, shard: 0, upTo: 1 }))
      if (!isBlind || batch.events === 0) yield batch;
  };
  const upTo = 1;
  writeSnapshot({ folder, shard: 0, upTo, seedLow, seedHigh }, { old: undefined, tail });
  const sequence = crawl.journal.sequence;
  const after = { segment: upTo, bytes: 0, sequence, epoch: 1, followed: true, torn: undefined };
  const writer = new JournalWriter({ folder, shard: 0, epoch: 2, seedLow, seedHigh, after });
  const batch = new EventBatch();
  admit(batch, LATER);
  planted.behind?.(batch);
  writer.append(batch);
  writer.close();
  assert.deepEqual(listJournals(folder)(0).snapshots, [1]);
  planted.after?.(out);
  const { problems, ...rest } = readOnDisk(out);
  if (Object.keys(planted).length === 0) {
    assert.deepEqual([rest.admitted, rest.done, rest.pages, rest.records], [4, 2, 2, 2]);
    assert.deepEqual([rest.places.size, rest.snapshots], [2, 1]);
  }
  return [...problems];
}

function admit(batch: EventBatch, url: string): void {
  const found = { parent: undefined, depth: 0, via: "seed", seed: true, chain: [] } as const;
  const { low, high } = fingerprintOf(url);
  batch.admit({ ...found, url: url as never }, low, high);
}

function done(batch: EventBatch, url: string): void {
  const { low, high } = fingerprintOf(url);
  batch.done(low, high, 4, undefined);
}

/** Writes other bytes over a file of the archive from `from` on. */
function spoil(out: string, from: number): void {
  const { archive } = crawlPaths(out);
  const path = join(archive, readdirSync(archive)[0]!);
  const bytes = readFileSync(path);
  bytes.fill(0, from);
  writeFileSync(path, bytes);
}

/** Puts a list of done URLs that names none in the place of the one that is there. */
function emptyList(folder: string): void {
  const path = join(folder, doneName(0, 1));
  rmSync(path);
  const list = new SectionWriter(REAL_FILES, path);
  beginDone(list, { shard: 0, list: 1, seedLow: 1, seedHigh: 2 }, []);
  list.finish();
}

const PLANTED: readonly [name: string, planted: Planted, told: RegExp][] = [
  [
    "a URL admitted twice before the snapshot",
    { before: (crawl) => crawl.admit([FIRST]) },
    /is known twice/,
  ],
  [
    "a URL of the snapshot admitted again behind it",
    { behind: (batch) => admit(batch, FIRST) },
    /first is admitted twice/,
  ],
  [
    "a URL that waits in the snapshot admitted again behind it",
    { behind: (batch) => admit(batch, WAITS) },
    /waits is admitted twice/,
  ],
  [
    "a URL done twice before the snapshot",
    { before: (crawl) => crawl.commit(SECOND) },
    /is done twice/,
  ],
  [
    "a URL done before the snapshot and behind it",
    { behind: (batch) => done(batch, FIRST) },
    /is done twice/,
  ],
  [
    "a URL done that nobody admitted, before the snapshot",
    { before: (crawl) => crawl.commit("http://h/nobody") },
    /is done and was not admitted/,
  ],
  [
    "a URL done that nobody admitted, behind the snapshot",
    { behind: (batch) => done(batch, "http://h/nobody") },
    /is done and was not admitted/,
  ],
  [
    "a done event that names another URL's record",
    { before: (crawl, where) => crawl.commit(WAITS, where) },
    /is not in .* at \d+/,
  ],
  ["a snapshot that forgot what is known", { blindIn: 2 }, /is done and was not admitted/],
  ["a snapshot that forgot what waits", { blindIn: 3 }, /is neither done nor does it wait/],
  [
    "a list of done URLs that forgot them",
    { after: (out) => emptyList(crawlPaths(out).journals) },
    /is neither done nor does it wait/,
  ],
  ["the archive destroyed", { after: (out) => spoil(out, 0) }, /is not in .* at \d+/],
  [
    "the archive gone",
    { after: (out) => rmSync(crawlPaths(out).archive, { recursive: true }) },
    /is not in .* at \d+/,
  ],
  [
    "the list of done URLs gone",
    { after: (out) => rmSync(join(crawlPaths(out).journals, doneName(0, 1))) },
    /the list of done URLs is missing/,
  ],
];

test("a crawl with a snapshot is read as what it is", (t) => {
  assert.deepEqual(crawlWith(t, {}), []);
});

for (const [name, planted, told] of PLANTED) {
  test(`found in a crawl with a snapshot: ${name}`, (t) => {
    assert.match(crawlWith(t, planted).join("\n"), told);
  });
}
