import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { StoreCorruptError } from "../../../src/errors.ts";
import { compactShard } from "../../../src/frontier/fold/compact-shard.ts";
import { readDone } from "../../../src/frontier/fold/done-list.ts";
import { openSnapshot } from "../../../src/frontier/fold/snapshot.ts";
import { removeReplaced } from "../../../src/frontier/fold/write-snapshot.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { decodeEvents, type JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import type { JournalFiles } from "../../../src/frontier/journal/journal-files.ts";
import { readJournal } from "../../../src/frontier/journal/journal-reader.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { readSections } from "../../../src/frontier/journal/section-file.ts";
import { ChainQueue } from "../../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { powerLosses, RecordedFiles } from "../../support/power-loss.ts";
import {
  describe,
  fingerprintOf,
  link,
  openAtOnce,
  pack,
  recovered,
  SEEDS,
  SHARD,
  UNSYNCED_FILES,
  withFolder,
} from "../journal/plans.ts";

/** Batches as a crawl writes them: a URL is admitted once and done once, numbers have no gaps. */
function* honestBatches(choices: readonly number[]): Generator<JournalEvent[]> {
  let urls = 0;
  let done = 0;
  let sent = 0;
  let received = 0;
  for (const choice of choices) {
    const events: JournalEvent[] = [];
    const found = Array.from({ length: 1 + (choice % 4) }, () => link(`http://h.test/${urls++}`));
    events.push({ kind: "admit", found });
    for (let i = 0; i < choice % 3 && done < urls; i++) {
      const where = { file: "a.warc.gz", offset: done, length: 7 };
      events.push({ kind: "done", ...fingerprintOf(`http://h.test/${done++}`), outcome: 1, where });
    }
    if (choice % 5 === 0) {
      const bytes = new Uint8Array([choice, sent]);
      events.push({ kind: "outbox", target: 1, epoch: 1, number: ++sent, links: 1, bytes });
    }
    if (choice % 7 === 0) events.push({ kind: "received", shard: 2, epoch: 1, number: ++received });
    if (choice % 6 === 0 && sent > 1) {
      events.push({ kind: "confirmed", shard: 1, epoch: 1, number: sent - 1 });
    }
    if (choice % 4 === 0) events.push({ kind: "counted", counter: 2, amount: choice });
    if (choice % 2 === 1) {
      const site = fingerprintOf(`s${choice % 5}.test`);
      events.push({ kind: "site", ...site, pages: 1 + (choice % 3) });
    }
    if (choice % 3 === 1)
      events.push({ kind: "extension", extension: choice, bytes: new Uint8Array([urls, done]) });
    yield events;
  }
}

/** Everything that is known of the shard, every done event, wherever it is, and the extensions among the URLs that wait. */
function known(folder: string): unknown {
  const { state, end, queued } = recovered(folder);
  const done: JournalEvent[] = [...readDone(folder, SHARD)].flatMap(decodeEvents);
  const snapshot = openSnapshot(folder, SHARD);
  const kept = [...(snapshot?.queued() ?? [])].flatMap(decodeEvents);
  for (const batch of readJournal({ folder, shard: SHARD, after: snapshot?.end })) {
    const events = decodeEvents(batch);
    done.push(...events.filter(({ kind }) => kind === "done"));
    kept.push(...events);
  }
  const inOrder = kept.flatMap((event) => {
    if (event.kind === "extension") return [`extension ${event.extension} ${event.bytes}`];
    if (event.kind !== "admit") return [];
    return event.found.map(({ url }) => url).filter((url) => queued.includes(url));
  });
  const { sequence, epoch } = end;
  return { ...(describe(state) as object), queued, done, inOrder, sequence, epoch };
}

function writer(folder: string): JournalWriter {
  const options = { folder, shard: SHARD, epoch: 1, segmentBytes: 400, files: UNSYNCED_FILES };
  return new JournalWriter({ ...options, ...SEEDS });
}

