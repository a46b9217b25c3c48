import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import { openSnapshot, SnapshotWriter } from "../../../src/frontier/fold/snapshot.ts";
import { REAL_FILES, snapshotName } from "../../../src/frontier/journal/journal-files.ts";
import { SectionWriter } from "../../../src/frontier/journal/section-file.ts";
import { freshFolder } from "../../store/sample-capture.ts";

const END = { segment: 3, sequence: 9, epoch: 4 };
const SEEDS = [1, 2] as const;
const EPOCHS = 700;

/** What a shard has sent and received in many runs. */
function talkative(): ShardState {
  const state = new ShardState(...SEEDS);
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    for (let shard = 0; shard < 15; shard++) {
      state.sent.set(`${shard} ${epoch}`, 1000 * epoch + shard);
      if (shard % 2 === 0) state.received.set(`${shard} ${epoch}`, epoch);
    }
  }
  return state;
}

function restored(folder: string): ShardState {
  const state = new ShardState(...SEEDS);
  openSnapshot(folder, 0)!.restore(state);
  return state;
}

test("a snapshot keeps what was reached in many runs, in few sections", (t) => {
  const folder = freshFolder(t);
  const state = talkative();
  const sections = new SectionWriter(REAL_FILES, join(folder, snapshotName(0, 3)));
  const snapshot = new SnapshotWriter(sections, 0, END, SEEDS);
  const before = sections.size;
  snapshot.small(state);
  const each = (sections.size - before) / (state.sent.size + state.received.size);
  snapshot.total(0);
  sections.finish();
  const { sent, received } = restored(folder);
  assert.deepEqual(sent, state.sent);
  assert.deepEqual(received, state.received);
  assert.ok(each < 12, `${each} bytes for each`);
});

test("snapshots of other versions than this one and the one before are refused", (t) => {
  const folder = freshFolder(t);
  const path = join(folder, snapshotName(0, 3));
  for (const [magic, expected] of [
    ["OWSNAP02", `${path}:0: written by another version of this program`],
    ["OWSNAP05", `${path}:0: written by another version of this program`],
    ["SOMETHNG", `${path}:0: not a snapshot`],
    ["OWSNAP03", undefined],
  ] as const) {
    rmSync(path, { force: true });
    const sections = new SectionWriter(REAL_FILES, path);
    const head = Buffer.alloc(38);
    head.write(magic, "latin1");
    head.writeUInt32LE(END.segment, 10);
    head.writeUInt32LE(END.epoch, 14);
    head.writeUInt32LE(END.sequence, 18);
    sections.add(1, head);
    sections.finish();
    if (expected === undefined) assert.deepEqual(openSnapshot(folder, 0)!.end, END);
    else assert.throws(() => openSnapshot(folder, 0), { message: expected });
  }
});
