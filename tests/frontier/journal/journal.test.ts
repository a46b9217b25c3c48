import assert from "node:assert/strict";
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { DiskFullError, OrbweaverError, StoreCorruptError } from "../../../src/errors.ts";
import type { JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import { type JournalFiles, REAL_FILES } from "../../../src/frontier/journal/journal-files.ts";
import {
  type Damage,
  type JournalEnd,
  repairTail,
} from "../../../src/frontier/journal/journal-reader.ts";
import {
  type JournalOptions,
  JournalWriter,
} from "../../../src/frontier/journal/journal-writer.ts";
import {
  batches,
  describe,
  flat,
  fold,
  link,
  pack,
  readAll,
  SEED_HIGH,
  SEED_LOW,
  UNSYNCED_FILES,
  withFolder,
} from "./plans.ts";

function open(folder: string, more: Partial<JournalOptions> = {}): JournalWriter {
  return new JournalWriter({
    folder,
    shard: 3,
    epoch: 1,
    seedLow: SEED_LOW,
    seedHigh: SEED_HIGH,
    files: UNSYNCED_FILES,
    ...more,
  });
}

function eventsOf(n: number): JournalEvent[] {
  return [{ kind: "admit", found: [link(`http://example.org/${n}`)] }];
}

/** Batches 1 to `count`, a sync after every second; not closed, as after a kill. */
function written(folder: string, count: number, segmentBytes: number): string[] {
  const writer = open(folder, { segmentBytes });
  for (let n = 1; n <= count; n++) {
    writer.append(pack(eventsOf(n)));
    if (n % 2 === 0) writer.sync();
  }
  // The last file is empty, for the segment that comes next.
  return readdirSync(folder)
    .sort()
    .slice(0, -1)
    .map((name) => join(folder, name));
}

/** What is lost with one file that was taken away. */
function batchesIn(file: string, folder: string): number {
  const found = readAll({ folder, shard: 3, salvage: () => {} }).batches;
  const others = new Set(found.map(({ sequence }) => sequence));
  assert.ok(!found.some((batch) => batch.file === file));
  return 9 - others.size;
}

function corruptAt(file: string, offset?: number) {
  return (error: unknown) =>
    error instanceof StoreCorruptError && error.message.startsWith(`${file}:${offset ?? ""}`);
}

test("batches come back in order, over segments and runs", () => {
  fc.assert(
    fc.property(
      batches,
      fc.integer({ min: 1, max: 400 }),
      fc.nat({ max: 12 }),
      (all, segmentBytes, cut) =>
        withFolder((folder) => {
          let after: JournalEnd | undefined;
          for (const [epoch, run] of [all.slice(0, cut), all.slice(cut)].entries()) {
            const writer = open(folder, { segmentBytes, after, epoch: epoch + 1 });
            for (const events of run) writer.append(pack(events));
            assert.equal(writer.sync(), writer.sequence);
            writer.close();
            writer.close();
            after = readAll({ folder, shard: 3 }).end;
          }
          const found = readAll({ folder, shard: 3 });
          // Each run closes with an empty batch.
          const expected = [...all.slice(0, cut), [], ...all.slice(cut), []];
          assert.deepEqual(
            found.batches.map((b) => flat(b.events)),
            expected.map(flat),
          );
          assert.equal(found.end.torn, undefined);
          const decoded = fold(found.batches.map((b) => b.events));
          assert.deepEqual(describe(decoded), describe(fold(expected)));
        }),
    ),
    { numRuns: 30 },
  );
});

test("segments are named by shard and number, and a snapshot's are not read", () =>
  withFolder((folder) => {
    const names = written(folder, 6, 200).map((path) => path.slice(folder.length + 1));
    assert.deepEqual(names.slice(0, 2), ["shard-03.000001.journal", "shard-03.000002.journal"]);
    const all = readAll({ folder, shard: 3 });
    const cut = all.batches.findIndex((b) => b.file.endsWith("000002.journal"));
    const after = { segment: 1, sequence: cut, epoch: 1 };
    rmSync(join(folder, names[0]!));
    assert.deepEqual(readAll({ folder, shard: 3, after }).batches, all.batches.slice(cut));
    assert.deepEqual(readAll({ folder, shard: 4 }).end.sequence, 0);
  }));

test("a journal cut anywhere shows whole batches only, is repaired and goes on", () =>
  withFolder((folder) => {
    const [file] = written(folder, 5, 1 << 20) as [string];
    const bytes = readFileSync(file);
    const ends = readAll({ folder, shard: 3 })
      .batches.map((b) => b.offset)
      .slice(1)
      .concat(bytes.length);
    for (let size = bytes.length; size >= 0; size--) {
      writeFileSync(file, bytes.subarray(0, size));
      writeFileSync(file.replace("000001", "000002"), "");
      const { end, batches: found } = readAll({ folder, shard: 3 });
      const whole = ends.filter((at) => at <= size).length;
      assert.equal(found.length, whole);
      assert.deepEqual(
        describe(fold(found.map((b) => b.events))),
        describe(fold([1, 2, 3, 4, 5].slice(0, whole).map(eventsOf))),
      );
      if (end.torn !== undefined) {
        assert.equal(end.torn.offset, end.bytes);
        assert.throws(() => open(folder, { epoch: 2, after: end }), StoreCorruptError);
      }
      const writer = open(folder, { epoch: 2, after: repairTail(end, folder, UNSYNCED_FILES) });
      writer.append(pack(eventsOf(99)));
      writer.close();
      assert.equal(readAll({ folder, shard: 3 }).end.sequence, whole + 2);
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
    }
  }));

test("a flipped byte is found and named; what was synced before is never taken for a torn tail", () =>
  withFolder((folder) => {
    const files = written(folder, 9, 300);
    const last = files.at(-1)!;
    const intact = readAll({ folder, shard: 3 });
    for (const file of files) {
      const bytes = readFileSync(file);
      for (let at = 0; at < bytes.length; at++) {
        const bad = Buffer.from(bytes);
        bad[at]! ^= 1 << (at % 8);
        writeFileSync(file, bad);
        const hit = intact.batches.findLast((b) => b.file === file && b.offset <= at);
        const damages: Damage[] = [];
        const saved = readAll({ folder, shard: 3, salvage: (damage) => damages.push(damage) });
        let end: JournalEnd | undefined;
        try {
          end = readAll({ folder, shard: 3 }).end;
        } catch (error) {
          assert.ok(corruptAt(file, hit?.offset ?? at)(error), `${error} for ${file}:${at}`);
        }
        if (end !== undefined) {
          assert.equal(file, last, "only the last segment has a torn tail");
          assert.equal(end.torn?.offset, hit?.offset ?? 0);
          // Batches 1 to 8 were synced, and the header of 9 says so.
          assert.ok(end.sequence >= 8, `batch ${end.sequence + 1} was synced and is called torn`);
        } else assert.ok(damages.length > 0);
        // Salvage keeps every batch but the one that was hit; a byte of a segment's header is known from its checksum.
        const kept = intact.batches.filter((b) => b !== hit);
        if (hit === undefined)
          assert.deepEqual([damages[0]!.offset, damages[0]!.repair], [at, bytes[at]]);
        assert.deepEqual(saved.batches, kept);
      }
      writeFileSync(file, bytes);
    }
  }));

test("after a clean end not even the last batch can pass for torn", () =>
  withFolder((folder) => {
    const writer = open(folder);
    writer.append(pack(eventsOf(1)));
    writer.close();
    const file = join(folder, "shard-03.000001.journal");
    const [first] = readAll({ folder, shard: 3 }).batches;
    const bytes = readFileSync(file);
    bytes[first!.offset + 40]! ^= 1;
    writeFileSync(file, bytes);
    assert.throws(() => readAll({ folder, shard: 3 }), corruptAt(file, first!.offset));
  }));

test("a missing segment is refused with its name: the first, one between, the last, and the empty one behind it", () =>
  withFolder((folder) => {
    const files = [...written(folder, 9, 250), join(folder, "shard-03.000006.journal")];
    assert.deepEqual(
      files,
      readdirSync(folder)
        .sort()
        .map((name) => join(folder, name)),
    );
    for (const file of files) {
      const bytes = readFileSync(file);
      rmSync(file);
      assert.throws(() => readAll({ folder, shard: 3 }), corruptAt(file, 0));
      const damages: Damage[] = [];
      const saved = readAll({ folder, shard: 3, salvage: (damage) => damages.push(damage) });
      assert.deepEqual([damages[0]?.file, damages[0]?.what], [file, "the segment is missing"]);
      assert.equal(saved.batches.length, 9 - (bytes.length === 0 ? 0 : batchesIn(file, folder)));
      writeFileSync(file, bytes);
    }
    assert.equal(readAll({ folder, shard: 3 }).end.sequence, 9);
    const nothing = { folder, shard: 4 };
    assert.equal(readAll(nothing).end.sequence, 0);
    const first = join(folder, "shard-04.000001.journal");
    assert.throws(() => readAll({ ...nothing, begun: true }), corruptAt(first, 0));
    writeFileSync(first, "");
    assert.equal(readAll({ ...nothing, begun: true }).end.sequence, 0);
  }));

test("segments of other versions than this one and the two before are refused", () =>
  withFolder((folder) => {
    const [file] = written(folder, 3, 1 << 20) as [string];
    const versioned = (version: number) => {
      const bytes = readFileSync(file);
      bytes.writeUInt16LE(version, 8);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 44)), 44);
      writeFileSync(file, bytes);
    };
    for (const version of [0, 1, 5, 99]) {
      versioned(version);
      const expected = new RegExp(`^${file}:0: written by another version of this program$`);
      assert.throws(() => readAll({ folder, shard: 3 }), { message: expected });
    }
    for (const version of [2, 3, 4]) {
      versioned(version);
      assert.equal(readAll({ folder, shard: 3 }).end.sequence, 3);
    }
  }));