test("a shard recovers to the same after any number of compactions", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(60), { minLength: 1, maxLength: 25 }),
      fc.infiniteStream(fc.nat(3)),
      (choices, chance) => {
        withFolder((folder) => {
          const [plain, compacted] = [join(folder, "plain"), join(folder, "compacted")];
          for (const dir of [plain, compacted]) mkdirSync(dir);
          const [one, other] = [writer(plain), writer(compacted)];
          for (const events of honestBatches(choices)) {
            one.append(pack(events));
            other.append(pack(events));
            if (chance.next().value !== 0 || other.segment === 1) continue;
            const upTo = other.segment - 1;
            compactShard({
              folder: compacted,
              shard: SHARD,
              upTo,
              files: UNSYNCED_FILES,
              ...SEEDS,
            });
          }
          one.close();
          other.close();
          assert.deepEqual(known(compacted), known(plain));
        });
      },
    ),
    { numRuns: 30 },
  );
});

/** A journal of some segments, the first of them compacted once already. */
function prepare(folder: string): number {
  const journal = writer(folder);
  const choices = Array.from({ length: 16 }, (_, i) => 30 + i);
  for (const [i, events] of [...honestBatches(choices)].entries()) {
    journal.append(pack(events));
    if (i !== 7) continue;
    const upTo = journal.segment - 1;
    compactShard({ folder, shard: SHARD, upTo, files: UNSYNCED_FILES, ...SEEDS });
  }
  journal.close();
  return journal.segment - 1;
}

test("a flipped byte anywhere in a snapshot or a list of done URLs is detected with file and offset", () => {
  withFolder((folder) => {
    const upTo = prepare(folder);
    compactShard({ folder, shard: SHARD, upTo, files: UNSYNCED_FILES, ...SEEDS });
    const expected = known(folder);
    const names = readdirSync(folder).filter((name) => /\.(snapshot|done)$/.test(name));
    assert.ok(names.length >= 2);
    for (const name of names) {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      for (let at = 0; at < bytes.length; at += 4) {
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1 << (at % 8);
        writeFileSync(path, flipped);
        assert.throws(
          () => (at % 100 === 0 ? known(folder) : [...readSections(path)]),
          (error) => error instanceof StoreCorruptError && error.message.includes(`${path}:`),
          `byte ${at} of ${name}`,
        );
      }
      writeFileSync(path, bytes);
    }
    assert.deepEqual(known(folder), expected);
  });
});

/** The real disk and a recorder at once: a compaction reads back what it wrote. */
function mirrored(recorded: RecordedFiles, change: Partial<JournalFiles> = {}): JournalFiles {
  const real = new Map<number, number>();
  const files: JournalFiles = {
    create(path) {
      const file = recorded.create(path);
      real.set(file, UNSYNCED_FILES.create(path));
      return file;
    },
    open: (path) => recorded.open(path),
    write(file, bytes, from) {
      UNSYNCED_FILES.write(real.get(file)!, bytes, from);
      return recorded.write(file, bytes, from);
    },
    truncate: () => assert.fail("a compaction cuts nothing"),
    sync: (file) => recorded.sync(file),
    close: (file) => UNSYNCED_FILES.close(real.get(file)!),
    remove(path) {
      recorded.remove(path);
      UNSYNCED_FILES.remove(path);
    },
    rename(from, to) {
      recorded.rename(from, to);
      UNSYNCED_FILES.rename(from, to);
    },
    syncFolder: () => recorded.syncFolder(),
  };
  return { ...files, ...change };
}

class Killed extends Error {}

/** Compacts with a recorder; killed after its n-th naming, if asked, whereupon the next run cleans up. Answers the first loss that hurts. */
function firstLoss(
  disguise: (recorded: RecordedFiles) => Partial<JournalFiles>,
  killAfterRenames = Number.POSITIVE_INFINITY,
): { failure: string | undefined; losses: number } {
  return withFolder((parent) => {
    const [folder, left] = [join(parent, "state"), join(parent, "left")];
    mkdirSync(folder);
    const upTo = prepare(folder);
    const expected = known(folder);
    const recorded = new RecordedFiles();
    for (const name of readdirSync(folder)) {
      const file = recorded.create(name);
      recorded.write(file, readFileSync(join(folder, name)), 0);
      recorded.sync(file);
    }
    recorded.syncFolder();
    recorded.note(1);
    const change = disguise(recorded);
    const files = mirrored(recorded, change);
    let renames = 0;
    const mortal: JournalFiles = {
      ...files,
      rename(from, to) {
        files.rename(from, to);
        if (++renames === killAfterRenames) throw new Killed();
      },
    };
    try {
      compactShard({ folder, shard: SHARD, upTo, files: mortal, ...SEEDS });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      removeReplaced(folder, SHARD, files);
    }
    let losses = 0;
    for (const loss of powerLosses(recorded.steps)) {
      if (loss.noted === 0) continue;
      losses++;
      rmSync(left, { recursive: true, force: true });
      mkdirSync(left);
      for (const [name, bytes] of loss.files) writeFileSync(join(left, name), bytes);
      try {
        removeReplaced(left, SHARD, UNSYNCED_FILES);
        assert.deepEqual(known(left), expected);
      } catch (error) {
        return { failure: `${loss.what}: ${(error as Error).message}`, losses };
      }
    }
    return { failure: undefined, losses };
  });
}

