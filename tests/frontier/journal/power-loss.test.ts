import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import type { JournalFiles } from "../../../src/frontier/journal/journal-files.ts";
import {
  BATCH_TRAILER_BYTES,
  SEGMENT_HEADER_BYTES,
} from "../../../src/frontier/journal/journal-format.ts";
import { type JournalEnd, repairTail } from "../../../src/frontier/journal/journal-reader.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { type Loss, powerLosses, RecordedFiles } from "../../support/power-loss.ts";
import {
  flat,
  link,
  pack,
  readAll,
  SEED_HIGH,
  SEED_LOW,
  UNSYNCED_FILES,
  withFolder,
} from "./plans.ts";

type Disguise = (files: RecordedFiles) => JournalFiles;

function eventsOf(sequence: number): JournalEvent[] {
  const found = [0, 1].map((i) => link(`http://example.org/${sequence}/${i}`));
  return [
    { kind: "admit", found },
    { kind: "counted", counter: 1, amount: sequence },
  ];
}

function open(
  folder: string,
  epoch: number,
  after?: JournalEnd,
  files?: JournalFiles,
  isLazy?: boolean,
): JournalWriter {
  const base = {
    isLazy,
    folder,
    shard: 3,
    epoch,
    seedLow: SEED_LOW,
    seedHigh: SEED_HIGH,
    segmentBytes: 700,
    after,
  };
  return new JournalWriter(files === undefined ? base : { ...base, files });
}

function put(folder: string, files: ReadonlyMap<string, Buffer>): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  return folder;
}

/** Reads what the loss left, repairs it, goes on; a sentence when a promise is broken. */
function judge(folder: string, loss: Loss): string | undefined {
  put(folder, loss.files);
  try {
    const { batches, end } = readAll({ folder, shard: 3 });
    if (end.sequence < loss.noted)
      return `${loss.what}: ${end.sequence} of ${loss.noted} synced batches`;
    for (const [i, batch] of batches.entries()) {
      assert.equal(batch.sequence, i + 1);
      if (batch.events.length > 0) assert.deepEqual(flat(batch.events), flat(eventsOf(i + 1)));
    }
    const writer = open(
      folder,
      end.epoch + 1,
      repairTail(end, folder, UNSYNCED_FILES),
      UNSYNCED_FILES,
    );
    writer.append(pack(eventsOf(writer.sequence + 1)));
    writer.close();
    assert.equal(readAll({ folder, shard: 3 }).end.sequence, end.sequence + 2);
    return undefined;
  } catch (error) {
    return `${loss.what}: ${(error as Error).message}`;
  }
}

/** Two runs of a journal: the first is killed with batches in the page cache, the second goes on and closes. */
function record(folder: string, disguise: Disguise, isLazy: boolean): RecordedFiles {
  const recorded = new RecordedFiles();
  const files = disguise(recorded);
  const write = (writer: JournalWriter, batches: number, syncEvery: number) => {
    recorded.note(writer.synced);
    for (let i = 1; i <= batches; i++) {
      writer.append(pack(eventsOf(writer.sequence + 1)));
      if (i % syncEvery === 0) writer.sync();
      recorded.note(writer.synced);
    }
  };
  write(open(folder, 1, undefined, files), 11, 3);
  const { end } = readAll({ folder: put(folder, recorded.visible()), shard: 3 });
  const second = open(folder, 2, repairTail(end, folder, files), files, isLazy);
  write(second, 5, 2);
  second.close();
  recorded.note(second.synced);
  return recorded;
}

/** Tries all losses up to the first that breaks a promise. */
function firstFailure(
  disguise: Disguise,
  isLazy = false,
): { failure: string | undefined; losses: number } {
  return withFolder((parent) => {
    const folder = join(parent, "state");
    let losses = 0;
    for (const loss of powerLosses(record(folder, disguise, isLazy).steps)) {
      losses++;
      const failure = judge(folder, loss);
      if (failure !== undefined) return { failure, losses };
    }
    return { failure: undefined, losses };
  });
}

/** A mutant is caught by what it lost, not by some other error. */
function assertCaught(disguise: Disguise, how: RegExp): void {
  assert.match(firstFailure(disguise).failure ?? "not caught", how);
}

/** The recorder with some calls replaced. */
function changed(files: RecordedFiles, calls: Partial<JournalFiles>): JournalFiles {
  const all: JournalFiles = {
    create: (path) => files.create(path),
    open: (path) => files.open(path),
    write: (file, bytes, from) => files.write(file, bytes, from),
    truncate: (file, size) => files.truncate(file, size),
    sync: (file) => files.sync(file),
    close: () => files.close(),
    remove: (path) => files.remove(path),
    rename: (from, to) => files.rename(from, to),
    syncFolder: () => files.syncFolder(),
  };
  return { ...all, ...calls };
}

test("no power loss takes a synced batch or leaves a part of one", () => {
  const { failure, losses } = firstFailure((files) => files);
  assert.equal(failure, undefined);
  assert.ok(losses > 300, `only ${losses} losses were tried`);
});

test("neither does one that begins its file with the first batch", () => {
  assert.equal(firstFailure((files) => files, true).failure, undefined);
});

test("a writer that does not sync its batches is caught", () => {
  const mutant: Disguise = (files) =>
    changed(files, { sync: (file) => files.size(file) > SEGMENT_HEADER_BYTES || files.sync(file) });
  assertCaught(mutant, /of \d+ synced batches/);
});

test("a writer that does not sync the header of a new segment is caught", () => {
  const mutant: Disguise = (files) =>
    changed(files, {
      sync: (file) => files.size(file) === SEGMENT_HEADER_BYTES || files.sync(file),
    });
  assertCaught(mutant, /header of the segment is damaged|header is not what was written/);
});

test("a writer that does not sync the folder is caught", () => {
  assertCaught(
    (files) => changed(files, { syncFolder: () => {} }),
    /synced batches|the segment is missing/,
  );
});

test("a writer that begins a segment before the file behind it is durable is caught", () => {
  const mutant: Disguise = (files) => {
    let isLate = false;
    return changed(files, {
      syncFolder() {
        isLate = true;
      },
      sync(file) {
        files.sync(file);
        if (isLate) files.syncFolder();
        isLate = false;
      },
    });
  };
  assertCaught(mutant, /the segment is missing/);
});

test("a writer that goes on without syncing what a killed run left is caught", () => {
  const mutant: Disguise = (files) => {
    const old = new Set<number>();
    return changed(files, {
      open(path) {
        const file = files.open(path);
        old.add(file);
        return file;
      },
      sync: (file) => old.has(file) || files.sync(file),
    });
  };
  assertCaught(mutant, /synced batches|not what was|not follow/);
});

test("a writer that puts the commit marker on the disk before the data is caught", () => {
  const mutant: Disguise = (files) => {
    const late: (() => void)[] = [];
    return changed(files, {
      write(file, bytes, from) {
        const at = files.size(file);
        if (at < SEGMENT_HEADER_BYTES) return files.write(file, bytes, from);
        const data = Buffer.from(bytes.subarray(0, -BATCH_TRAILER_BYTES));
        files.writeAt(file, bytes.subarray(data.length), at + data.length);
        late.push(() => files.writeAt(file, data, at));
        return bytes.length;
      },
      sync(file) {
        files.sync(file);
        for (const step of late.splice(0)) step();
      },
    });
  };
  assertCaught(mutant, /synced batches|not what was|not follow/);
});