test("a batch twice, a segment under another's name, a cut segment in the middle: refused", () =>
  withFolder((folder) => {
    const files = written(folder, 9, 250) as [string, string, string];
    const last = files.at(-1)!;
    const [, second] = files;
    const intact = readFileSync(last);
    const batch = readAll({ folder, shard: 3 }).batches.at(-1)!;
    appendFileSync(last, intact.subarray(batch.offset));
    assert.throws(() => readAll({ folder, shard: 3 }), corruptAt(last, intact.length));
    writeFileSync(last, readFileSync(second));
    assert.throws(() => readAll({ folder, shard: 3 }), corruptAt(last, 0));
    writeFileSync(last, intact);
    truncateSync(second, readFileSync(second).length - 1);
    assert.throws(() => readAll({ folder, shard: 3 }), corruptAt(second));
  }));

/** The real disk with room for so many bytes; a write that does not fit is done in part first. */
function smallDisk(room: { bytes: number }): JournalFiles {
  return {
    ...UNSYNCED_FILES,
    write(file, bytes, from) {
      if (room.bytes === 0) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      const part = bytes.subarray(from, from + room.bytes);
      room.bytes -= part.length;
      return REAL_FILES.write(file, part, 0);
    },
  };
}

test("a disk that fills up at any byte leaves whole batches and a writer that can go on", () =>
  withFolder((folder) => {
    for (let bytes = 48; bytes < 700; bytes += 7) {
      const room = { bytes };
      const writer = open(folder, { files: smallDisk(room), segmentBytes: 300 });
      let n = 0;
      assert.throws(() => {
        for (;;) writer.append(pack(eventsOf(++n)));
      }, DiskFullError);
      const full = readAll({ folder, shard: 3 });
      assert.deepEqual([full.end.torn, full.end.sequence], [undefined, n - 1]);
      room.bytes = 10_000;
      assert.equal(writer.append(pack(eventsOf(n))), n);
      writer.close();
      const found = readAll({ folder, shard: 3 }).batches.slice(0, -1);
      assert.deepEqual(
        found.map((b) => flat(b.events)),
        found.map((b) => flat(eventsOf(b.sequence))),
      );
      assert.equal(found.length, n);
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
    }
  }));

test("a failed sync is never followed by a successful one", () =>
  withFolder((folder) => {
    let fails = false;
    const sync = (file: number) => {
      if (fails) throw Object.assign(new Error("i/o error"), { code: "EIO" });
      REAL_FILES.sync(file);
    };
    const writer = open(folder, { files: { ...REAL_FILES, sync } });
    writer.append(pack(eventsOf(1)));
    writer.sync();
    writer.append(pack(eventsOf(2)));
    fails = true;
    assert.throws(() => writer.sync(), /i\/o error/);
    fails = false;
    assert.equal(writer.synced, 1);
    assert.throws(() => writer.sync(), OrbweaverError);
    assert.throws(() => writer.append(pack(eventsOf(3))), OrbweaverError);
    writer.close();
    // Nobody builds on what only memory may hold.
    assert.deepEqual(
      readAll({ folder, shard: 3 }).batches.map(({ sequence }) => sequence),
      [1],
    );
  }));