test("a power loss at any point of a compaction changes nothing that is known", () => {
  const { failure, losses } = firstLoss(() => ({}));
  assert.equal(failure, undefined);
  assert.ok(losses > 50, `only ${losses} losses`);
});

for (const renames of [1, 2]) {
  test(`a run that cleans up after a compaction killed at rename ${renames} loses nothing either`, () => {
    assert.equal(firstLoss(() => ({}), renames).failure, undefined);
  });
}

test("a compaction that leaves extensions out is caught", (t) => {
  t.mock.method(EventBatch.prototype, "copy", () => {});
  assert.match(firstLoss(() => ({})).failure ?? "not caught", /after \d+ steps/);
});

test("a compaction that changes the order of extensions and admissions is caught", (t) => {
  const { admit } = EventBatch.prototype;
  const late: (() => void)[] = [];
  t.mock.method(EventBatch.prototype, "admit", function (this: EventBatch, ...link) {
    late.push(() => admit.apply(this, link));
  } as typeof admit);
  const { body } = EventBatch.prototype;
  t.mock.method(EventBatch.prototype, "body", function (this: EventBatch) {
    for (const add of late.splice(0)) add();
    return body.call(this);
  });
  assert.match(firstLoss(() => ({})).failure ?? "not caught", /after \d+ steps/);
});

test("an extension as long as a batch survives a compaction", () => {
  withFolder((folder) => {
    const journal = writer(folder);
    const bytes = new Uint8Array(16 * 1024 * 1024 - 64).fill(7);
    journal.append(pack([{ kind: "admit", found: [link("http://h.test/1")] }]));
    journal.append(pack([{ kind: "extension", extension: 1, bytes }]));
    journal.append(pack([{ kind: "admit", found: [link("http://h.test/2")] }]));
    journal.close();
    const upTo = journal.segment;
    compactShard({ folder, shard: SHARD, upTo, files: UNSYNCED_FILES, ...SEEDS });
    const events = [...openSnapshot(folder, SHARD)!.queued()].flatMap(decodeEvents);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["admit", "extension", "admit"],
    );
    assert.deepEqual(events[1], { kind: "extension", extension: 1, bytes });
  });
});

test("a compaction that does not sync the snapshot before it gets its name is caught", () => {
  assert.match(firstLoss(() => ({ sync() {} })).failure ?? "not caught", /after \d+ steps/);
});

test("a compaction that does not sync the folder is caught: segments may go before the snapshot has its name", () => {
  assert.match(firstLoss(() => ({ syncFolder() {} })).failure ?? "not caught", /after \d+ steps/);
});

test("a shard is opened from snapshot and journal; a folder without either is a new shard", () => {
  withFolder((folder) => {
    const upTo = prepare(folder);
    compactShard({ folder, shard: SHARD, upTo, files: UNSYNCED_FILES, ...SEEDS });
    writeFileSync(join(folder, "shard-03.000099.snapshot.new"), "left by a kill");
    const log = new QueueLog(() => assert.fail("so few URLs need no file"), 2 ** 22);
    const newQueue = () => new ChainQueue(log, false);
    const { queued, sequence } = known(folder) as { queued: string[]; sequence: number };
    const { shard, end } = openAtOnce(folder, newQueue);
    assert.equal(end!.sequence, sequence);
    const taken = Array.from({ length: queued.length }, () => {
      const lease = shard.take(0)!;
      shard.requestEnded(lease, 0);
      return lease.url;
    });
    assert.deepEqual(taken, queued);
    assert.equal(shard.take(0), undefined);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith(".new")),
      [],
    );
    const fresh = openAtOnce(folder, newQueue, "bfs", 5);
    assert.deepEqual([fresh.end, fresh.shard.state.known], [undefined, 0]);
  });
});
