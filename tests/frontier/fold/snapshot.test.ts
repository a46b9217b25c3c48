import assert from "node:assert/strict";
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

test("a snapshot of the version before, with a section for each number, is read", (t) => {
  const folder = freshFolder(t);
  const state = talkative();
  const sections = new SectionWriter(REAL_FILES, join(folder, snapshotName(0, 3)));
  const head = Buffer.alloc(38);
  head.write("OWSNAP02", "latin1");
  head.writeUInt32LE(END.segment, 10);
  head.writeUInt32LE(END.epoch, 14);
  head.writeUInt32LE(END.sequence, 18);
  sections.add(1, head);
  for (const [index, map] of [state.sent, state.received].entries()) {
    for (const [name, number] of map) {
      const [shard, epoch] = name.split(" ").map(Number) as [number, number];
      const bytes = Buffer.alloc(11);
      bytes[0] = index;
      bytes.writeUInt16LE(shard, 1);
      bytes.writeUInt32LE(epoch, 3);
      bytes.writeUInt32LE(number, 7);
      sections.add(5, bytes);
    }
  }
  sections.finish();
  const { sent, received } = restored(folder);
  assert.deepEqual(sent, state.sent);
  assert.deepEqual(received, state.received);
  assert.deepEqual(openSnapshot(folder, 0)!.end, { ...END, followed: true });
});
